# Training states that an earlier version wrote, 20 steps of 40 done, are still resumed. Which bits follow depends on the processor,
# so that what is compared with an uninterrupted run is the last loss, and that only what the state lacks was computed.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"

awk "$DRAW"'BEGIN {
    seed = 11; OFS = "\t"; print ">c"; for (i = 0; i < 40; i++) print bases(50)
    print "sequence", "y" >"set.tsv"; for (i = 0; i < 64; i++) print bases(12), i % 2 >"set.tsv"
    print "text", "label" >"texts.tsv"; for (i = 0; i < 64; i++) print bases(8), i % 2 ? "odd" : "even" >"texts.tsv" }' >genome.fa
cat >config.json <<'E2'
{"model_type": "big_bird", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4,
 "max_position_embeddings": 16, "attention_type": "original_full", "hidden_dropout_prob": 0.1}
E2
train() { # COMMAND OPTIONS...
    command=$1
    shift
    "$GODWIT" "$command" -c config.json --lr 1e-2 --save-every 20 --seed 3 -@ 1 "$@" 2>>notes
}
pretrain() { train pretrain -f genome.fa --steps 40 --tokens-per-batch 64 "$@"; }
tune() { train finetune --from-scratch --epochs 10 --batch 16 --patience 0 --report-every 1 "$@"; }
promoter() { tune --task promoter -d set.tsv --valid set.tsv --baseline none "$@"; }
classify() { tune --task classify -t letters/tokenizer.json -d texts.tsv --valid texts.tsv --text text --label label "$@"; }

pretrain -o letters
for run in pretrain promoter classify; do
    $run -o whole
    mkdir state
    cp "$ROOT/tests/data/states/$run.state" state/training.state
    : >notes
    $run -o resumed --checkpoints state --resume
    grep -q "resumed after step 20 of 40" notes || die "not resumed: $(cat notes)"
    equal "$(wc -l <resumed/metrics.jsonl | tr -d ' ')" 20 "steps of the resumed $run"
    awk -v a="$(field whole/metrics.jsonl 40 loss)" -v b="$(field resumed/metrics.jsonl 40 loss)" \
        'BEGIN { d = a - b; exit !(a > 0 && d < 1e-4 && d > -1e-4) }' || die "$run: the last losses differ"
    [ -s resumed/model.safetensors ] || die "$run wrote no model"
    rm -rf whole whole.* resumed state
done
