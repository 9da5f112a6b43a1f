# Texts in tables: finetune --task classify and token, eval and predict of their models, and what is refused.
. "$ROOT/tests/cli/lib.sh"
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"

cat >config.json <<'E'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64, "attention_type": "original_full"}
E
# The class is the colour in the text; the number is how many words it has.
awk "$DRAW"'BEGIN {
    seed = 1; split("the cells divide genes are small words read twice", w, " "); split("red green blue", c, " ")
    print "id\tsentence\tlabel\twords\tlong\tshort"
    for (i = 0; i < 500; i++) {
        n = 2 + draw(8); colour = c[1 + draw(3)]; s = colour
        for (j = 0; j < n; j++) s = s " " w[1 + draw(9)]
        print i "\t" s "\t" colour "\t" n "\t" (n > 5) "\t" (n < 4)
    }
}' >all.tsv
head -401 all.tsv >train.tsv
{ sed -n 1p all.tsv && tail -99 all.tsv; } >test.tsv
finetune() { ${background:+exec} "$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --lr 5e-3 -@ 1 "$@"; }
figure() { awk -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 { print $c }' "$1"; }

# One class of three: learnt, named, and the same in every format.
finetune --task classify -d train.tsv --valid test.tsv -o colours --epochs 6
"$GODWIT" eval -q -m colours -d test.tsv >figures
awk -v found="$(figure figures accuracy)" 'BEGIN { exit !(found > 0.9) }' || die "not learnt: $(cat figures)"
equal "$(figure figures micro-f1)" "$(figure figures accuracy)" "micro F1"
grep -q '"0": "blue"' colours/config.json || die "classes are not in order: $(cat colours/config.json)"
"$GODWIT" predict -q -m colours -d test.tsv >predicted.tsv
equal "$(sed -n 1p predicted.tsv | tr '\t' ' ')" "row prediction blue green red" header
paste predicted.tsv test.tsv | awk -F'\t' -v want="$(figure figures accuracy)" '
    NR > 1 { n++; right += $2 == $8; sum = $3 + $4 + $5; if (sum < 0.9999 || sum > 1.0001) bad++ }
    END { d = right / n - want; exit bad > 0 || d > 1e-5 || d < -1e-5 }' || die "eval and predict disagree"
"$GODWIT" predict -q -m colours -d test.tsv -O jsonl | sed -n 's/.*"prediction":"\([a-z]*\)".*/\1/p' >from_json
cut -f 2 predicted.tsv | tail -n +2 >from_tsv
same from_json from_tsv
"$GODWIT" predict -q -m colours -d test.tsv --submission >submission
equal "$(sed -n '1p;2p' submission | tr '\t\n' '  ')" "index prediction 0 $(sed -n 1p from_tsv) " submission
"$GODWIT" predict -q -m colours -d test.tsv --logits --tokens-per-pass 64 >logits.tsv # an older name of --batch-tokens
paste predicted.tsv logits.tsv | awk -F'\t' '
    NR > 1 { d = log($3 / $4) - ($8 - $9); if (d > 1e-4 || d < -1e-4) bad++ } END { exit bad > 0 }' || die "logits are off"

# All of the validation set is told right, so that it says nothing of a temperature; where labels are wrong it does.
grep -q temperature colours/config.json && die "a temperature without a least loss: $(cat colours/config.json)"
awk -F'\t' -v OFS='\t' 'NR > 1 && NR % 5 == 0 { $3 = $3 == "red" ? "blue" : "red" } { print }' test.tsv >wrong.tsv
"$GODWIT" finetune -q -m colours --task classify -d wrong.tsv --valid wrong.tsv -o unsure --steps 1 --lr 1e-6 -@ 1
temperature=$(sed -n 's/.*"temperature": \([0-9.]*\).*/\1/p' unsure/config.json)
awk -v t="$temperature" 'BEGIN { exit !(t > 1.5) }' || die "temperature '$temperature' of wrong labels"
"$GODWIT" predict -q -m unsure -d test.tsv --logits >logits.tsv
"$GODWIT" predict -q -m unsure -d test.tsv --logits --temperature 1 >raw.tsv
paste logits.tsv raw.tsv | awk -F'\t' -v t="$temperature" '
    NR > 1 { d = $3 * t - $8; if (d > 1e-4 || d < -1e-4 || $2 != $7) bad++ } END { exit bad > 0 }' || die "logits are not divided by $temperature"
"$GODWIT" eval -q -m unsure -d wrong.tsv >divided
"$GODWIT" eval -q -m unsure -d wrong.tsv --temperature 1 >raw
awk -v one="$(figure raw loss)" -v t="$(figure divided loss)" 'BEGIN { exit !(t < one) }' || die "the temperature makes the loss larger"

# The same rows as CSV and JSON give the same bytes.
awk -F'\t' '{ if (NR == 1) print "label,sentence"; else print $3 ",\"" $2 "\"" }' test.tsv >test.csv
awk -F'\t' 'NR > 1 { printf "{\"sentence\": \"%s\", \"label\": \"%s\"}\n", $2, $3 }' test.tsv | gzip >test.jsonl.gz
for table in test.csv test.jsonl.gz; do
    "$GODWIT" eval -q -m colours -d $table >other
    same other figures
done

# Stopped and resumed, the same weights.
finetune --task classify -d train.tsv --valid test.tsv -o whole --epochs 2 --checkpoints c1
start finetune --task classify -d train.tsv --valid test.tsv -o parts --epochs 2 --checkpoints c2 --save-every 5
await [ -e c2/metrics.jsonl ]
kill "$run" 2>/dev/null || true
wait "$run" || true
finetune --task classify -d train.tsv --valid test.tsv -o parts --epochs 2 --checkpoints c2 --save-every 5 --resume
same whole/model.safetensors parts/model.safetensors

# A logistic regression on words stands beside the model, and a model at chance is warned of.
loud() { # OUT OPTIONS...
    out=$1
    shift
    "$GODWIT" finetune --from-scratch -c config.json -t "$vocabulary" --task classify --valid test.tsv -o "$out" --steps 4 --lr 1e-9 "$@" 2>&1
}
loud idle -d train.tsv -@ 1 >idle.log
grep -q '^godwit: words  *0.[0-9]*  *1.0000 ' idle.log || die "no line of words: $(cat idle.log)"
awk -F'\t' -v OFS='\t' 'NR > 1 && NR % 4 == 0 { $3 = "red" } 1' test.tsv >noisy.tsv
loud noisy -d train.tsv --valid noisy.tsv >noisy.log
grep -q '^godwit: words (accuracy +/- 0.0[0-9]*)  *0.[0-9]*  *0.9[0-9]* ' noisy.log || die "no standard error of words: $(cat noisy.log)"
grep -q 'accuracy on the validation set: model 0.[0-9]*, logistic regression on [0-9]* words 1.0000' idle.log || die "nothing beside the model: $(cat idle.log)"
grep -q 'warning: the model is at chance: its validation accuracy of 0.[0-9]* is no better than' idle.log || die "no warning of chance: $(cat idle.log)"
loud idle2 -d train.tsv -@ 2 >/dev/null
words_of() { grep -o '"baseline_[a-z0-9_]*":[0-9.]*' "$1/metrics.jsonl"; }
equal "$(words_of idle2)" "$(words_of idle)" "the baseline of two threads"
equal "$(words_of idle | cut -d: -f1 | head -3 | tr -d '\n')" '"baseline_words""baseline_loss""baseline_accuracy"' "figures of words"
grep -q words colours/metrics.jsonl || die "no baseline by default: $(tail -1 colours/metrics.jsonl)"
loud none -d train.tsv --baseline none >none.log
grep -q 'words' none.log && die "a baseline: $(cat none.log)"
loud several -d train.tsv --labels many --label long --label short --baseline words >several.log
grep -q '^godwit: words  ' several.log || die "no words of many labels: $(cat several.log)"
awk -F'\t' -v OFS='\t' 'NR > 1 { gsub(/ /, "x", $2); $2 = $2 NR } 1' train.tsv >unique.tsv
loud unique -d unique.tsv --baseline words >unique.log
grep -q 'there is no baseline of words' unique.log || die "no word of words: $(cat unique.log)"
fails 2 "--baseline words needs --valid" "$GODWIT" finetune --from-scratch -c config.json --task classify -d train.tsv -o bad --baseline words
fails 2 "--baseline kmer is of windows" finetune --task classify -d train.tsv --valid test.tsv -o bad --baseline kmer
fails 2 "--baseline words is of classes of texts" \
    finetune --task classify -d train.tsv --valid test.tsv -o bad --baseline words --labels numbers --label words

loud learnt -d train.tsv --steps 80 --lr 5e-3 >learnt.log
grep -q 'no better than counting words: counts alone predict this set well' learnt.log || die "no word of the set: $(cat learnt.log)"

# Numbers, many labels by columns and by names, and the encoder left as it is.
finetune --task classify --labels numbers --label words -d train.tsv --valid test.tsv -o words --epochs 8
"$GODWIT" eval -q -m words -d test.tsv --label words >figures
awk -v found="$(figure figures spearman)" 'BEGIN { exit !(found > 0.7) }' || die "numbers: $(cat figures)"
equal "$("$GODWIT" predict -q -m words -d test.tsv | sed -n 1p | tr '\t' ' ')" "row words" "columns of numbers"
fails 1 "--temperature: the model has no labels that have probabilities" "$GODWIT" predict -q -m words -d test.tsv --temperature 2
"$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task regression --text sentence --label words -d train.tsv -o of_texts \
    --steps 3 --baseline none --metric spearman
"$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task classify --labels numbers --text sentence --label words -d train.tsv \
    -o of_numbers --steps 3 --baseline none --metric spearman
cmp of_texts/model.safetensors of_numbers/model.safetensors || die "regression on texts is not classify's of numbers"
"$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task regression --label words -d train.tsv -o of_column --steps 3 \
    --baseline none --metric spearman
cmp of_texts/model.safetensors of_column/model.safetensors || die "a column called sentence is not taken for texts"
grep -q temperature words/config.json && die "numbers have no temperature: $(cat words/config.json)"
awk -F'\t' -v OFS='\t' 'NR > 1 { $4 = 3 } 1' test.tsv >constant.tsv
"$GODWIT" finetune --from-scratch -c config.json -t "$vocabulary" --task classify --labels numbers --label words -d train.tsv \
    --valid constant.tsv -o constant --steps 1 2>constant.log
grep -q 'spearman on the validation set is undefined' constant.log || die "no word of a constant: $(cat constant.log)"
grep -q 00000000 constant.log && die "a figure that means nothing is shown: $(cat constant.log)"
finetune --task classify --labels many --label long --label short -d train.tsv -o many --epochs 1
# The weight of positives is taken off: a model of other weight is the same one, its logits lower by ln w.
cp -r many weighed && sed 's/"positive_weight": 1.0/"positive_weight": 8.0/' many/config.json >weighed/config.json
for m in many weighed; do "$GODWIT" predict -q -m $m -d test.tsv --label long --label short --logits >$m.tsv; done
paste many.tsv weighed.tsv | awk -F'\t' 'NR > 1 { d = $3 - $7 - log(8); if (d > 1e-5 || d < -1e-5) bad++ } END { exit bad > 0 }' ||
    die "the weight of positives: $(paste many.tsv weighed.tsv | head -2)"
"$GODWIT" eval -q -m many -d test.tsv --label long --label short >figures
equal "$(figure figures labels)" 198 "labels of two columns"
awk -F'\t' 'NR > 1 { printf "{\"text\": \"%s\", \"label\": [%s]}\n", $2, $5 ? "\"long\"" : $6 ? "\"short\"" : "" }' train.tsv >many.jsonl
finetune --task classify --labels many -d many.jsonl -o named --epochs 1
"$GODWIT" eval -q -m named -d many.jsonl --label label >figures
grep -q '"problem_type": "multi_label_classification"' named/config.json || grep -q '"1": "short"' named/config.json ||
    die "names of many labels: $(cat named/config.json)"
finetune --task classify -d train.tsv -o one --steps 1 --seed 3 --freeze-encoder --weight-decay 0
finetune --task classify -d train.tsv -o two --steps 4 --seed 3 --freeze-encoder --weight-decay 0.1
finetune --task classify -d train.tsv -o three --steps 4 --seed 3
"$GODWIT" convert -q -m one -o o && "$GODWIT" convert -q -m two -o t && "$GODWIT" convert -q -m three -o h
for m in one two three; do
    printf '>a\nthe cells divide\n' | "$GODWIT" embed -q -m $m -o $m.npy - || die "no hidden states of $m"
done
same one.npy two.npy
cmp -s one.npy three.npy && die "nothing was trained"

# Words of a list.
awk -F'\t' 'NR > 1 { n = split($2, w, " "); t = l = ""
    for (i = 1; i <= n; i++) { t = t (i > 1 ? ", " : "") "\"" w[i] "\""; l = l (i > 1 ? ", " : "") "\"" (w[i] == "cells" || w[i] == "genes" ? "B" : "O") "\"" }
    print "{\"text\": [" t "], \"label\": [" l "]}" }' train.tsv >words.jsonl
finetune --task token -d words.jsonl -o tags --epochs 3
"$GODWIT" eval -q -m tags -d words.jsonl >figures
awk -v found="$(figure figures macro-f1)" 'BEGIN { exit !(found > 0.9) }' || die "words: $(cat figures)"
"$GODWIT" predict -q -m tags -d words.jsonl --words >predicted.tsv
equal "$(sed -n 1p predicted.tsv | tr '\t' ' ')" "row word prediction B O" "header of words"
equal "$(awk '$1 == 1' predicted.tsv | wc -l | tr -d ' ')" "$(sed -n 2p train.tsv | cut -f 2 | wc -w | tr -d ' ')" "words of row 1"

# Pairs, longer than the positions: cut, with a note.
awk -F'\t' 'NR == 1 { print "label\ta\tb" } NR > 1 { s = $2; for (i = 0; i < 5; i++) s = s " " $2; print $3 "\t" s "\t" $2 }' train.tsv >pairs.tsv
"$GODWIT" finetune --from-scratch -c config.json -t "$vocabulary" --task classify --text a --text2 b --max-length 20 -d pairs.tsv \
    -o pairs --steps 1 -@ 1 2>notes
grep -q "400 of 400 texts are cut to 20 tokens" notes || die "no note of the cut: $(cat notes)"
grep -q '"text_length": 20' pairs/config.json || die "the length is not kept: $(cat pairs/config.json)"
rate() { "$GODWIT" eval -m pairs --text a --text2 b -d pairs.tsv "$@" 2>notes; }
rate >kept
grep -q "400 of 400 texts are cut to 20 tokens" notes || die "texts are not cut as in training: $(cat notes)"
rate --max-length 20 >asked
rate --max-length 64 >longer
same asked kept
cmp -s longer kept && die "--max-length is without effect"
fails 1 'texts of 65 tokens: the model has 64 positions' "$GODWIT" predict -q -m pairs --text a --text2 b -d pairs.tsv --max-length 65

# Refused, by file and line.
bad() { # MESSAGE FILE OPTIONS...
    message=$1 file=$2
    shift 2
    fails 1 "$message" "$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task classify -d "$file" -o bad "$@"
}
bad 'train.tsv:1: no column "body"; there are: id, sentence, label, words, long, short' train.tsv --text body
bad 'train.tsv:1: no column "class"' train.tsv --label class
printf 'text\tlabel\nfine\ta\n \tb\n' >empty.tsv
bad 'empty.tsv:3: "text" is empty' empty.tsv
printf 'text\tlabel\nfine\ta\nalso\t\n' >unlabelled.tsv
bad 'unlabelled.tsv:3: the label is empty' unlabelled.tsv
printf 'text\tlabel\nfine\ta\nna\377ve\tb\n' >latin.tsv
bad 'latin.tsv:3: byte 3 of the row is not UTF-8' latin.tsv
printf 'text\tlabel\nfine\ta\n' >single.tsv
bad 'single.tsv has only one class, a' single.tsv
bad 'label "label": ' unlabelled.tsv --labels numbers
printf 'text\tlabel\nfine\t0.5\nalso\tnan\n' >nan.tsv
bad "nan.tsv:3: label \"label\": 'nan' is not a number" nan.tsv --labels numbers
printf 'text\tlabel\nfine\t["a", "b"]\nalso\ta , b\nmore\t\nbroken\t["a", "b"\n' >list.tsv
bad 'list.tsv:5: the label "["a", "b"" begins as JSON and is not a list: ' list.tsv --labels many
printf 'text\tlabel\nfine\t{"a": 1}\n' >object.tsv
bad 'object.tsv:2: the label "{"a": 1}" begins as JSON and is not a list' object.tsv --labels many
printf 'text\tlabel\nfine\t["a", 1]\n' >item.tsv
bad 'item.tsv:2: item 2 of the labels "["a", 1]" is not a text' item.tsv --labels many
sed '$d' list.tsv >lists.tsv
finetune --task classify --labels many -d lists.tsv -o listed --steps 1
grep -A 3 '"id2label"' listed/config.json | tr -d ' \n' | grep -q '"0":"a","1":"b"}' || die "lists: $(cat listed/config.json)"
printf 'text\tlabel\tlabel\nfine\t0\t1\n' >twice.tsv
bad 'twice.tsv: columns 2 and 3 are both called "label"' twice.tsv
bad 'the column of labels "long" is named twice' train.tsv --labels many --label long --label long
printf 'sentence\tlabel\nfine\tred\nfine\tviolet\n' >violet.tsv
fails 1 'violet.tsv:3: the label "violet" is none of the 3 that the model has: blue, green, red' \
    "$GODWIT" eval -q -m colours -d violet.tsv
fails 2 "--metric auroc is not one of --task classify" \
    "$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task classify -d train.tsv -o bad --metric auroc
fails 1 "a fresh encoder of texts needs a tokenizer" \
    "$GODWIT" finetune -q --from-scratch -c config.json --task classify -d train.tsv -o bad
