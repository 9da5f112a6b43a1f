# A model of labels of windows: two targets in windows of 60 bp, over one contig of 2,000.
# g.fa  peaks.bed  config.json  set.*  model
. "$ROOT/tests/cli/lib.sh"
genome 1 40 >g.fa
awk "$DRAW"'BEGIN { seed = 3; OFS = "\t"; for (i = 0; i < 60; i++) { p = draw(1900);
    print "c1", p, p + 20, i % 2 ? "A" : "B" } }' >peaks.bed
cat >config.json <<'E2'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full"}
E2
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint --target-from column4 -o set peaks.bed
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d set -f g.fa -o model --epochs 2 --lr 1e-2 --batch 8 -@ 1
