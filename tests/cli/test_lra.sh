# godwit lra: tables of each task, the same for a seed, which finetune trains on; splits of texts and halves; and what bad input gets.
. "$ROOT/tests/cli/lib.sh"
lra() { "$GODWIT" lra -q "$@"; }
rows() { gzip -dc "$1" | tail -n +2; }

for task in listops image pathfinder; do
    lra $task -o $task --train 12 --valid 4 --test 3
    equal "$(rows $task/train.tsv.gz | wc -l) $(rows $task/valid.tsv.gz | wc -l) $(rows $task/test.tsv.gz | wc -l)" "12 4 3" $task
    lra $task -o again --train 4 --valid 4 --test 4
    equal "$(rows again/train.tsv.gz)" "$(rows $task/train.tsv.gz | head -n 4)" "$task of one seed"
    lra $task -o again --train 4 --valid 4 --test 4 --seed 2
    [ "$(rows again/train.tsv.gz)" != "$(rows $task/train.tsv.gz | head -n 4)" ] || die "$task: seeds give the same"
    [ "$(rows $task/valid.tsv.gz | head -n 3)" != "$(rows $task/test.tsv.gz)" ] || die "$task: splits are the same"
done
equal "$(rows pathfinder/train.tsv.gz | awk '{ print NF }' | sort -u)" 1025 "pixels and a class"
lra pathfinder -o short --train 12 --valid 4 --test 3 --dashes 6
paint() { rows "$1/train.tsv.gz" | awk '{ for (i = 1; i < NF; i++) sum += $i } END { print sum }'; }
[ "$(paint short)" -lt $(($(paint pathfinder) * 3 / 4)) ] || die "paths of fewer dashes"

# Texts: splits share none, whatever columns are called.
awk 'BEGIN { print "review,stars"; for (i = 0; i < 40; i++) printf "text%02d is \"good\" or bad,%d\n", i, i % 2 }' >texts.csv
lra text -d texts.csv --text review --label stars -o text
equal "$(for s in train valid test; do rows text/$s.tsv.gz; done | sort)" "$(tail -n +2 texts.csv | sed 's/,\([01]\)$/	\1/' | sort)" "every text once"
equal "$(rows text/valid.tsv.gz | wc -l) $(rows text/test.tsv.gz | wc -l)" "4 4"
lra text -d texts.csv --text review --label stars --test-data texts.csv -o text
equal "$(rows text/train.tsv.gz | wc -l) $(rows text/test.tsv.gz | wc -l)" "36 40" "a table for testing"

# Pairs: halves of one text where the label says so, and of two where not.
lra retrieval -d texts.csv --text review -o pairs
gzip -dc pairs/train.tsv.gz | head -n 1 | grep -qx 'text	text2	label' || die "header of pairs"
awk 'BEGIN { print "review"; for (i = 0; i < 200; i++) printf "%03d is the number %03d\n", i, i }' >numbered.csv
lra retrieval -d numbered.csv --text review -o pairs
rows pairs/train.tsv.gz | awk -F'\t' '{ same = substr($1, 1, 3) == substr($2, length($2) - 2); if (same != $3) exit 1; n += $3 }
    END { exit n < 50 || n > 110 }' || die "halves and labels"

# A step of each, and the model's head and pooling in its folder.
lra listops -o listops --train 100 --valid 4 --test 4
"$GODWIT" finetune -q --from-scratch -c listops/config.json -t listops/tokenizer.json --task classify -d listops/train.tsv.gz \
    --valid listops/valid.tsv.gz -p performer:16 --steps 2 --batch 4 --baseline none -o model 2>/dev/null
grep -q '"classifier_activation": "relu"' model/config.json || die "the head's activation"
grep -q '"pooling": "mean"' model/config.json || die "the pooling"
"$GODWIT" eval -q -m model -d listops/test.tsv.gz >rated 2>/dev/null
# Blocks of a window: what a saved model reads is what was trained.
"$GODWIT" finetune -q --from-scratch -c listops/config.json -t listops/tokenizer.json --task classify -d listops/train.tsv.gz \
    -p window:3+global:1+random:1 --steps 2 --batch 4 --baseline none -o blocks 2>/dev/null
grep -q '"pattern": "window:3+global:1+random:1' blocks/config.json || die "the pattern is not kept: $(cat blocks/config.json)"
grep -q '"model_type": "godwit"' blocks/config.json || die "blocks without a layout pass for GENA-LM's"
"$GODWIT" eval -q -m blocks -d listops/test.tsv.gz >rated 2>/dev/null || die "blocks are not read again"
"$GODWIT" finetune -q --from-scratch -c text/config.json -t text/tokenizer.json --task classify -d text/train.tsv.gz \
    --valid text/valid.tsv.gz -p linear --steps 2 --batch 4 --baseline none -o bytes 2>/dev/null

# Pairs, each read by itself: the other order is another input, and a text's other half is that of its number.
match() { "$GODWIT" "$@" 2>/dev/null; }
match finetune -q --from-scratch -c pairs/config.json -t pairs/tokenizer.json --task match -d pairs/train.tsv.gz \
    --valid pairs/valid.tsv.gz -p linear --steps 3 --batch 4 --baseline none -@ 1 -o towers
grep -q '"BertForTextMatching"' towers/config.json || die "the head is not kept"
grep -q '"task": "match"' towers/config.json || die "the task is not kept"
match eval -q -m towers -d pairs/test.tsv.gz | grep -q accuracy || die "pairs are not rated"
match predict -q -m towers -d pairs/test.tsv.gz -o one.tsv
gzip -dc pairs/test.tsv.gz | head -n 3 >two.tsv
match predict -q -m towers -d two.tsv -o few.tsv
equal "$(cat few.tsv)" "$(head -n 3 one.tsv)" "pairs alone"
fails 1 'no column "text2"' "$GODWIT" predict -q -m towers -d text/test.tsv.gz
fails 2 'two columns' "$GODWIT" finetune -q --from-scratch -c pairs/config.json -t pairs/tokenizer.json --task match \
    -d pairs/train.tsv.gz --choices text2 -o x

fails 2 '"chess" is none of the tasks listops|text|' "$GODWIT" lra chess -o x
fails 2 'text is made from texts: name tables of texts with -d' "$GODWIT" lra text -o x
fails 2 '-d and --test-data are for text and retrieval; the examples of listops are generated' "$GODWIT" lra listops -d texts.csv -o x
fails 2 '--cifar is for image, not for listops' "$GODWIT" lra listops --cifar . -o x
fails 2 '--dashes is for pathfinder, not for image' "$GODWIT" lra image --dashes 6 -o x
fails 1 'data_batch_1.bin' "$GODWIT" lra -q image --cifar . -o x
fails 1 'texts.csv:1: no column "text|sentence"' "$GODWIT" lra -q text -d texts.csv -o x
fails 1 '99 examples to train: the tables have only 32 of them' "$GODWIT" lra -q text -d texts.csv --text review --label stars --train 99 -o x
printf 'text\tlabel\none\t1\n\t0\n' >empty.tsv
fails 1 'empty.tsv:3: the text is empty' "$GODWIT" lra -q text -d empty.tsv -o x
printf 'text\tlabel\none\t1\n' >few.tsv
fails 1 'few.tsv: 1 texts, expected 10 or more' "$GODWIT" lra -q text -d few.tsv -o x
[ ! -e x ] || die "a failure left its folder"
