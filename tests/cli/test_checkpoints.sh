# Nothing of a stopped run is lost, whatever is trained: finetune keeps its state beside the model until that is there, and --checkpoints no
# switches that off, as in pretrain.
. "$ROOT/tests/cli/lib.sh"
awk "$DRAW"'BEGIN {
    seed = 11; OFS = "\t"; print ">c"; for (i = 0; i < 40; i++) print bases(50)
    print "sequence", "y" >"set.tsv"; for (i = 0; i < 64; i++) print bases(12), i % 2 >"set.tsv"
    print "source", "target" >"pairs.tsv"; for (i = 0; i < 64; i++) print bases(8), bases(2) >"pairs.tsv"
    print "text", "label" >"texts.tsv"; for (i = 0; i < 64; i++) print bases(8), i % 2 ? "odd" : "even" >"texts.tsv" }' >genome.fa
cat >config.json <<'E2'
{"model_type": "big_bird", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4,
 "max_position_embeddings": 16, "attention_type": "original_full", "hidden_dropout_prob": 0.1}
E2
run() { # COMMAND OPTIONS...
    command=$1
    shift
    ${background:+exec} "$GODWIT" "$command" -q --lr 1e-2 --seed 3 -@ 1 "$@"
}
tune() { run finetune --from-scratch --batch 16 --report-every 1 "$@"; }
promoter() { tune -c config.json --task promoter -d set.tsv --valid set.tsv --patience 0 --steps 300 "$@"; }
classify() { tune -c config.json --task classify -t letters/tokenizer.json -d texts.tsv --text text --label label --steps 300 "$@"; }
summarize() { tune --size pegasus-mini --length 16 --task summarize -d pairs.tsv --steps 30 "$@"; }
pretrain() { run pretrain -c config.json -f genome.fa --batch-tokens 64 --steps 300 --save-every 50 "$@"; }

# stop TASK OUTPUT OPTIONS...: SIGTERM after the first step.
stop() {
    start "$@" 2>message
    until cat cut*/metrics.jsonl 2>/dev/null | grep -q '"step":1,'; do
        kill -0 "$run" 2>/dev/null || die "the run ended before its first step: $(cat message)"
        sleep 0.01
    done
    kill -TERM "$run"
    got=0
    wait "$run" || got=$?
    equal "$got" 143 "exit status, of SIGTERM"
}

run pretrain -c config.json -f genome.fa --batch-tokens 64 --steps 1 -o letters
for task in promoter classify summarize; do
    $task -o whole
    [ ! -e whole.checkpoints ] || die "$task: the state of a run that is over was left"
    stop $task -o cut
    grep -q "which is saved: the same command with --resume goes on" message || die "no word how to go on: $(cat message)"
    [ -s cut.checkpoints/training.state ] || die "$task: a stopped run saved nothing"
    fails 1 "cut.checkpoints holds the state of a run that was stopped: continue with --resume, or remove that folder" $task -o cut
    $task -o cut/ --resume
    same whole/model.safetensors cut/model.safetensors
    [ ! -e cut.checkpoints ] || die "$task: the state of a run that is over was left"
    equal "$(wc -l <cut/metrics.jsonl)" "$(wc -l <whole/metrics.jsonl)" "lines of metrics"
    $task -o cut --resume # is finished and left as it is
    rm -rf whole cut
done

# Without checkpoints.
promoter -o whole
promoter -o none --checkpoints no
same whole/model.safetensors none/model.safetensors
stop promoter -o cut --checkpoints no
grep -q "interrupted after step [0-9]* of 300, of which nothing is saved (--checkpoints no)" message || die "no word that all is lost: $(cat message)"
equal "$(echo ./*checkpoints*)" ./letters.checkpoints "folders of checkpoints"
rm -rf cut

# Pretraining keeps its state, and can do without one.
pretrain -o long
[ -s long.checkpoints/training.state ] || die "no training state beside the model"
pretrain -o bare --checkpoints no
same long/model.safetensors bare/model.safetensors
equal "$(wc -l <bare/metrics.jsonl | tr -d ' ')" 300 "lines of metrics"
[ -s bare/loss.png ] || die "no picture"
[ ! -e bare.checkpoints ] || die "a state though none was asked for"
stop pretrain -o cut --checkpoints no
grep -q "of which nothing is saved" message || die "no word that all is lost: $(cat message)"
fails 2 "--resume needs a training state, and --checkpoints no saves none" pretrain -o bare --checkpoints no --resume
fails 2 "--resume needs a training state, and --checkpoints no saves none" promoter -o more --checkpoints no --resume
