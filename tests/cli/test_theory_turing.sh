# godwit-theory turing: machines beside their decoders, step by step.
. "$ROOT/tests/cli/lib.sh"
needs_theory
machines="$ROOT/tools/theory/machines"

# value NAME
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' table
}

# simulates MACHINE STEPS TAPE [INPUT]: of the machine by itself; the exact decoder is compared by the program
simulates() {
    "$THEORY" turing "$machines/$1.tm" -i "${4:-}" >table
    equal "$(value machine_steps)" "$2" "steps of $1"
    equal "$(value machine_tape)" "$3" "tape of $1"
    equal "$(value tape)" "$3" "tape of the decoder for $1"
    equal "$(value equal_compute_nodes)" "$(($(value simulated_steps) + 1))" "compute nodes of $1"
    steps=$(value simulated_steps)
    equal "$(value decoder_steps)" "$((steps * (steps + 3) / 2))" "decoder steps of $1"
}

simulates addition 8 11111 111+11
simulates increment 8 1100 1011
simulates increment 8 1000 111
simulates palindrome 15 Y abba
simulates palindrome 9 N abab
simulates palindrome 1 Y
simulates copy 23 ab#ab ab
simulates busy-beaver-2 6 1111
simulates busy-beaver-3 21 11111
simulates busy-beaver-4 107 10111111111111
equal "$(value f64_parts)" no
equal "$(value f32_equal_steps)" 97 "steps before f32 parts"

# moves that stay, a blank of its own, a walk to the left of the input, a symbol that looks like the mark
cat >stay.tm <<'EOF'
blank .
start go   ; a comment
go > x S go
go x > L go
go . > S end
EOF
"$THEORY" turing stay.tm -i ">" -o picture.svg >table
equal "$(value tape)" ">>" "tape of stay.tm"
grep -q '<svg ' picture.svg || die "no SVG"

printf 'A 0 1 R\n' >short.tm
fails 1 "short.tm, line 1: expected 'state read write move next', found 4 fields" "$THEORY" turing short.tm
printf 'A 0 1 R A\nA 0 1 L A\n' >twice.tm
fails 1 "twice.tm, line 2: a second line for state A and symbol 0" "$THEORY" turing twice.tm
printf 'A 0 1 U A\n' >move.tm
fails 1 "a move is L, S or R, found 'U'" "$THEORY" turing move.tm
fails 1 "the input's symbol '2' is not one of the machine's" "$THEORY" turing "$machines/increment.tm" -i 102
fails 1 "is the blank, which ends it" "$THEORY" turing "$machines/increment.tm" -i 1_1
fails 2 "an input file is missing" "$THEORY" turing
