# godwit view: pictures of regions from tracks, genes and scored variants; and the maps of score as tables and tracks.
. "$ROOT/tests/cli/lib.sh"
prepared small

printf 'track type=bedGraph name=x\n# a comment\nc1\t0\t100\t0.5\nc1\t300\t400\t-0.25\nc2\t0\t50\t9\n' >one.bedgraph
printf 'c1\tx\tgene\t101\t300\t.\t+\t.\tID=alpha\nc1\tx\tgene\t201\t700\t.\t-\t.\tID=beta\nc2\tx\tgene\t1\t90\t.\t-\t.\tID=gamma\n' >genes.gff3
base() { sed -n "/^>$1\$/,/^>/p" g.fa | grep -v '>' | tr -d '\n' | cut -c "$2"; }
other() { case $1 in A) echo C ;; *) echo A ;; esac; }
{
    printf '##fileformat=VCFv4.2\n##INFO=<ID=GW_DIFF,Number=A,Type=Float,Description="x">\n##INFO=<ID=Z,Number=A,Type=Float,Description="x">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for at in 150 250 350; do
        ref=$(base c1 $at)
        printf 'c1\t%s\trs%s\t%s\t%s\t.\t.\tGW_DIFF=%s;Z=1\n' $at $at "$ref" "$(other "$ref")" "$([ $at = 250 ] && echo . || echo -0.$at)"
    done
} >scored.vcf

view() { "$GODWIT" view -q -f g.fa "$@"; }
view -r c1:1-800 -o region.svg --track one.bedgraph --genes genes.gff3 scored.vcf
grep -q '</svg>' region.svg || die "no whole picture"
# Blue stems and heads of two variants and blue's place in the legend, which has no colour that the picture lacks.
equal "$(grep -c 'rgb(12.9[0-9]*%, *40%, *67.4[0-9]*%)' region.svg)" 5 "variants below zero"
equal "$(grep -c 'rgb(69.8[0-9]*%, *9.4[0-9]*%, *16.8[0-9]*%)' region.svg)" 0 "red in the picture or its legend"
words() { sed -n "/<desc>/,/<.desc>/p" "$1"; }
words region.svg | grep -qx "p is lower with ALT" || die "blue is not explained: $(words region.svg)"
! words region.svg | grep -q "p is higher" || die "the legend has a colour that the picture lacks"
# Round numbers on every scale, also on both ends of it: at least three.
equal "$(ticks region.svg 90 40 104) $(ticks region.svg 90 130 280)" "4 6" "ticks of the track and of the scores"
inside region.svg
view -r c1:1-800 -o track.svg --track one.bedgraph
view -r c2:1-800 -o other.svg --track one.bedgraph
boxes() { grep -c 'rgb(0%, *44.7[0-9]*%, *69.8[0-9]*%)' "$1" || :; }
equal "$(boxes track.svg) $(boxes other.svg)" "2 1" "stretches of a track"
view -r c1 -o all.png --track one.bedgraph --track one.bedgraph --genes genes.gff3

# Wide pictures: the last number and the names at the right end are whole, narrow stretches are seen, and no gene is missing.
{ echo ">m1" && yes ACGTTGCAAGCTTAGGCATTCCGATAGGCTAACGTCCATGAATTCGGCTA | head -n 20000; } >m.fa
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 12; i++) print "m1", "x", "gene", 900000 + i, 950000, ".", "+", ".", "ID=overlapping" i
    print "m1", "x", "gene", 999990, 999999, ".", "-", ".", "ID=a_gene_at_the_end" }' >many.gff3
printf 'm1\t920000\t920001\t3\nm1\t920001\t920002\t-2\n' >thin.bedgraph
"$GODWIT" view -q -f m.fa -r m1:900001-1000000 --track thin.bedgraph --genes many.gff3 -o wide.svg
inside wide.svg
grep 'rgb(0%, *44.7[0-9]*%, *69.8[0-9]*%)' wide.svg | tr -d '"' | awk '{ sub(/.* d=M /, ""); split($0, at, " "); wide += at[4] - at[1]; high += at[8] - at[2] }
    END { exit !(NR == 1 && wide >= 0.5 && high > 30) }' || die "narrow stretches are not seen as one column from -2 to 3"
equal "$(grep -c 'rgb(83.5[0-9]*%, *36.8[0-9]*%, *0%)' wide.svg)" 13 "genes"

# Names that are not UTF-8 do not spoil the picture.
printf 'c1\tx\tgene\t101\t300\t.\t+\t.\tID=caf\351\n' >latin.gff3
cp one.bedgraph "$(printf 'na\357ve.bedgraph')"
view -r c1:1-800 -o latin.svg --track "$(printf 'na\357ve.bedgraph')" --genes latin.gff3
inside latin.svg
equal "$(head -c 4 all.png | od -An -tx1 | tr -d ' ')" 89504e47 "a PNG's first bytes"

fails 2 "there is nothing to draw" "$GODWIT" view -f g.fa -r c1 -o a.svg
fails 2 "--key is for the scores" "$GODWIT" view -f g.fa -r c1 -o a.svg --track one.bedgraph --key Z
fails 2 "must end in .svg or .png" "$GODWIT" view -f g.fa -r c1 -o a.pdf --track one.bedgraph
fails 1 "a picture shows one region" "$GODWIT" view -f g.fa -r c1:1-5,c2:1-5 -o a.svg --track one.bedgraph
fails 1 "scored.vcf has no INFO key GW_LLR" "$GODWIT" view -f g.fa -r c1 -o a.svg --key GW_LLR scored.vcf
sed 's/GW_DIFF/XX/g' scored.vcf >unscored.vcf
fails 1 "unscored.vcf has none of GW_DIFF, GW_LLR, GW_SPLICE, GW_POLYA, GW_DELTA and GW_LFC" "$GODWIT" view -f g.fa -r c1 -o a.svg unscored.vcf
printf 'c1\t1\t2\n' >bad.bedgraph
fails 1 "bad.bedgraph:1: expected contig, start, end and value, found 3 columns" "$GODWIT" view -f g.fa -r c1 -o a.svg --track bad.bedgraph
fails 1 "a track is named" "$GODWIT" view -f g.fa -r c1 -o a.svg --track genes.gff3
fails 1 "cannot open nothing.bedgraph" "$GODWIT" view -f g.fa -r c1 -o a.svg --track nothing.bedgraph
[ ! -e a.svg ] || die "a failure left a picture"

# Maps of score: the table has what the VCF has, the track the means of each position.
"$GODWIT" mutate -q -f g.fa -r c1:401-412 | "$GODWIT" score -q -m model -f g.fa --window 60 \
    --map map.png --map map.svg --map map.tsv --map map.bedgraph -o map.vcf -
inside map.svg
equal "$(head -1 map.tsv | tr '\t' ' ')" "contig position ref A C G T" "a map's columns"
grep -v '^#' map.vcf | awk -F'\t' '{ split($8, i, /GW_LLR=|;/); for (k in i) if ($8 ~ /GW_LLR/) { v = $8; sub(/.*GW_LLR=/, "", v); sub(/;.*/, "", v) } print $2, $5, v }' >scores
awk 'FNR == NR { v[$1 " " $2] = $3; next }
    FNR == 1 { split("A C G T", base, " "); next }
    { n = 0; for (b = 1; b <= 4; b++) { x = $(3 + b)
        if (base[b] == $3) { if (x != ".") exit 1; continue }
        d = x - v[$2 " " base[b]]; if (d > 1e-4 || d < -1e-4 || !(($2 " " base[b]) in v)) exit 1; n++ }
      if (n != 3) exit 1; rows++ } END { exit rows != 12 }' scores map.tsv || die "the map's table differs from the VCF"
awk 'FNR == NR { if (FNR > 1) { s = 0; for (b = 4; b <= 7; b++) if ($b != ".") s += $b; mean[$2 - 1] = s / 3 } next }
    { d = $4 - mean[$2]; if ($1 != "c1" || $3 != $2 + 1 || d > 1e-5 || d < -1e-5) exit 1; rows++ } END { exit rows != 12 }' map.tsv map.bedgraph ||
    die "the map's track differs from its table"
view -r c1:401-412 -o saturation.svg --track map.bedgraph map.vcf
fails 2 "its name must end in .svg, .png, .tsv," "$GODWIT" score -m model -f g.fa --map map.txt map.vcf

# A map states its scale, and a single cell does not set it; changes that create a stop are marked, in the map and in the view.
words map.svg | grep -q "^scale: full colour at a size of " || die "the map does not state its scale: $(words map.svg)"
{ printf 'contig\tposition\tref\tA\tC\tG\tT\n' && awk 'BEGIN { for (i = 1; i <= 60; i++) printf "c1\t%d\tA\t.\t%s\t0.01\t-0.02\n", i, i == 30 ? 9 : 0.02 }'; } >one.tsv
mkdir one && mv one.tsv one && "$GODWIT" report one -o one.html
sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' one.html | base64 -d >one.svg
words one.svg | grep -qx "scale: full colour at a size of 0.02 or more; the largest change is 9 (1 of 180 lie beyond the scale)" || die "one cell sets the scale: $(words one.svg)"
words one.svg | grep -qx "≥0.02" || die "the bar does not say that values lie beyond it"
printf 'c1\tx\tgene\t401\t700\t.\t+\t.\tID=gene:g;Name=g\nc1\tx\tmRNA\t401\t700\t.\t+\t.\tID=transcript:t;Parent=gene:g;biotype=protein_coding\n' >coding.gff3
for row in "exon	401	500	." "exon	601	700	." "CDS	401	500	0" "CDS	601	700	2"; do
    echo "$row" | awk -F '\t' -v OFS='\t' '{ print "c1", "x", $1, $2, $3, ".", "+", $4, "ID=" $1 $2 ";Parent=transcript:t" }'
done >>coding.gff3
"$GODWIT" mutate -q -f g.fa -r c1:401-500 | "$GODWIT" score -q -m model -f g.fa --window 60 --genes coding.gff3 --consequence --map stops.svg -o stops.vcf -
grep -q stop_gained stops.vcf || die "no stop in the test's own data"
words stops.svg | grep -qx "creates stop" || die "the map does not mark stops: $(words stops.svg)"
! words map.svg | grep -q "creates stop" || die "a map without stops explains them"
view -r c1:401-720 -o stops.svg --genes coding.gff3 --named 400 stops.vcf
words stops.svg | grep -qx "creates stop" || die "the view does not mark stops"
words stops.svg | grep -q ", missense" || die "the view names no consequence: $(words stops.svg)"
boxes_of_genes() { grep -c 'rgb(83.5[0-9]*%, *36.8[0-9]*%, *0%)' "$1"; }
equal "$(boxes_of_genes stops.svg)" 3 "a gene's line and its exons"

# Splicing: lines of its scores, what is lost and gained, exons of the table that score takes.
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nsp&liced\tc1\t+\t100\t900\t100,400,\t300,900,\n' >table.txt
"$GODWIT" mutate -q -f g.fa -r c1:301-340 | "$GODWIT" score -q -m "$ROOT/tests/data/splice" -f g.fa --genes table.txt -D 20 -o spliced.vcf -
view -r c1:101-800 -o splice.svg --genes table.txt spliced.vcf
inside splice.svg
words splice.svg | grep -q "^GW_SPLICE (largest delta score of splicing); lines: 0.2 high recall, 0.5 recommended, 0.8 high precision" || die "no lines: $(words splice.svg)"
words splice.svg | grep -qE ", (acceptor|donor) (gain|loss)" || die "the view does not say what splicing does"
words splice.svg | grep -qx "sp&amp;liced &gt;" || die "no gene of the table"
equal "$(boxes_of_genes splice.svg)" 3 "a gene's line and its exons"
view -r gene:sp\&liced -o again.svg --genes table.txt spliced.vcf
mkdir splice && cp spliced.vcf splice
"$GODWIT" report splice -o splice.html
grep -q "of 120 alleles have a score. .* reach 0.5, from which on a change of splicing is likely" splice.html || die "no summary of splicing"
grep -qE "<td>sp&amp;liced: (acceptor|donor) (gain|loss) at [+-]" splice.html || die "no column of splicing"
sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' splice.html | base64 -d >distribution.svg
for line in "0.2 high recall" "0.5 recommended" "0.8 high precision"; do
    grep -qx "$line" distribution.svg || die "the distribution has no line $line"
done

# Where variants lie among the exons, by the direction of transcription.
places() { "$GODWIT" report splice -q --top 200 --genes "$1" -f g.fa | grep -oE "<td>c1:$2<td><td>$3<.*" | sed 's/.*<td>//'; }
placed() { equal "$(places "$1" "$2" "$3" | head -1)" "$4" "the place of $2 $3"; }
awk -F'\t' -v OFS='\t' '/^#/ { print; next } done++ < 4 { split("150 299 349 1000", at, " "); split("A AAC A A", ref, " "); split("C A T G", alt, " ")
    $2 = at[done]; $4 = ref[done]; $5 = alt[done]; sub(/^[^ACGT]*/, "", $5); print }' spliced.vcf >splice/spliced.vcf
sed 's/+/-/' table.txt >minus.txt
placed table.txt 150 'A&gt;C' "sp&amp;liced: exon 1 of 2"
placed minus.txt 150 'A&gt;C' "sp&amp;liced: exon 2 of 2"
placed table.txt 299 'AAC&gt;A' "sp&amp;liced: across an end of exon 1 of 2"
placed table.txt 349 'A&gt;T' "sp&amp;liced: intron 1 of 1, 49 bp after exon 1"
placed minus.txt 349 'A&gt;T' "sp&amp;liced: intron 1 of 1, 49 bp before exon 2"
placed table.txt 1000 'A&gt;G' "between genes"
"$GODWIT" report splice --genes table.txt >out 2>err && die "genes without a genome went unnoticed"
grep -q -- "--genes and --fasta are given together" err || die "no reason: $(cat err)"
