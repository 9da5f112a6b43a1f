# --dtype bf16 of pretrain and finetune: the loss follows that of f32, results do not depend on the thread count, a stopped
# run is resumed bit for bit, and not with another type. A processor without bf16 says so.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
prepared shards
sed 's/"hidden_size": 32/"hidden_size": 64/; s/"intermediate_size": 64/"intermediate_size": 128/' config.json >wide.json

train() {
    out=$1
    shift
    ${background:+exec} "$GODWIT" pretrain -q -d train -o "$out" --checkpoints "$out.state" -c wide.json --steps 30 --batch-tokens 768 \
        --lr 5e-3 --save-every 10 "$@"
}
fails 2 "--dtype" "$GODWIT" pretrain -q -d train -o bad -c wide.json --dtype f64
if ! grep -q avx512_bf16 /proc/cpuinfo 2>/dev/null; then
    fails 1 "--dtype: this processor has no bf16 instructions" "$GODWIT" pretrain -d train -o bad -c wide.json --dtype bf16
    fails 1 "--dtype: this processor has no bf16 instructions" "$GODWIT" finetune --from-scratch --size tiny \
        --task promoter -d none.csv -o bad --dtype bf16
    echo "left out: training in bf16, for which this processor has no instructions"
    exit 0
fi
train f32
train bf16 --dtype bf16
grep -q -e "--dtype bf16" bf16/config.json || die "config.json does not say how the model was made"
cmp -s f32/model.safetensors bf16/model.safetensors && die "bf16 changed nothing"
for step in 1 10 20 30; do
    awk -v a="$(field f32/metrics.jsonl $step loss)" -v b="$(field bf16/metrics.jsonl $step loss)" \
        'BEGIN { exit !(b < 1.03 * a && a < 1.03 * b) }' || die "step $step: the loss of bf16 leaves that of f32"
done
less "$(field bf16/metrics.jsonl 30 loss)" "$(field bf16/metrics.jsonl 1 loss)" || die "the loss did not fall"

for threads in 1 3; do
    train "threads$threads" --dtype bf16 -@ $threads
    same "threads$threads/model.safetensors" bf16/model.safetensors
done

# Stopped by the end of another schedule, it would differ: a run that is killed once its first state is there.
start train cut --dtype bf16
await [ -e cut.state/training.state ]
kill -9 "$run" 2>/dev/null || true
wait "$run" 2>/dev/null || true
rm -rf cut cut.state/*.tmp.*
fails 1 "made by a run with other settings" train cut --resume
train cut --resume --dtype bf16 --recompute
same cut/model.safetensors bf16/model.safetensors
fails 1 "made by a run with other settings" train f32 --resume --dtype bf16
