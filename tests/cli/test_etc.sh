# Models with global tokens: pretrained on documents whose sentences have one each, with and without predicted sentences, on
# texts and genomes; profiles and promoters fine-tune from them.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
make_shards
train() {
    "$GODWIT" pretrain -q -c config.json -p etc:9+hard+distance:4 --batch-tokens 768 --lr 5e-3 --dropout 0 --seed 3 "$@"
}
"$GODWIT" corpus -q -f genome.fa -n 3 --sentences 7-9 --sentence-length 8-11 --max-offset 200 -o short.txt
"$GODWIT" encode -q -m letters.json -o short short.txt

# Sentences are the structure: other sentences of the same text are other segments.
train -d train -o plain --steps 20
awk 'NF { print substr($0, 1, 30); print substr($0, 31) } !NF' train.txt >halves.txt
"$GODWIT" encode -q -m letters.json -o halves halves.txt
train -d halves -o halved --steps 20
cmp -s plain/model.safetensors halved/model.safetensors && die "sentences change nothing"
less "$(field plain/metrics.jsonl 20 mlm_loss)" "$(field plain/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
grep -q contrast plain/metrics.jsonl && die "sentences are predicted though nobody asked for it"
"$GODWIT" eval -q -m plain -d test >table
awk -F '\t' '$1 == "model" && $6 < 2.4 { found = 1 } END { exit !found }' table || die "$(cat table)"

# Predicted sentences, beside next ones; the same bits on one thread, and where the run was stopped.
train -d short --valid short -o model --steps 30 --contrast 0.2 --save-every 15
less "$(field model/metrics.jsonl 30 contrast_loss)" "$(field model/metrics.jsonl 1 contrast_loss)" ||
    die "sentences are not predicted better"
field model/metrics.jsonl 30 valid_contrast_accuracy | grep -q '[0-9]' || die "no figure of validation"
train -d short --valid short -o again --steps 30 --contrast 0.2 --save-every 15 -@ 1 --recompute
same model/model.safetensors again/model.safetensors
fails 1 "made by a run with other settings: --contrast 0.2 (now 0.3)" train -d short --valid short -o model --steps 30 --contrast 0.3 --save-every 15 --resume

# What has no sentences to predict.
"$GODWIT" corpus -q -f test.fa -n 1 --max-offset 0 --sentences 3-6 --sentence-length 60-90 -o few.txt
"$GODWIT" encode -q -m letters.json -o few few.txt
fails 1 "no document has 7 sentences or more" train -d few -o bad --steps 1 --contrast 0.2
fails 2 "--contrast goes with token shards" train -f genome.fa -o bad --steps 1 --contrast 0.2
fails 1 "the model has no global tokens" "$GODWIT" pretrain -q -c config.json -d short -o bad --steps 1 --contrast 0.2

# Promoters and profiles.
awk 'BEGIN { for (i = 0; i < 40; i++) printf "one\t%d\t%d\tt%d\t0\t%s\n", 300 * i + 40, 300 * i + 41, i % 2, i % 3 ? "+" : "-" }' >tss.bed
"$GODWIT" promoters -q -f genome.fa tss.bed --upstream 40 --downstream 20 -o set.tsv
"$GODWIT" finetune -q -m model --task promoter -d set.tsv -o promoter --steps 4 --batch 8
"$GODWIT" predict -q -m promoter -d set.tsv | awk 'NR > 1 && ($NF < 0 || $NF > 1) { exit 1 }' || die "no probabilities"
"$GODWIT" profiles -q -f genome.fa --bin 20 --window 60 --label midpoint --target-from column4 -o prof tss.bed
"$GODWIT" finetune -q -m model --task profiles -d prof -f genome.fa -o profile --steps 4 --batch 8
"$GODWIT" eval -q -m profile -f genome.fa -d prof --split train >/dev/null
grep -qF '"pattern": "etc:9+distance:4+hard"' profile/config.json || die "$(grep pattern profile/config.json)"
