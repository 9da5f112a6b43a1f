# godwit-theory furthest, flex and approximator: small cases.
. "$ROOT/tests/cli/lib.sh"
needs_theory

# value NAME FILE
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

"$THEORY" furthest -n 32 --layers 64 -o picture.svg >table
equal "$(value width table)" 25
equal "$(value dense_hardmax_solved table)" 1.0000
equal "$(value 1e-06 table)" 1.0000 "cold softmax"
[ "$(value 1 table)" != 1.0000 ] || die "a warm softmax solves the task"
equal "$(awk -F '\t' '$1 == "8 random, new in each layer" { last = $4 } END { print last }' table)" 1.0000 "new random blocks"
awk -F '\t' '$1 == "window of 9" { last = $4 } END { exit !(last < 1) }' table || die "a window sees everything"
grep -q '<svg ' picture.svg || die "no SVG"

# Algorithm 1 as printed forgets that rows which read everything may have either sign
"$THEORY" flex algorithm -n 3 >table
equal "$(tail -n 2 table | head -n 1)" "3	1	343	259	12	0	111/010/100"
equal "$(tail -n 1 table)" "3	> 1	343	295	0	0	"

"$THEORY" flex theorem -n 64 -k 2 --gamma 2 >table
equal "$(value conditions_hold table)" yes "theorem"
equal "$(value product_holds_1e-4 table)" yes "theorem through attention"
"$THEORY" flex theorem -n 48 --causal >table
equal "$(value conditions_hold table)" yes "causal"
equal "$(value product_holds_1e-4 table)" yes "causal through attention"
"$THEORY" flex theorem -n 64 -d 4 >table
equal "$(value conditions_hold table)" no "four dimensions"
"$THEORY" flex theorem -n 32 -d 64 -k 4 --epsilon2 0.01 >table
equal "$(value draws table)" 1 "d = 2n is exact"
"$THEORY" flex curve -n 32 --most 32 --matrices 2 -o curve.png >table
equal "$(awk '$1 == 32 { found++ } END { print found }' table)" 2 "matrices"
awk '$1 == 32 && !($3 > 16 && $3 < 64) { bad = 1 } END { exit bad }' table || die "$(cat table)"
# Products of f32 or bf16 decide as doubles alone do (from d = n on these do it).
for backend in "" baseline; do
    GODWIT_BACKEND=$backend "$THEORY" flex curve -n 96 --most 96 --matrices 2 -k 2 --gamma 2 >table
    equal "$(sed -n 2,3p table | tr '\n' ' ')" "96	0	92	931 96	1	96	931 " "backend '$backend'"
done

"$THEORY" approximator -k 6 --draws 10 >table
equal "$(awk -F '\t' '$1 == "p = 1" && !($6 == 1 && $7 == 1) { bad++ } END { print bad + 0 }' table)" 0 "expected graphs"
equal "$(awk -F '\t' '$1 == "2-D softmax" && $2 == 36 { print $7, $8 }' table)" "0.000 1.000" "thin blocks"
equal "$(awk -F '\t' '$1 == "p = 1" && $2 == 36 { print $4 }' table)" 708 "edges: n^2/k + 2kn, and the loops outside them"

fails 2 "'proof' is not one of algorithm, theorem, curve" "$THEORY" flex proof
fails 2 "an even number of at most 2n" "$THEORY" flex theorem -n 16 -d 40
fails 2 "--step 3: an even number" "$THEORY" flex curve --step 3
fails 2 "below the first n" "$THEORY" flex curve --most 100
