# godwit report: a page of a folder of results that needs nothing else; tables for MultiQC; the curves of eval.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/small.sh"

mkdir -p results/deep
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint --target-from column4 -o many tss.bed
awk "$DRAW"'BEGIN { seed = 7; OFS = "\t"; for (i = 0; i < 80; i++) { p = draw(2900); print "c1", p, p + 20, i % 2 ? "A<b>" : "B" } }' >peaks.bed
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint --target-from column4 -o many peaks.bed
"$GODWIT" finetune -q -m model --task profiles -d many -f g.fa -o results/deep/profiles --epochs 1 -@ 1
"$GODWIT" eval -q -m results/deep/profiles -d many -f g.fa --split all --per-target results/targets.tsv --curves results/curves.tsv >results/eval.tsv

# Curves: from threshold to threshold neither rate falls, the last point is all examples, and the area is eval's AUROC.
equal "$(head -1 results/curves.tsv | tr '\t' ' ')" "target threshold fpr recall precision" "columns"
awk -F'\t' 'FNR == NR { if (FNR > 1) area[$1] = $7; next } FNR == 1 { next }
    $1 != target { if (target != "" && (x != 1 || y != 1)) exit 1; target = $1; x = y = 0; t = 2; targets++ }
    { if ($2 > t || $3 < x || $4 < y || $5 < 0 || $5 > 1) exit 1; sum[$1] += ($3 - x) * ($4 + y) / 2; x = $3; y = $4; t = $2 }
    END { for (n in sum) { d = sum[n] - area[n]; if (d > 1e-3 || d < -1e-3) exit 1 } exit !(targets == 2 && x == 1 && y == 1) }' \
    results/targets.tsv results/curves.tsv || die "the curves do not have eval's areas"
"$GODWIT" eval -q -m results/deep/profiles -d many -f g.fa --split all --curves nowhere/curves.tsv >eval.out 2>err && die "a folder that is not there went unnoticed"
grep -q "cannot create nowhere/curves.tsv" err || die "no reason: $(cat err)"

"$GODWIT" score -q -m results/deep/profiles -f g.fa --window 60 --map results/map.tsv --map results/map.png -o results/scored.vcf.gz in.vcf
"$GODWIT" eval -q -m model -d sh >results/bits.tsv
printf 'a\tb\nscope\t1\n' >results/other.tsv
printf 'not a table\377\n' >results/notes.txt
"$GODWIT" report results --title 'a <b> & c' --multiqc results -o report.html
grep -q '^<!DOCTYPE html>' report.html || die "no page"
grep -q '</html>$' report.html || die "no whole page"
# Everything is inside, and names from files are text.
! grep -oE '(src|href)="[^#d][^"]{0,40}|@import|url\(' report.html || die "the page needs something from elsewhere"
grep -q '<h1>a &lt;b&gt; &amp; c</h1>' report.html || die "the title is not text"
grep -q '<td>A&lt;b&gt;' report.html || die "a target's name is not text"
! grep -q 'A<b>' report.html || die "a target's name is not text everywhere"
for title in "What was run" Models Evaluations Curves Variants Maps Pictures; do
    grep -q ">$title</h2>" report.html || die "no section $title"
done
for name in eval.tsv targets.tsv curves.tsv scored.vcf.gz map.tsv map.png bits.tsv deep/profiles/config.json deep/profiles/loss.png; do
    grep -q "<h3>$name</h3>" report.html || die "no $name"
done
! grep -q 'other.tsv\|notes.txt' report.html || die "took a file that is none of ours"
grep -q "<code>godwit finetune -q -m model --task profiles" report.html || die "the training command is missing"
grep -q "<code>godwit score -q -m results/deep/profiles" report.html || die "the scoring command is missing"
grep -q "30 records, 30 scored alleles; by GW_STATUS: PASS 30" report.html || die "the counts of the VCF"

# The variant at the top has the largest score of the file.
largest=$(gzip -dc results/scored.vcf.gz | grep -v '^#' | awk '{ v = $8; sub(/.*GW_DIFF=/, "", v); sub(/;.*/, "", v); v += 0; a = v < 0 ? -v : v
    if (a > most) { most = a; at = $1 ":" $2; allele = $4 "&gt;" $5 } } END { print at "<td><td>" allele "<td>" }')
grep -A1 '<th scope="col">GW_DIFF' report.html | grep -qF "<tr><td>$largest" || die "the largest score is not first: $largest"

# Pictures are inside as they are.
sed -n '/<h3>map.png/,/img/p' report.html | sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' | base64 -d >inside.png
same inside.png results/map.png

# MultiQC's tables: comment lines, then a row a sample; a second report passes over them.
equal "$(grep -v '^#' results/godwit_labels_mqc.tsv | head -2 | cut -f1,2 | tr '\t\n' ' ,')" "Sample targets,eval.tsv mean 2," "MultiQC's labels"
equal "$(grep -v '^#' results/godwit_variants_mqc.tsv | tail -1 | tr '\t' ' ')" "scored.vcf.gz 30 30" "MultiQC's variants"
equal "$(grep -v '^#' results/godwit_bases_mqc.tsv | cut -f1 | tr '\n' ,)" "Sample,bits.tsv model," "MultiQC's bits"
"$GODWIT" report results --title 'a <b> & c' -o again.html
same report.html again.html

mkdir empty
fails 1 "empty holds no models" "$GODWIT" report empty -o none.html
fails 1 "cannot read the folder nothing" "$GODWIT" report nothing -o none.html
fails 2 "input file is missing" "$GODWIT" report
cp -r results damaged
printf 'contig\tposition\tref\tA\tC\tG\tT\nc1\tx\tA\t.\t1\t1\t1\n' >damaged/map.tsv
fails 1 "damaged/map.tsv:2: " "$GODWIT" report damaged -o none.html
rm damaged/map.tsv && head -c 300 results/scored.vcf.gz >damaged/scored.vcf.gz
fails 1 "scored.vcf.gz is truncated" "$GODWIT" report damaged -o none.html
[ ! -e none.html ] || die "a failure left a page"
