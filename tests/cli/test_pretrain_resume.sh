# A run that is killed or interrupted, then resumed, is bit for bit the run that was not.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
prepared shards

train() {
    out=$1
    shift
    ${background:+exec} "$GODWIT" pretrain -q -d train -o "$out" --checkpoints "$out.state" -c config.json --steps 60 \
        --batch-tokens 1536 --lr 3e-3 --save-every 10 "$@"
}
without_times() {
    sed 's/,"[a-z_]*second[a-z]*":[^,}]*//g' "$1"
}
train whole
# Wait until some steps were done beyond a save, then kill without mercy.
start train cut
await lines cut.state/metrics.jsonl 14
kill -9 "$run"
wait "$run" 2>/dev/null || true
[ "$(wc -l <cut.state/metrics.jsonl)" -lt 60 ] || die "the run was finished when it was killed"
rm -rf cut.state/*.tmp.*
rm -rf cut # as a workflow engine does
train cut --resume --recompute # computes the same in another way
same cut/model.safetensors whole/model.safetensors
without_times cut/metrics.jsonl >a
without_times whole/metrics.jsonl >b
same a b

# SIGTERM saves where it stands.
start train asked 2>message
await lines asked.state/metrics.jsonl 3
kill -TERM "$run"
status=0
wait "$run" || status=$?
equal "$status" 143 "exit status, of SIGTERM"
grep -q "resume" message || die "no word about resuming: $(cat message)"
[ -s asked/model.safetensors ] || die "an interrupted run leaves a model"
train asked --resume
same asked/model.safetensors whole/model.safetensors
without_times asked/metrics.jsonl >a
same a b

# --resume where nothing was saved starts at 0.
train fresh --resume --recompute
same fresh/model.safetensors whole/model.safetensors
