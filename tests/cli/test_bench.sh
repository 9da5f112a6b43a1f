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

# Plans of a GPU, on any machine: 4,096 rows of 768 numbers, counted by hand.
"$GODWIT" bench --plan --device cuda --dtype bf16 >rows || die "no plan of a GPU"
work() { awk -F'\t' -v plan="$1" -v ops="$2" -v first="$3" 'index($0, "# " plan) == 1 {on = 1; next} /^#/ {on = 0}
    on && $2 == ops {for (i = first; i < first + 3; i++) printf "%s%s", $i, i < first + 2 ? " " : "\n"; exit}' rows; }
numbers=$((4096 * 768)) square=$((768 * 768))
scoring="scoring, bf16 on cuda, as it runs" described="scoring, bf16 on cuda, as described" training="a training step, bf16 on cuda, as it runs"
# As described: the input read, written rounded, and read; a result. The weights are bf16 already.
equal "$(work "$described" linear 5)" "$((numbers * (4 + 2 + 2 + 4))) $((square * 2)) $((4096 * square))" "work of a layer"
# As it runs tensors are bf16: read by three layers, and three results.
equal "$(work "$scoring" linear+linear+linear 5)" \
    "$((numbers * (3 * 2 + 3 * 2))) $((3 * square * 2)) $((3 * 4096 * square))" "work of queries, keys and values"
# Three operands, the result, and a sum a row and head; rows of 8 blocks but two (7), and two rows of 64 blocks, of
# 64 x 64 pairs. As described each operand is read, written rounded and read.
pairs=$(((60 * 8 + 2 * 7 + 2 * 64) * 4096))
equal "$(work "$scoring" attention 5)" "$((numbers * (3 * 2 + 2) + 4 * 12 * 4096)) 0 $((2 * 768 * pairs))" "work of attention"
equal "$(work "$described" attention 5)" "$((numbers * (3 * (4 + 2 + 2) + 4) + 4 * 12 * 4096)) 0 $((2 * 768 * pairs))" \
    "work of attention as described"
# The result is read and written once more with the residual, and written as bf16 too.
equal "$(work "$scoring" linear+sum+layer_norm 5)" "$((numbers * (2 + 4 + 3 * 4 + 2))) $((square * 2)) $((4096 * square))" \
    "work of attention's last layer"
# Training stores activations and their gradients as bf16: types of a layer's tensors, and behind them those of gradients.
awk -F'\t' -v plan="$training" 'index($0, "# " plan) == 1 {on = 1; next} /^#/ {on = 0}
    on && $1 >= 3 && $1 <= 11 {gsub(/[0-9]+\[[0-9]+\]/, ""); print $2, $3, $4}' rows >types
cat >wanted <<'END'
linear [768]:f32+bf16:f32 [768]:bf16:bf16
linear [768]:f32+bf16:f32 [768]:bf16:bf16
linear [768]:f32+bf16:f32 [768]:bf16:bf16
attention [768]:bf16:bf16,[768]:bf16:bf16,[768]:bf16:bf16 [768]:bf16:bf16
linear [768]:bf16:bf16 [768]:bf16:bf16
dropout+sum+layer_norm [768]:bf16:bf16,[768]:f32+bf16:f32 [768]:f32+bf16:f32
linear [768]:f32+bf16:f32 [3072]:bf16:bf16
activation [3072]:bf16:bf16 [3072]:bf16:bf16
linear [3072]:bf16:bf16 [768]:bf16:bf16
END
cmp wanted types || die "types of training: $(diff wanted types)"
# Forward: a product's operand and result, both bf16; a sum reads two numbers, one of them bf16, and is written beside its norm.
equal "$(work "$training" linear 5)" "$((numbers * (2 + 2))) $((square * (4 + 2 + 2))) $((4096 * square))" "work of a step's layer"
equal "$(work "$training" attention 5)" "$((numbers * (3 * 2 + 2) + 4 * 12 * 4096)) 0 $((2 * 768 * pairs))" "work of a step's attention"
equal "$(work "$training" activation 5)" "$((4 * numbers * (2 + 2))) 0 0" "work of an activation"
equal "$(work "$training" dropout+sum+layer_norm 5)" "$((numbers * (2 + 4 + 4 + 4 + 2))) 0 0" "work of a sum and its norm"
# Backward: two products and a sum read the gradient, one product reads the input, whose gradient is added to. Weights are rounded,
# their gradient is added to.
equal "$(work "$training" linear 8)" "$((numbers * (2 + 3 * 2 + 8))) $((square * (4 + 2 + 2 + 8))) $((2 * 4096 * square))" \
    "work of a layer's backward step"
# Three operands and the gradient of the result are read in two walks, and this gradient and the result for their products; three
# gradients are written, once.
equal "$(work "$training" attention 8)" "$((numbers * (4 * 2 * 2 + 2 * 2 + 3 * 2) + 2 * 4 * 12 * 4096)) 0 $((7 * 768 * pairs))" \
    "work of attention's backward step"
equal "$(work "$training" activation 8)" "$((4 * numbers * (2 + 2 + 2))) 0 0" "work of a derivative"
# The gradient and the sum are read in two walks; the gradients of the residual, f32, and of what was dropped are written.
equal "$(work "$training" dropout+sum+layer_norm 8)" "$((numbers * (2 * (4 + 4) + 4 + 2))) 0 0" "work of a norm's backward step"
for line in 'forward: 92.06 bytes .* 32.90' 'backward: 208.12 bytes .* 71.68'; do
    awk -v plan="$training" 'index($0, "# " plan) == 1 {on = 1; next} /^# [^i]/ {on = 0} on && /^# its/' rows >sums
    grep -q "$line" sums || die "no sum of a step's layer: $(cat sums)"
done
grep -q '^# its first layer, forward: 76.06 bytes .* 32.90 G products; at 3 TB/s 0.084 ms, at 669 TFLOP/s 0.098 ms$' rows ||
    die "no sum of a layer: $(grep '^# its' rows)"
fails 2 "--device: 'cudas' is neither" "$GODWIT" bench --plan --device cudas
fails 2 "unknown part: nonsense (parts: linear, " "$GODWIT" bench nonsense
fails 2 "-n: 63 is outside" "$GODWIT" bench -n 63
fails 2 "--heads: 7 does not divide 768, the width" "$GODWIT" bench --heads 7
# Fewer heads of more numbers: the same work, for 11 blocks or fewer are all read.
for heads in 6 12; do
    "$GODWIT" bench -n 256 --heads $heads --repeats 1 -@ 1 --dtype f32 attention >rows
    awk '$1 == "attention" {print $3 * $4}' rows >work.$heads
done
awk 'NR == 1 {first = $1} END {exit !(NR == 2 && $1 > 0.7 * first && $1 < 1.4 * first)}' work.6 work.12 ||
    die "work of 6 and of 12 heads: $(cat work.6 work.12)"
