# godwit view: pictures of regions from tracks, genes and scored variants; and the maps of score as tables and tracks.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/small.sh"

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
# Blue stems and heads of two variants and blue's place in the legend, which explains red too.
equal "$(grep -c 'rgb(12.9[0-9]*%, *40%, *67.4[0-9]*%)' region.svg)" 5 "variants below zero"
equal "$(grep -c 'rgb(69.8[0-9]*%, *9.4[0-9]*%, *16.8[0-9]*%)' region.svg)" 1 "red is not explained"
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
fails 2 "--key is of the scores" "$GODWIT" view -f g.fa -r c1 -o a.svg --track one.bedgraph --key Z
fails 2 "must end in .svg or .png" "$GODWIT" view -f g.fa -r c1 -o a.pdf --track one.bedgraph
fails 1 "a picture shows one region" "$GODWIT" view -f g.fa -r c1:1-5,c2:1-5 -o a.svg --track one.bedgraph
fails 1 "scored.vcf has no INFO key GW_LLR" "$GODWIT" view -f g.fa -r c1 -o a.svg --key GW_LLR scored.vcf
sed 's/GW_DIFF/XX/g' scored.vcf >unscored.vcf
fails 1 "neither GW_DIFF nor GW_LLR" "$GODWIT" view -f g.fa -r c1 -o a.svg unscored.vcf
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
