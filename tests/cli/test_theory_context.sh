# godwit-theory context: the contextual mapping on whole grids, and the counter-examples to the printed steps.
. "$ROOT/tests/cli/lib.sh"
needs_theory

# value NAME FILE
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

for graph in star bigbird full; do
    for grid in "-n 2" "-n 3" "-n 2 -d 2" "-n 3 --inverse-delta 3"; do
        # shellcheck disable=SC2086 # a list of words
        "$THEORY" context -g "$graph" $grid >table
        equal "$(value contextual_mapping table)" yes "$graph $grid"
        equal "$(value read_out_equals_f table)" yes "read-out of $graph $grid"
    done
done
equal "$(value inputs table)" 27
equal "$(value read_out_layers table)" 81

"$THEORY" context -g window >table
equal "$(value contextual_mapping table)" no "without a star"
equal "$(value counter_example table)" \
    "token 1 of (1/2 | 0 | 0) and token 1 of (1/2 | 1/2 | 0) are left with the same number"

"$THEORY" context --printed >printed
equal "$(value "low shifts by delta^-d" printed)" \
    "token 0 of (0 | 1/2 | 0) and token 0 of (1/2 | 0 | 1/2) are left with the same number"
equal "$(value "Lemma 2: b on the key" printed)" \
    "phase 1: the low shift does not move token k alone; P = (0 | 0 | 0)"
equal "$(grep -c "none on this grid" printed)" 2 "steps without a counter-example"
"$THEORY" context -n 2 -d 2 --printed >printed
equal "$(value "grid with both ends, [0,1]" printed)" \
    "token 0 of (1 1 | 1 1/2) and token 0 of (1 1 | 0 1) are left with the same number"

"$THEORY" context -o picture.svg >table
grep -q '<svg ' picture.svg || die "no SVG"
fails 2 "every one is checked" "$THEORY" context -n 8 -d 8
fails 2 "not one of star|bigbird|full|window" "$THEORY" context -g ring
fails 2 "must end in .svg or .png" "$THEORY" context -o picture.pdf
fails 2 "unknown command" "$THEORY" contexts
"$THEORY" --version | grep -q '^gmp ' || die "no version of GMP"
"$THEORY" help context | grep -q '^Usage: godwit-theory context' || die "help names another program"
