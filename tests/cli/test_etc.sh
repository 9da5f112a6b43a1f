# Models with global tokens: pretrained on documents whose sentences have one each, with and without predicted sentences, on
# texts and genomes; profiles and promoters fine-tune from them.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
prepared shards
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

# Layers that global tokens have of their own, with the same bits again, and lifted from a BERT.
apart() { train -d short --steps 12 --contrast 0.2 -p etc:9+hard+distance:4+two-outputs+two-feed-forwards "$@"; }
apart -o apart
apart -o apart_again -@ 1 --recompute
same apart/model.safetensors apart_again/model.safetensors
grep -aq 'encoder.layer.1.beside.output.dense.weight' apart/model.safetensors || die "no layers of their own are stored"
less "$(field apart/metrics.jsonl 12 mlm_loss)" "$(field apart/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
"$GODWIT" eval -q -m apart -d test >/dev/null
fails 2 "expected one of ETC" "$GODWIT" convert -q -m apart -o bad --to etc -p itc
fails 2 "--pattern goes with --to etc" "$GODWIT" convert -q -m apart -o bad --to big_bird -p etc

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

# Questions: sentences, paragraphs and candidates have global tokens, as many as a preset says, unless a pattern does.
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"
mkdir -p questions
awk -v from=7 "$DRAW"'BEGIN {
    seed = from; split("red green blue", c, " ")
    for (i = 0; i < 120; i++) {
        k = 1 + draw(3)
        printf "%s{\"_id\": \"q%d\", \"question\": \"which colour?\", \"answer\": \"%s\", \"supporting_facts\": [[\"B\", 0]], \"context\": [[\"A\", [\"cells. \", \"genes. \"]], [\"B\", [\"it is %s. \"]]]}", i ? ",\n" : "[", i, c[k], c[k]
    }
    print "]" }' >questions/hotpotqa.json
awk -v from=9 "$DRAW"'BEGIN {
    seed = from; split("red green blue", c, " ")
    for (i = 0; i < 120; i++) {
        k = 1 + draw(3)
        printf "%s{\"id\": \"q%d\", \"query\": \"which_colour\", \"answer\": \"%s\", \"candidates\": [\"red\", \"green\", \"blue\"], \"supports\": [\"cells. genes.\", \"it is %s.\"]}", i ? ",\n" : "[", i, c[k], c[k]
    }
    print "]" }' >questions/wikihop.json
answer() {
    "$GODWIT" finetune -q --from-scratch -c "${config:-config.json}" -t "$vocabulary" --task qa --lr 2e-3 --dropout 0 --batch 16 -@ 1 "$@"
}
pattern() { sed -n 's/.*"pattern": "\([^"]*\)".*/\1/p' "$1/config.json"; }
answer -p etc:9+hard+distance:4 -d questions/hotpotqa.json --valid questions/hotpotqa.json -o hotpotqa --epochs 20 --patience 0
answer -p etc:40+distance:4 -d questions/wikihop.json --valid questions/wikihop.json -o wikihop --epochs 20 --patience 0
equal "$(pattern hotpotqa)" etc:9+distance:4+hard "the pattern that was given"
"$GODWIT" eval -q -m hotpotqa -d questions/hotpotqa.json >figures
awk '$1 == "sp_f1" && $2 > 0.9 { found = 1 } END { exit !found }' figures || die "supporting facts: $(cat figures)"
"$GODWIT" eval -q -m wikihop -d questions/wikihop.json >figures
awk '$1 == "accuracy" && $2 > 60 { found = 1 } END { exit !found }' figures || die "candidates: $(cat figures)"
"$GODWIT" predict -q -m wikihop -d questions/wikihop.json --predictions a.json -o a
"$GODWIT" predict -q -m wikihop -d questions/wikihop.json --predictions b.json -o b -@ 1
same a.json b.json
"$GODWIT" finetune -q -m hotpotqa --task qa -d questions/hotpotqa.json --preset hotpotqa --max-length 96 --steps 1 -o preset
equal "$(pattern preset)" etc:9+globals:256+distance:4+hard "the global tokens of the preset"
grep -q '"rate":5e-5,' preset/metrics.jsonl || die "the rate of the preset: $(cat preset/metrics.jsonl)"

# WikiHop's large model is trained by LAMB.
sed 's/"hidden_size": 32, "num_hidden_layers": 2/"hidden_size": 1024, "num_hidden_layers": 1/' config.json >wide.json
config=wide.json
answer -p etc:9+distance:4 -d questions/wikihop.json -o wide --steps 1
config=
large() {
    "$GODWIT" finetune -q -m wide --task qa -d questions/wikihop.json --preset wikihop --max-length 96 --batch 8 --steps 1 -@ 1 "$@"
}
large -o large
large --optimiser lamb -o large.lamb
large --optimiser adam -o large.adam
same large/model.safetensors large.lamb/model.safetensors
cmp -s large/model.safetensors large.adam/model.safetensors && die "LAMB is Adam"

# Texts.
awk 'BEGIN { print "text\tlabel"; for (i = 0; i < 60; i++) print (i % 2 ? "cells divide. they are red." : "genes read. they are blue.") "\t" (i % 2 ? "red" : "blue") }' >texts.tsv
"$GODWIT" finetune -q --from-scratch -c config.json -p etc:9+hard -t "$vocabulary" --task classify --text text --label label \
    -d texts.tsv --valid texts.tsv -o texts --epochs 12 --patience 0 --lr 4e-3 --dropout 0 --batch 16 2>/dev/null
"$GODWIT" eval -q -m texts -d texts.tsv --text text --label label >figures
awk -F '\t' 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == "accuracy") column = c } END { exit !(column && $column == 1) }' figures || die "texts: $(cat figures)"

# The graph of a structure: rows, reasons, measures and a picture.
echo '{"tokens": 6, "globals": [{"name": "all"}, {"name": "first", "begin": 0, "end": 2}], "parts": [3]}' >structure.json
"$GODWIT" graph -p etc:1+hard+own --structure structure.json --edges -o structure.svg >rows
tr '\t' '|' <rows >found
cat >expected <<'END'
kind|number|name|globals_read|tokens_read|why
global|0|all|0-1|0-5|every global token; of no segment: every token
global|1|first|0-1|0-1|every global token; hard: its segment
token|0|part 1|0-1|0-1|own: global tokens of its segments and of none; at most 1 tokens away in its part
token|1|part 1|0-1|0-2|own: global tokens of its segments and of none; at most 1 tokens away in its part
token|2|part 1|0|1-2|own: global tokens of its segments and of none; at most 1 tokens away in its part
token|3|part 2|0|3-4|own: global tokens of its segments and of none; at most 1 tokens away in its part
token|4|part 2|0|3-5|own: global tokens of its segments and of none; at most 1 tokens away in its part
token|5|part 2|0|4-5|own: global tokens of its segments and of none; at most 1 tokens away in its part
END
same found expected
inside structure.svg
"$GODWIT" graph -p etc:1 --structure structure.json >measures
grep -q "^token_pairs	42$" measures || die "pairs: $(cat measures)"
"$GODWIT" graph -p etc:1+hard --structure structure.json --edges | grep -q "	every global token; at most 1 tokens away in its part$" || die "no reason"
fails 2 "--structure is for patterns with global tokens" "$GODWIT" graph -p itc --structure structure.json
echo '{"tokens": 6, "globals": [{"begin": 4, "end": 4}]}' >wrong.json
fails 1 'wrong.json: "globals", entry 1: "begin" and "end" are not a run of tokens' "$GODWIT" graph -p etc --structure wrong.json
echo '{"tokens": 6, "globals": [{"begin": 4, "end": 7}]}' >wrong.json
fails 1 'wrong.json' "$GODWIT" graph -p etc --structure wrong.json
echo '{"tokens": 6, "parts": [3, 3]}' >wrong.json
fails 1 'wrong.json: "parts", entry 2: expected a token between 3 and 5' "$GODWIT" graph -p etc --structure wrong.json
