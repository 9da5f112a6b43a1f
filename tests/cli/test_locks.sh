# Two runs with one output folder: the second is refused, what a killed run left is taken over, and every end takes its lock away.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
awk "$DRAW"'BEGIN { seed = 1; print ">c"; for (i = 0; i < 20; i++) print bases(60) }' >genome.fa
awk "$DRAW"'BEGIN { seed = 7; OFS = "\t"; print "sequence", "y"; for (i = 0; i < 40; i++) print bases(12), i % 2 }' >set.tsv
cat >config.json <<'E2'
{"model_type": "big_bird", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4,
 "max_position_embeddings": 16, "attention_type": "original_full"}
E2
pretrain() { ${background:+exec} "$GODWIT" pretrain -f genome.fa -c config.json --batch-tokens 64 -@ 1 "$@"; }
finetune() { ${background:+exec} "$GODWIT" finetune --from-scratch -c config.json --task promoter -d set.tsv -@ 1 "$@"; }
locks() { find . -name '*.lock'; }

# While a run lasts its folders are its own, whoever asks and whatever else differs.
start pretrain -q -o model --steps 1000000
await lines model.checkpoints/metrics.jsonl 1
fails 1 "cannot write model: process $run has been writing it since 20" pretrain -o model --steps 5
fails 1 "cannot write model: process $run has been writing it" pretrain -o model/ --steps 5 --checkpoints elsewhere
fails 1 "cannot write model.checkpoints: process $run has been writing it" pretrain -o other --steps 5 --checkpoints model.checkpoints
fails 1 "cannot write model: process $run has been writing it" finetune -o model
fails 1 "cannot write model: process $run has been writing it" "$GODWIT" convert -m elsewhere -o model
equal "$(locks | sort | tr '\n' ' ')" "./model.checkpoints.lock ./model.lock " "locks of the run"
kill "$run"
wait "$run" || true
equal "$(locks)" "" "locks after SIGTERM"

# A killed run leaves its locks; the next one says that it takes them.
start finetune -q -o tuned --steps 1000000 --checkpoints state
await [ -s state/metrics.jsonl ]
kill -9 "$run"
wait "$run" || true
equal "$(locks | sort | tr '\n' ' ')" "./state.lock ./tuned.lock " "locks after SIGKILL"
finetune -o tuned --steps 2 --checkpoints state 2>notes
grep -q "tuned: process $run, which wrote it since 20.*, is gone; its lock is taken over" notes || die "no word: $(cat notes)"
grep -q "state: process $run" notes || die "no word of the checkpoints: $(cat notes)"
equal "$(locks)" "" "locks after the end"

# Of another host nobody can tell.
echo "elsewhere 12 2026-01-02T03:04:05Z" >far.lock
fails 1 "process 12 of host elsewhere wrote it since 2026-01-02T03:04:05Z; if that run is over, delete far.lock" finetune -o far
fails 1 "delete far.lock" pretrain -o far
rm far.lock
finetune -q -o far --steps 1

# What fails leaves no lock, and what a lock's name leads to is left alone.
fails 1 "none.json" pretrain -o bad -c none.json
fails 1 "already holds a model" finetune -o far
equal "$(locks)" "" "locks after failures"
echo precious >aim && ln -s aim linked.lock
fails 1 "cannot create linked.lock" finetune -o linked
equal "$(cat aim)" precious "what a link leads to"
