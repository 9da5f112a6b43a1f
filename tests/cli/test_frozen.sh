# eval --frozen: linear probes over models as they are, beside k-mers, of windows and of texts, of classes and of numbers; what is
# refused.
. "$ROOT/tests/cli/lib.sh"
prepared small

# The label is whether a window has more A than T: k-mers tell it.
awk "$DRAW"'BEGIN { seed = 4; print "sequence\tlabel\tsplit"
    for (i = 0; i < 600; i++) { s = bases(40); t = s; a = gsub(/A/, "", t); b = gsub(/T/, "", t)
        print s "\t" (a > b) "\t" (i < 400 ? "train" : i < 500 ? "valid" : "test") } }' >all.tsv
for split in train valid test; do awk -F'\t' -v s=$split 'NR == 1 || $3 == s { print $1 "\t" $2 }' all.tsv >$split.tsv; done
cell() { awk -F'\t' -v row="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
    $1 == row { print $c }' "$1"; }

"$GODWIT" eval -q -m model -m promoter --frozen train.tsv --valid valid.tsv -d test.tsv -@ 1 >found.tsv
equal "$(cut -f1 found.tsv | tr '\n' ' ')" "predictor model promoter 3-mers " predictors
equal "$(awk -F'\t' 'NR == 2 { print $2, $3, $4, $5, $6 }' found.tsv)" "16 400 100 100 1" "features, rows and labels"
awk -v found="$(cell found.tsv 3-mers AUROC)" 'BEGIN { exit !(found > 0.95) }' || die "k-mers: $(cat found.tsv)"
# A fine-tuned model is read as the encoder it is; the same bytes whatever the threads; files or a split of one file.
"$GODWIT" eval -q -m model -m promoter --frozen train.tsv --valid valid.tsv -d test.tsv -@ 2 >again.tsv
same again.tsv found.tsv
"$GODWIT" eval -q -m model -m promoter --frozen all.tsv -d all.tsv >split.tsv
same split.tsv found.tsv
# Without a validation set each seed draws one; of one seed there is no deviation.
"$GODWIT" eval -q -m model --frozen train.tsv -d test.tsv --seeds 1 >drawn.tsv
equal "$(awk -F'\t' 'NR == 2 { print $4, $9 }' drawn.tsv)" "0 NA" "validation rows and deviation"
"$GODWIT" eval -q -m model --frozen train.tsv -d test.tsv --seeds 1 --seed 2 >other.tsv
! cmp -s drawn.tsv other.tsv || die "another seed leaves out the same rows"
# Both strands; sequences that were seen are left out; windows longer than the positions are read in pieces.
"$GODWIT" eval -q -m model --frozen train.tsv --valid valid.tsv -d test.tsv --both-strands >both.tsv
! cmp -s both.tsv found.tsv || die "both strands are as one"
"$GODWIT" eval -m model --frozen train.tsv --valid valid.tsv -d all.tsv --split all --without train.tsv >seen.tsv 2>note
grep -q '400 examples also occur' note || die "seen: $(cat note)"
equal "$(cell seen.tsv model test)" 200 "rows that were not seen"
awk "$DRAW"'BEGIN { seed = 5; print "sequence\tlabel"; for (i = 0; i < 40; i++) print bases(900) "\t" i % 2 }' >long.tsv
"$GODWIT" eval -q -m model --frozen long.tsv -d long.tsv >long.out
equal "$(cell long.out model features)" 16 "features of long windows"
# Regions of a genome, and two labels, whose metrics are means.
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint -o more tss.bed
awk -F'\t' 'NR == 1 { print $1 "\tone\ttwo"; next } { print $1 "\t" $2 "\t" NR % 2 }' train.tsv >two.tsv
"$GODWIT" eval -q -m model --frozen two.tsv -d two.tsv --split all >two.out
equal "$(cell two.out model labels)" 2 labels
"$GODWIT" eval -q -m model --frozen prof -d prof -f g.fa --split all >regions.out
equal "$(cut -f1 regions.out | sed -n 2p)" model "predictor of regions"
# Numbers of windows, one of them not known: k-mers tell them; the same bytes whatever the threads; a shift of all changes nothing.
awk -F'\t' 'NR == 1 { print $1 "\tup\tdown\t" $3; next } { s = $1; a = gsub(/A/, "", s); t = gsub(/T/, "", s)
    print $1 "\t" (NR == 7 ? "NA" : 5 + a - t) "\t" 100 * t "\t" $3 }' all.tsv >numbers.tsv
numbers() { "$GODWIT" eval -q -m model --frozen numbers.tsv -d numbers.tsv --numbers --label up --label down --missing "$@"; }
numbers -@ 1 >numbers.out
equal "$(head -1 numbers.out | cut -f6-)" "labels	strength	pearson	pearson_sd	spearman	spearman_sd	R2	R2_sd" "columns of numbers"
equal "$(awk -F'\t' 'NR == 2 { print $2, $3, $4, $5, $6 }' numbers.out)" "16 400 100 100 2" "features, rows and labels of numbers"
awk -v r="$(cell numbers.out 3-mers pearson)" -v r2="$(cell numbers.out 3-mers R2)" 'BEGIN { exit !(r > 0.95 && r2 > 0.9 && r2 < r) }' ||
    die "k-mers of numbers: $(cat numbers.out)"
numbers -@ 2 >again.out
same again.out numbers.out
awk -F'\t' 'BEGIN { OFS = "\t" } NR > 1 && $2 != "NA" { $2 += 64 } 1' numbers.tsv >shifted.tsv
"$GODWIT" eval -q -m model --frozen shifted.tsv -d shifted.tsv --numbers --label up --label down --missing >shifted.out
awk -v a="$(cell shifted.out model R2)" -v b="$(cell numbers.out model R2)" 'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }' ||
    die "numbers and 64 more: $(cat shifted.out numbers.out)"
# Of a training set that chooses: the least strength where features tell the number exactly.
equal "$(cell numbers.out 3-mers strength)" 0.0001 "strength"

# Texts: three classes, one of them in each row.
cat >text.json <<'E2'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64, "attention_type": "original_full"}
E2
awk "$DRAW"'BEGIN { seed = 1; split("the cells divide genes are small words read twice", w, " "); split("red green blue", c, " ")
    print "sentence\tlabel"
    for (i = 0; i < 300; i++) { colour = c[1 + draw(3)]; s = colour; for (j = 0; j < 2 + i % 4; j++) s = s " " w[1 + draw(9)]
        print s "\t" colour } }' >texts.tsv
"$GODWIT" finetune -q --from-scratch -c text.json -t "$ROOT/tests/data/tokenizer_json/byte_level.json" --task classify -d texts.tsv \
    -o colours --steps 1 -@ 1
"$GODWIT" eval -q -m colours --frozen texts.tsv -d texts.tsv >texts.out
equal "$(cut -f1 texts.out | tr '\n' ' ')" "predictor colours " "predictors of texts"
equal "$(cell texts.out colours labels)" 3 classes
awk -v found="$(cell texts.out colours accuracy)" 'BEGIN { exit !(found > 0.9) }' || die "classes: $(cat texts.out)"

awk -F'\t' 'NR < 300 { print $1 "\t" (NR == 1 ? "up" : "NA") }' numbers.tsv >none.tsv
# A number of texts: how many words there are.
awk -F'\t' 'NR == 1 { print "sentence\tscore"; next } { print $1 "\t" split($1, w, " ") }' texts.tsv >scores.tsv
"$GODWIT" eval -q -m colours --frozen scores.tsv -d scores.tsv --numbers --label score >scores.out
awk -v r="$(cell scores.out colours pearson)" 'BEGIN { exit !(r > 0.3) }' || die "numbers of texts: $(cat scores.out)"

fails 1 "no row has a number" "$GODWIT" eval -q -m model --frozen none.tsv -d numbers.tsv --split all --numbers --label up --missing
fails 2 "add --numbers" "$GODWIT" eval -m model --frozen train.tsv -d test.tsv --missing
fails 2 "the models read texts" "$GODWIT" eval -m colours --frozen scores.tsv -d scores.tsv --numbers --label score --missing
fails 2 "--valid, --numbers and --seeds go with --frozen" "$GODWIT" eval -m promoter -d set.tsv --seeds 2
fails 2 "--frozen takes --split, --without and strands" "$GODWIT" eval -m model --frozen train.tsv -d test.tsv --curves c.tsv
fails 1 "give models of one kind" "$GODWIT" eval -q -m model -m colours --frozen train.tsv -d test.tsv
fails 1 "the test set has 1 labels, the training set 2" "$GODWIT" eval -q -m model --frozen two.tsv -d test.tsv
