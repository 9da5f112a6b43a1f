# godwit bench: every part has its row, whatever the figures are.
. "$ROOT/tests/cli/lib.sh"

"$GODWIT" bench -n 64 --repeats 1 --dtype f32 --recompute >rows
for part in linear attention attention_backward layer_norm forward step optimiser; do
    awk -v part="$part" '$1 == part && $2 == "f32" && NF == 6 && $3 > 0 && $4 > 0 && $6 > 0 {found = 1}
        END {exit !found}' rows || die "no row of $part: $(cat rows)"
done
equal "$(grep -c ' bf16 ' rows)" "$(grep -c 'registers *bf16' rows)" "bf16 rows of --dtype f32"
"$GODWIT" bench -n 64 --batch 3 --repeats 2 -@ 1 --dtype f32 layer_norm >rows
equal "$(awk '!/^#|^part|^registers|^copy/ {print $1}' rows)" layer_norm "parts measured"
grep -q '^# base size, 3 x 64 tokens, 1 threads, median of 2$' rows || die "first line: $(head -n 1 rows)"
"$GODWIT" bench --plan --dtype f32 >rows
equal "$(grep -c "^# .* as described: " rows)" 2 "plans before"
grep -q "linear+linear+linear" rows || die "nothing is fused for scoring"
grep -q "dropout+sum" rows || die "nothing is fused for training"
fails 2 "unknown part: nonsense (parts: linear, " "$GODWIT" bench nonsense
fails 2 "-n: 63 is outside" "$GODWIT" bench -n 63
