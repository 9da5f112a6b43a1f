# finetune --task regression: numbers of sequences and of regions, losses, missing ones, several columns, a column of groups; eval,
# predict and score in the number's unit; what bad input gets.
. "$ROOT/tests/cli/lib.sh"
finetune() { "$GODWIT" finetune -q --from-scratch --size dna-mini --stem letters:4+conv:9x64+pool:4 --length 64 --task regression "$@"; }

# The number of a sequence is 100 and 10 for each of its Gs, and noise; the other column counts its As.
awk "$DRAW"' BEGIN { seed = 9; OFS = "\t"
    for (part = 1; part <= 2; part++) {
        file = part == 1 ? "train.tsv" : "valid.tsv"
        print "element", "sequence", "level", "count" >file
        for (i = 0; i < (part == 1 ? 600 : 120); i++) { s = bases(40); g = gsub("G", "G", s); a = gsub("A", "A", s)
            print "e" int(i / 6), s, 100 + 10 * g + draw(9) - 4, i % 9 == 4 ? "NA" : a >file } } }'
finetune -d train.tsv --valid valid.tsv --label level --epochs 6 --overlaps shared.tsv -o level 2>notes || die "$(cat notes)"
grep -q '"task": "regression"' level/config.json || die "config.json names no task"
equal "$(sed -n 1p shared.tsv)" "row" "--overlaps"
"$GODWIT" eval -m level -d valid.tsv --within element >figures
equal "$(sed -n 1p figures | cut -f1-3,6,9,12-16)" "label	n	pearson	spearman	r2	groups	lone	large	within	within_low" "columns of eval"
awk -F '\t' 'NR == 2 && ($1 != "level" || $2 != 120 || $3 < 0.8 || $4 > $3 || $5 < $3 || $9 < 0.6 || $12 != 20 || $15 < 0.7) { exit 1 }' figures ||
    die "figures: $(cat figures)"
"$GODWIT" eval -m level -d valid.tsv --within element >again
same figures again
# What was measured and predicted, row by row, and its picture in a report.
mkdir results
"$GODWIT" eval -q -m level -d valid.tsv --scatter results/scatter.tsv >results/eval.tsv
equal "$(sed -n 1p results/scatter.tsv) $(wc -l <results/scatter.tsv)" "label	measured	predicted	row 121" "--scatter"
"$GODWIT" report results -o report.html
grep -q '<img alt="scatter.tsv"' report.html || die "the report has no picture"
grep -q 'pearson_low' report.html || die "the report lacks the table of eval"
# Numbers come in their unit, and a prediction is what eval rates.
"$GODWIT" predict -q -m level -d valid.tsv >numbers
equal "$(sed -n 1p numbers)" "row	level" "columns of predict"
awk 'NR > 1 { sum += $2; if ($2 < 80 || $2 > 350) exit 1 } END { if (sum / (NR - 1) < 170 || sum / (NR - 1) > 230) exit 1 }' numbers ||
    die "predictions are not near 200: $(head -3 numbers)"

# classify --labels numbers is the same task, of sequences as of texts (test_classify).
for task in "regression" "regression --labels numbers" "classify --labels numbers"; do
    finetune_short() { "$GODWIT" finetune -q --from-scratch --size dna-mini --length 64 -d train.tsv --label level --steps 2 --baseline none "$@"; }
    finetune_short --task $task -o "same $task" 2>notes || die "$task: $(cat notes)"
    cmp "same regression/model.safetensors" "same $task/model.safetensors" || die "--task $task is not regression"
done
# A pipe is read but once.
mkfifo pipe
cat train.tsv >pipe &
"$GODWIT" finetune -q --from-scratch --size dna-mini --length 64 -d pipe --label level --steps 2 --baseline none --task regression -o piped 2>notes ||
    die "a set through a pipe: $(cat notes)"
cmp "same regression/model.safetensors" piped/model.safetensors || die "a set through a pipe is another one"
fails 2 "--task regression takes only --labels numbers" finetune_short --task regression --labels many -o bad

# A run that goes on, and one with other losses and several columns with missing numbers.
finetune -d train.tsv --label level --epochs 1 --both-strands -o strands 2>notes || die "$(cat notes)"
grep -q '"both_strands": true' strands/config.json || die "config.json does not keep the strands"
for loss in huber poisson gaussian; do
    finetune -d train.tsv --valid valid.tsv --label level --label count --missing --loss $loss --label-weights 1,2 --epochs 2 --baseline none -o $loss 2>notes ||
        die "$loss: $(cat notes)"
    "$GODWIT" eval -m $loss -d valid.tsv --missing >out 2>notes || die "$loss: $(cat notes)"
    equal "$(cut -f1,2 out | tr '\t\n' ' |')" "label n|level 120|count 107|" "$loss: rows of eval"
    grep -q "\"loss\": \"$loss\"" $loss/config.json || die "config.json lacks the loss $loss"
done
# Two sources of one number, each of which has half of the rows: one output, which ranks rows as both columns do.
for part in train valid; do
    awk -F '\t' -v OFS='\t' 'NR == 1 { print "sequence", "first", "second" }
        NR > 1 { print $2, NR % 2 ? $3 : "NA", NR % 2 ? "NA" : 50 + 20 * $3 }' $part.tsv >$part.sources.tsv
done
finetune -d train.sources.tsv --valid valid.sources.tsv --label first --label second --missing --one-number --epochs 6 -o sources 2>notes ||
    die "$(cat notes)"
"$GODWIT" eval -m sources -d valid.sources.tsv --missing 2>notes | awk -F '\t' 'NR > 1 && $3 < 0.7 { exit 1 }' || die "figures of two sources"
"$GODWIT" predict -q -m sources -d valid.tsv | awk -F '\t' 'NR == 2 { a = $2; b = $3 }
    NR > 2 && a != $2 { s = ($3 - b) / ($2 - a); if (s < 10 || s > 40 || (known && (s / known > 1.02 || s / known < 0.98))) exit 1; known = s }' ||
    die "columns are not one number"
finetune_further() { "$GODWIT" finetune -q -m sources --task regression -d train.sources.tsv --missing --epochs 1 -o further "$@" 2>notes; }
finetune_further --label first --label second || die "$(cat notes)"
grep -q '"shared": true' further/config.json || die "a model that goes on has forgotten its one number"
fails 1 "the model has 1 labels of its own" "$GODWIT" finetune -q -m level --task regression -d train.tsv --label level --one-number --epochs 1 -o bad
# Where validation knows no number of a column, it is rated by the others.
awk -F '\t' -v OFS='\t' 'NR == 1 { for (f = 1; f <= NF; f++) if ($f == "count") column = f } NR > 1 { $column = "NA" } { print }' valid.tsv >level_alone.tsv
finetune -d train.tsv --valid level_alone.tsv --label level --label count --missing --epochs 1 --baseline none -o alone 2>notes || die "$(cat notes)"
"$GODWIT" eval -m alone -d level_alone.tsv --missing >out 2>notes || die "$(cat notes)"
equal "$(cut -f1-3 out | sed 1d | sed 's/\t-*[0-9.]*$/ r/' | tr '\t\n' ' |')" "level 120 r|count 0 NA|" "a column without numbers"
grep -q "the column of 'count' has no number" notes || die "$(cat notes)"
awk -F '\t' -v OFS='\t' 'NR == 1 { for (f = 1; f <= NF; f++) if ($f == "level") column = f } NR > 1 { $column = "NA" } { print }' level_alone.tsv >none.tsv
fails 1 "no column that the model knows has a number" "$GODWIT" eval -q -m alone -d none.tsv --missing
"$GODWIT" predict -q -m gaussian -d valid.tsv | awk 'NR > 1 && (NF != 3 || $2 < 0) { exit 1 }' || die "predictions of two numbers"

# Regions of a genome, and what a variant changes.
awk "$DRAW"' BEGIN { seed = 4; print ">c"; contig = bases(1000); print contig
    print "#chrom\tstart\tend\ty\tstrand" >"tiles.tsv"
    for (i = 0; i < 60; i++) { s = substr(contig, 16 * i + 1, 40); print "c\t" 16 * i "\t" 16 * i + 40 "\t" gsub("G", "G", s) "\t+" >"tiles.tsv" }
    print "##fileformat=VCFv4.2\n##contig=<ID=c,length=1000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO" >"in.vcf"
    ref = substr(contig, 500, 1); print "c\t500\t.\t" ref "\t" (ref == "G" ? "A" : "G") "\t.\t.\t." >"in.vcf" }' >g.fa
finetune -d tiles.tsv -f g.fa --epochs 1 -o tiles 2>notes || die "$(cat notes)"
"$GODWIT" score -q -m tiles -f g.fa --raw in.vcf >scored.vcf
grep -q '^##INFO=<ID=GW_DIFF,.*Number of ALT less that of REF, in its unit' scored.vcf || die "header: $(grep GW_DIFF scored.vcf)"
grep -v '^#' scored.vcf | tr ';\t' '\n\n' | awk -F '=' '$1 == "GW_DIFF" { d = $2 } $1 == "GW_PREF" { r = $2 } $1 == "GW_PALT" { a = $2 }
    END { if (d == 0 || (a - r - d) ^ 2 > 1e-8) exit 1 }' || die "GW_DIFF is not GW_PALT - GW_PREF: $(tail -1 scored.vcf)"
grep -q '^##godwit_scoreStrands=forward' scored.vcf || die "the header does not say which strand"
# The reverse strand: REF is what predict says of that window there.
"$GODWIT" score -q -m tiles -f g.fa --raw --strand=- in.vcf >reverse.vcf
printf '#chrom\tstart\tend\tstrand\nc\t480\t520\t-\nc\t480\t520\t+\n' >window.tsv
"$GODWIT" predict -q -m tiles -f g.fa -d window.tsv | sed 1d | awk '{ print $NF }' >expected
for file in reverse.vcf scored.vcf; do grep -v '^#' $file | tr ';\t' '\n\n' | sed -n 's/^GW_PREF=//p'; done >found
paste found expected | awk '{ d = $1 - $2; far += d > 1e-4 || d < -1e-4 } END { exit NR != 2 || far }' || die "REF on either strand: $(paste found expected)"
grep -q '^##godwit_scoreStrands=reverse' reverse.vcf || die "the header does not say reverse"
"$GODWIT" score -q -m strands -f g.fa --strand=+ in.vcf 2>err && die "a model of both strands takes one"
grep -q 'models of numbers that read one strand' err || die "$(cat err)"
# Means of a signal over the regions in the place of columns.
awk 'BEGIN { for (i = 0; i < 1000; i += 8) print "c\t" i "\t" i + 8 "\t" i % 56 / 8 }' >signal.bedgraph
finetune -d tiles.tsv -f g.fa --track signal.bedgraph --epochs 1 -o signal 2>notes || die "$(cat notes)"
"$GODWIT" eval -q -m signal -d tiles.tsv -f g.fa --track signal.bedgraph >out
equal "$(cut -f1,2 out | tr '\t\n' ' |')" "label n|signal 60|" "eval --track"
fails 2 '--track and --label exclude each other' finetune -d tiles.tsv -f g.fa --track signal.bedgraph --label y -o x
fails 1 'log2fc is of probabilities' "$GODWIT" score -q -m tiles -f g.fa --scores log2fc in.vcf

fails 1 "train.tsv:2: label column 'element': " finetune -d train.tsv --label element -o x
fails 1 "train.tsv:6: label column 'count': " finetune -d train.tsv --label count -o x
printf 'sequence,y\nACGTACGT,1\nACGTTTTT,1\n' >constant.csv
fails 1 "constant.csv: all 2 numbers of the column 'y' are 1" finetune -d constant.csv -o x
printf 'sequence,y\nACGTACGT,1\nACGTTTTT,inf\n' >infinite.csv
fails 1 "infinite.csv:3: label column 'y': " finetune -d infinite.csv -o x
printf 'sequence,y\nACGTACGT,1\nACGTTTTT,-2\n' >negative.csv
fails 1 "the column 'y' holds -2: the Poisson loss takes no numbers below 0" finetune -d negative.csv --loss poisson -o x
fails 2 '--huber-delta goes with --loss huber' finetune -d negative.csv --huber-delta 2 -o x
fails 2 "--label-weights '1,2' are not 1 numbers" finetune -d negative.csv --label-weights 1,2 -o x
fails 2 '--metric auroc is not one of --task regression' finetune -d train.tsv --valid valid.tsv --label level --metric auroc -o x
fails 1 'each of the 120 rows is a group of its own' "$GODWIT" eval -q -m level -d valid.tsv --within sequence
fails 1 'no column "gene"' "$GODWIT" eval -q -m level -d valid.tsv --within gene
[ ! -e x ] || die "a run that failed left its folder"
