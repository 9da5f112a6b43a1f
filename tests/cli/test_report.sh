# godwit report: a page of a folder of results that needs nothing else; tables for MultiQC; the curves of eval.
. "$ROOT/tests/cli/lib.sh"
prepared small

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

printf 'c1\tx\tgene\t901\t1005\t.\t+\t.\tID=left&right\nc1\tx\tgene\t1004\t1400\t.\t-\t.\tID=other\n' >'my genes.gff3'
"$GODWIT" mutate -q -f g.fa -r c1:1501-1540 | "$GODWIT" background -q -m results/deep/profiles -f g.fa --window 60 -o many.tsv -
"$GODWIT" score -q -m results/deep/profiles -f g.fa --window 60 --map results/map.tsv --map results/map.png --map results/map.svg \
    --genes 'my genes.gff3' --background many.tsv -o results/scored.vcf.gz in.vcf
"$GODWIT" graph -q -n 256 -o results/graph.png >results/graph.txt
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
for title in Summary "What was run" Models Evaluations Curves Variants Maps Pictures; do
    grep -q ">$title</h2>" report.html || die "no section $title"
done
for name in eval.tsv targets.tsv curves.tsv scored.vcf.gz map.tsv graph.png bits.tsv deep/profiles/config.json deep/profiles/loss.png; do
    grep -q "<h3>$name</h3>" report.html || die "no $name"
done
! grep -q 'other.tsv\|notes.txt' report.html || die "took a file that is none of ours"
grep -q "<code>godwit finetune -q -m model --task profiles" report.html || die "the training command is missing"
grep -q "<code>godwit score -q -m results/deep/profiles" report.html || die "the scoring command is missing"
grep -q "<code>godwit score .* --genes 'my genes.gff3' --background" report.html || die "the command is not quoted as a shell takes it"
# The page begins with words; commands are folded, behind all else.
sed -n '/>Summary<\/h2>/,/<h2 id/p' report.html >summary
grep -q "<p>This folder holds 1 model, 4 tables of evaluations, 1 file of scored variants, 1 map of single-base changes, 2 pictures.</p>" summary || die "the summary: $(cat summary)"
grep -q "<li>scored.vcf.gz: 30 of 30 alleles have a score. The score furthest from zero is [-0-9.e]*, of c1:" summary || die "the summary: $(cat summary)"
equal "$(grep -c '^<details><summary>' report.html)" "$(grep -o '<code>' report.html | grep -c .)" "folded commands"
equal "$(grep -o '>[^<]*</h2>' report.html | sed -n '1p;$p' | tr -d '\n')" ">Summary</h2>>What was run</h2>" "first and last section"

sizes=$(gzip -dc results/scored.vcf.gz | grep -v '^#' | tr ';\t' '\n\n' | sed -n 's/^GW_PCT=//p' | sort -gr | head -n 1)
higher=$(awk -v p="$sizes" 'BEGIN { if (p < 100) printf "%.4g %%", p; else printf "all" }')
grep -q ": larger in size than $higher of the background of 120 alleles\.$" summary || die "where the first variant lies: $(cat summary)"
grep -q '<p>The background is 120 alleles. Of the sizes of their scores 50 % lie below' report.html || die "no word of the background"

# A map is shown once, whatever files it was written to.
equal "$(grep -c '<h3>map\.' report.html)" 1 "headings of one map"
grep -q "<p>Also as map.png, map.svg</p>" report.html || die "the map's pictures are not named"
grep -q "30 records, 30 scored alleles; by GW_STATUS: PASS 30" report.html || die "the counts of the VCF"

# The variant at the top has the largest score of the file, and stands there with its e-value and genes.
largest=$(gzip -dc results/scored.vcf.gz | grep -v '^#' | awk '
    function value(key, v) { v = ";" $8 ";"; if (!sub(".*;" key "=", "", v)) return ""; sub(/;.*/, "", v); return v }
    { v = value("GW_DIFF") + 0; a = v < 0 ? -v : v; if (a <= most) next
      most = a; genes = value("GW_GENE"); gsub("&", ", ", genes); gsub("%26", "\\&amp;", genes); if (genes == ".") genes = ""
      row = $1 ":" $2 "<td><td>" $4 "&gt;" $5 "<td>" sprintf("%.6g", v) "<td>" value("GW_EVALUE") "<td>" value("GW_Z") "<td>" value("GW_PCT") "<td>"
      profile = value("GW_TOP"); gsub("%3C", "\\&lt;", profile); gsub("%3E", "\\&gt;", profile); row = row profile "<td>" genes }
    END { print row }')
grep -A1 '>GW_DIFF<' report.html | grep -qF "<tr><td>$largest" || die "the largest score is not first, or lacks its e-value or genes: $largest"
grep -q 'title="Share of the background[^"]*">e-value<' report.html || die "no column of e-values"
grep -qF '<td>left&amp;right, other' report.html || die "no genes"

# Counts of few alleles are plain: the scale begins at 0. Another tag is read too.
picture() { sed -n "/<h3>$1/,/img/p" report.html | sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' | tail -n 1 | base64 -d; }
picture scored.vcf.gz >distribution.svg
inside distribution.svg
[ "$(ticks distribution.svg 96 300 300)" = 1 ] || die "no tick at 0"
mkdir tagged
gzip -dc results/scored.vcf.gz | sed 's/GW_/MY_/g; s/scoreTag=GW/scoreTag=MY/' >tagged/scored.vcf
"$GODWIT" report tagged -o tagged.html
grep -q '>MY_DIFF<' tagged.html || die "scores of another tag are missing"

# Curves of a run are over epochs, with the weights that were kept marked.
mkdir curves
cp results/deep/profiles/config.json results/deep/profiles/loss.png curves
for epoch in 1 2 3; do
    printf '{"epoch":%s.0,"total_tokens":%s000,"train_loss":0.%s,"valid_loss":0.5%s}\n' $epoch $epoch $epoch "$([ $epoch != 2 ] || echo ',"kept":true')"
done >curves/metrics.jsonl
"$GODWIT" report curves -o curves.html
sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' curves.html | base64 -d >loss.svg
for words in epochs "kept: epoch 2"; do
    grep -qx "$words" loss.svg || die "the curves do not say '$words': $(sed -n '/<desc>/,$p' loss.svg)"
done

# Pictures are inside as they are.
picture graph.png >inside.png
same inside.png results/graph.png

# Positions of nine digits: nothing of a map is cut off.
mv report.html whole.html
mkdir far
printf 'contig\tposition\tref\tA\tC\tG\tT\nchr1\t210000000\tA\t.\t1\t1\t-1\nchr1\t210000001\tC\t1\t.\t1\t-1\n' >far/map.tsv
"$GODWIT" report far -o report.html
picture map.tsv >far.svg
inside far.svg

# Style and script are allowed by their digests alone.
digest() { printf %b "$(sha256sum | cut -c1-64 | sed 's/../& /g' | awk '{ split("0123456789abcdef", d, ""); for (i = 1; i <= 16; i++) v[d[i]] = i - 1
    for (i = 1; i <= NF; i++) printf "\\0%03o", v[substr($i, 1, 1)] * 16 + v[substr($i, 2)] }')" | base64; }
for part in style script; do
    found=$(tr '\n' ' ' <report.html | sed "s/.*<$part>\(.*\)<\/$part>.*/\1/" | tr -d '\n' | digest)
    grep -q "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'" report.html || die "no policy"
    grep -qF "$part-src 'sha256-$found'" report.html || die "the policy does not know the page's $part: $found"
done

mv whole.html report.html
# MultiQC's tables: comment lines, then a row a sample; a second report passes over them.
equal "$(grep -v '^#' results/godwit_labels_mqc.tsv | head -2 | cut -f1,2 | tr '\t\n' ' ,')" "Sample targets,eval.tsv mean 2," "MultiQC's labels"
equal "$(grep -v '^#' results/godwit_variants_mqc.tsv | tail -1 | tr '\t' ' ')" "scored.vcf.gz 30 30" "MultiQC's variants"
equal "$(grep -v '^#' results/godwit_bases_mqc.tsv | cut -f1 | tr '\n' ,)" "Sample,bits.tsv model," "MultiQC's bits"
equal "$(sed -n '/^# headers/,/^Sample/p' results/godwit_bases_mqc.tsv | head -3 | tr -d '# \n')" 'headers:bits_per_base:format:"{:,.3f}"' "three decimals"
"$GODWIT" report results --title 'a <b> & c' -o again.html
same report.html again.html

mkdir empty
fails 1 "empty holds no models" "$GODWIT" report empty -o none.html
fails 1 "cannot read the folder nothing" "$GODWIT" report nothing -o none.html
fails 2 "input file is missing" "$GODWIT" report

# What is damaged is left out and named, and the rest is shown; names that are not UTF-8 or hold a line end are mended.
cp -r results damaged
printf 'contig\tposition\tref\tA\tC\tG\tT\nc1\tx\tA\t.\t1\t1\t1\n' >damaged/map.tsv
rm damaged/*.txt
head -c 300 results/scored.vcf.gz >damaged/cut.vcf.gz
sed '2s/.*/{/' results/deep/profiles/config.json >damaged/deep/config.json
mv damaged/eval.tsv "$(printf 'damaged/caf\351\n.tsv')"
got=0
"$GODWIT" report damaged --title "$(printf 'na\357ve')" --multiqc damaged -o rest.html 2>err || got=$?
equal $got 1 "exit status"
for text in "damaged/map.tsv:2: " "cut.vcf.gz is truncated" "deep/config.json" "3 items in damaged cannot be read"; do
    grep -q "$text" err || die "stderr lacks '$text': $(cat err)"
done
sed -n '/>Left out<\/h2>/,/<h2 id/p' rest.html >named
for text in "<h3>map.tsv</h3>" "<h3>cut.vcf.gz</h3>" "damaged/map.tsv:2: " "cut.vcf.gz is truncated" "<h3>deep/config.json</h3>"; do
    grep -q "$text" named || die "the page does not name $text: $(cat named)"
done
equal "$(grep -c '<h3>cut.vcf.gz\|<h3>map.tsv' rest.html)" 2 "parts of damaged files on the page"
equal "$(grep -c '<h3>scored.vcf.gz\|<summary>scored.vcf.gz' rest.html)" 3 "the undamaged file"
grep -q ' 3 could not be read.</p>' rest.html || die "the summary does not count what could not be read"
iconv -f UTF-8 -t UTF-8 rest.html >/dev/null || die "the page is not UTF-8"
iconv -f UTF-8 -t UTF-8 damaged/godwit_labels_mqc.tsv >/dev/null || die "a table for MultiQC is not UTF-8"
grep -q "$(printf '<h3>caf\357\277\275?.tsv</h3>')" rest.html || die "the name is not mended"
grep -q "$(printf '<title>na\357\277\275ve</title>')" rest.html || die "the title is not mended"
mkdir broken && cp damaged/map.tsv broken
fails 1 "broken holds no models" "$GODWIT" report broken -o none.html
[ ! -e none.html ] || die "a failure left a page"
