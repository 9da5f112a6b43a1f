# godwit score --known with other people's tables: what is taken of them, which alleles are the same, and what is refused. The
# reference is a join by awk.
. "$ROOT/tests/cli/lib.sh"

has bgzip tabix || { echo "needs bgzip and tabix" && exit 77; }
prepared small
# Behind the random bases stand a run of A, at 3002-3006, and two changes of TG.
{
    echo '>chr1'
    grep -v '^>' g.fa | head -60
    echo CAAAAACTGTGCAGATTACAGATCCAGGTTACGATCGGATATCCGTTA
    echo '>chr2'
    grep -v '^>' g.fa | tail -60
} >h.fa
set -- -m model --window 20 -f h.fa
table() { # NAME: rows on standard input
    bgzip -c >"$1.gz"
    tabix -f -s 1 -b 2 -e 2 "$1.gz"
}

# Every change of 600 bases, of contigs that have no chr: more than a chunk, and several alleles of a place in two chunks.
awk '/^>/ { c = substr($1, 5); at = 0; next }
    { for (i = 1; i <= length($0); i++) { at++; r = toupper(substr($0, i, 1)); if (at > 100 && at <= 400)
        for (j = 1; j <= 4; j++) { a = substr("ACGT", j, 1); if (a != r) print c "\t" at "\t" r "\t" a "\t" (at % 7 - 3) * j "\t" (at % 97) / 10 } } }' h.fa >rows
{ printf '## made for a test\n#Chrom\tPos\tRef\tAlt\tRawScore\tPHRED\n' && cat rows; } | table cadd.tsv
# Of two thirds of them in the order of the file, and then some far from it and some again.
{
    printf '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    awk -v OFS='\t' 'NR % 3 { print "chr" $1, $2, ".", $3, $4, ".", ".", "." }' rows
    awk -v OFS='\t' 'NR > 1700 || NR % 200 == 0 { print "chr" $1, $2, ".", $3, $4, ".", ".", "." }' rows
} >in.vcf
joined() { # COLUMN: what the rows say of in.vcf
    awk -v OFS='\t' -v column="$1" 'NR == FNR { score["chr" $1, $2, $3, $4] = $column; next }
        !/^#/ { print $1, $2, $4, $5, score[$1, $2, $4, $5] }' rows in.vcf
}
taken() { # FILE: the same of a scored file
    sed -n 's/^\(chr[0-9]*\)\t\([0-9]*\)\t[^\t]*\t\([A-Z]*\)\t\([A-Z]*\)\t.*GW_KNOWN=\([^;]*\);GW_SOURCE=cadd.tsv.gz;GW_STATUS=KNOWN$/\1\t\2\t\3\t\4\t\5/p' "$1"
}
"$GODWIT" score "$@" --known cadd.tsv.gz -o scored.vcf in.vcf 2>notes
joined 6 >a && taken scored.vcf >b
same b a
[ "$(wc -l <a)" -gt 1200 ] || die "too few alleles"
grep -q 'another program (PHRED)' notes || die "nothing says whose scores they are"
grep -q '##INFO=<ID=GW_SOURCE,.*cadd.tsv.gz (numbers of another program, column PHRED)' scored.vcf || die "the header does not say what the table is"
for columns in RawScore Ref,Alt,RawScore 3,4,5; do
    "$GODWIT" score -q "$@" --known cadd.tsv.gz --known-columns "$columns" -o scored.vcf in.vcf
    joined 5 >a && taken scored.vcf >b
    same b a
done

# Without a line of names columns have numbers.
table bare.tsv <rows
fails 1 'bare.tsv.gz has no line of column names' "$GODWIT" score -q "$@" --known bare.tsv.gz -o x.vcf in.vcf
"$GODWIT" score -q "$@" --known bare.tsv.gz --known-columns 3,4,5 -o bare.vcf in.vcf
sed -n 's/.*GW_KNOWN=\([^;]*\).*/\1/p' bare.vcf >b
joined 5 | cut -f 5 >a
same b a

# What the table lacks is what is computed without it, and each allele says which; an empty score is none.
{ printf '#CHROM\tPOS\tREF\tALT\tAVI\n' && awk -v OFS='\t' 'NR % 2 { print $1, $2, $3, $4, NR % 5 ? $5 : "NA" }' rows; } | table half.tsv
grep -e '^#' -e '^chr1.10[1-9].' in.vcf >few.vcf
"$GODWIT" score -q "$@" -o computed.vcf few.vcf
"$GODWIT" score -q "$@" --known half.tsv.gz -o scored.vcf few.vcf
grep '^chr' scored.vcf | grep 'GW_SOURCE=computed' | sed 's/GW_KNOWN=.;GW_SOURCE=computed;//' >b
grep '^chr' computed.vcf >all
grep -F -x -f b all >a || die "nothing is computed"
same b a
for source in computed half.tsv.gz; do
    [ "$(grep -c "GW_SOURCE=$source;" scored.vcf)" -ge 3 ] || die "too few alleles of $source"
done

# Insertions and deletions are the same wherever they are written; several ALTs; REF and ALT with more than they need.
{
    printf '#CHROM\tPOS\tREF\tALT\tSCORE\n'
    printf 'chr1\t%s\n' '3001	CA	C	0.1' '3004	A	AA	0.2' '3006	ACT	ACC,ACA	0.3' '3008	TG	CA	0.4' '3010	TG	T	0.5'
} | table indels.tsv
{
    printf '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'chr1\t%s\t.\t.\t.\n' '3004	right	AAA	AA' '3006	inserted	A	AA' '3008	third	T	C,A,G' '3008	two	TG	CA' \
        '3010	deleted	TGC	TC' '3006	another	A	AG' '3003	longer	AAA	A' '3008	moved	TG	T'
} >indels.vcf
"$GODWIT" score -q "$@" --known indels.tsv.gz -o scored.vcf indels.vcf
grep -v '^#' scored.vcf | cut -f 3,8 | sed 's/GW_LLR=[^;]*;//; s/;GW_SOURCE=.*//' >b
printf '%s\tGW_KNOWN=%s\n' right 0.1 inserted 0.2 third 0.3,0.3,. two 0.4 deleted 0.5 another . longer . moved . >a
same b a

# SpliceAI's entries take the place of a model of splicing's: of all rows of an allele, its places brought over.
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=3048>\n'
    printf '##INFO=<ID=SpliceAI,Number=.,Type=String,Description="SpliceAIv1.3 variant annotation. Format: ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf '1\t3001\t.\tCA\tC\t.\t.\tSpliceAI=C|G1|0.10|0.20|0.00|0.01|-5|7|20|-30\n'
    printf '1\t3008\t.\tT\tC\t.\t.\tSpliceAI=C|G1|0.10|0.20|0.00|0.01|-5|7|20|-30\n'
    printf '1\t3008\t.\tT\tC\t.\t.\tAC=1;SpliceAI=C|G2|0.10|0.20|0.00|0.91|-5|7|20|-30\n'
    printf '1\t3008\t.\tT\tA\t.\t.\tSpliceAI=A|G1|.|.|.|.|.|.|.|.\n'
} >spliceai.vcf
bgzip -f spliceai.vcf && tabix -p vcf spliceai.vcf.gz
splice=$ROOT/tests/data/splice
"$GODWIT" score -q -m "$splice" -f h.fa -D 20 --known spliceai.vcf.gz -o scored.vcf indels.vcf
{ grep 'third' scored.vcf | grep -q 'OpenSpliceAI=C|G1|0.10|0.20|0.00|0.01|-5|7|20|-30,C|G2|0.10|0.20|0.00|0.91|-5|7|20|-30,A|+|0'; } || die "entries: $(grep third scored.vcf)"
grep 'right' scored.vcf | grep -q 'OpenSpliceAI=AA|G1|0.10|0.20|0.00|0.01|-8|4|17|-33;GW_SOURCE=spliceai.vcf.gz;GW_STATUS=PASS' || die "places: $(grep right scored.vcf)"
grep 'right' scored.vcf | grep -q 'GW_SPLICE=0.2;GW_SPLICE_AT=4;' || die "the largest: $(grep right scored.vcf)"
grep 'third' scored.vcf | grep -q 'GW_SPLICE=0.91,.*GW_SPLICE_AT=-30,.*GW_SOURCE=spliceai.vcf.gz,computed,computed' || die "sources: $(grep third scored.vcf)"
# A table for data frames has a row an entry.
"$GODWIT" score -q -m "$splice" -f h.fa -D 20 --known spliceai.vcf.gz --table scored.tsv indels.vcf
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $3 == "third" && $5 == "C" { print $column["SYMBOL"], $column["DS_DL"], $column["DP_DL"], $column["GW_SOURCE"] }' scored.tsv >b
printf 'G1 0.01 -30 spliceai.vcf.gz\nG2 0.91 -30 spliceai.vcf.gz\n' >a
same b a
# Beside a model of another kind it is a number.
"$GODWIT" score -q "$@" --known spliceai.vcf.gz -o scored.vcf indels.vcf
grep third scored.vcf | grep -q 'GW_KNOWN=0.91,.,.;GW_SOURCE=spliceai.vcf.gz,computed,computed;GW_STATUS=KNOWN,PASS,PASS' || die "beside: $(grep third scored.vcf)"
fails 1 'has numbers of another program' "$GODWIT" score -q "$@" --shifts --known spliceai.vcf.gz -o x.vcf indels.vcf
fails 1 'has no INFO/CADD' "$GODWIT" score -q "$@" --known-columns CADD --known spliceai.vcf.gz -o x.vcf indels.vcf

# A classifier's own file, and one of another model, which a name of its key takes all the same.
"$GODWIT" mutate -q -f h.fa -r chr1:1001-1010 -o own.vcf
"$GODWIT" score -q -m profiles -f h.fa -O b --write-index -o own.bcf own.vcf
"$GODWIT" score -q -m profiles -f h.fa -o computed.vcf own.vcf
"$GODWIT" score -q -m profiles -f h.fa --known own.bcf -o scored.vcf own.vcf
grep '^chr' computed.vcf >a
grep '^chr' scored.vcf | sed 's/;GW_SOURCE=own.bcf//' >b
same b a
# Where it lacks a number that this run writes the allele is computed.
"$GODWIT" score -q -m profiles -f h.fa -O v own.vcf | sed '/POS\|1005/!s/GW_LOGIT=[^;]*;//' | bgzip -c >part.vcf.gz && tabix -p vcf part.vcf.gz
"$GODWIT" score -q -m profiles -f h.fa --known part.vcf.gz -o scored.vcf own.vcf
grep '^chr' scored.vcf | sed 's/;GW_SOURCE=[^;]*//' >b
same b a
equal "$(grep -c 'GW_SOURCE=part.vcf.gz' scored.vcf)" 3 "alleles that are whole"
fails 1 'own.bcf was made with other settings: this run has ##godwit_scoreModelMD5' "$GODWIT" score -q "$@" --known own.bcf -o x.vcf own.vcf
fails 1 'own.bcf was made with options that this run lacks: ##godwit_scorePhases' sh -c '"$GODWIT" score -q -m profiles -f h.fa --phases 2 -O b --write-index --overwrite -o own.bcf own.vcf
    exec "$GODWIT" score -q -m profiles -f h.fa --known own.bcf -o x.vcf own.vcf'
"$GODWIT" score -q "$@" --known own.bcf --known-columns GW_DIFF -o scored.vcf own.vcf
equal "$(grep -c 'GW_SOURCE=own.bcf;GW_STATUS=KNOWN' scored.vcf)" 30 "numbers of another model"

# What is wrong with a table.
one() { printf 'chr1\t101\t%s\t%s\t%s\n' "$@"; }
ref=$(awk 'NR == 1 { print $3 }' rows) alt=$(awk 'NR == 1 { print $4 }' rows)
{ printf '#CHROM\tPOS\tREF\tALT\tSCORE\n' && one "$alt" "$ref" 1; } | table wrong.tsv
fails 1 "wrong.tsv.gz: chr1:101: REF is '$alt', but h.fa has '$ref' there" "$GODWIT" score -q "$@" --known wrong.tsv.gz -o x.vcf few.vcf
{ printf '#CHROM\tPOS\tREF\tALT\tSCORE\n' && one "$ref" "$alt" high; } | table word.tsv
fails 1 "word.tsv.gz: chr1:101: SCORE is 'high', which is not a number" "$GODWIT" score -q "$@" --known word.tsv.gz -o x.vcf few.vcf
{ printf '#CHROM\tPOS\tREF\tALT\tSCORE\n' && printf 'chr1\t101\t%s\n' "$ref"; } | table short.tsv
fails 1 'short.tsv.gz: chr1:101: 3 columns, fewer than' "$GODWIT" score -q "$@" --known short.tsv.gz -o x.vcf few.vcf
{ printf '#CHROM\tPOS\tREF\tALT\tWEIGHT\n' && one "$ref" "$alt" 1; } | table named.tsv
fails 1 'named.tsv.gz has no column SCORE or PHRED: its columns are CHROM	POS	REF	ALT	WEIGHT' "$GODWIT" score -q "$@" --known named.tsv.gz -o x.vcf few.vcf
fails 1 'has no column HEIGHT' "$GODWIT" score -q "$@" --known named.tsv.gz --known-columns HEIGHT -o x.vcf few.vcf
fails 2 'expected REF,ALT,SCORE' "$GODWIT" score -q "$@" --known named.tsv.gz --known-columns REF,ALT -o x.vcf few.vcf
fails 2 'is of the table of --known' "$GODWIT" score -q "$@" --known-columns WEIGHT -o x.vcf few.vcf
fails 1 'cannot open none.tsv.gz' "$GODWIT" score -q "$@" --known none.tsv.gz -o x.vcf few.vcf
fails 1 'rows is not compressed by bgzip' "$GODWIT" score -q "$@" --known rows -o x.vcf few.vcf
cp cadd.tsv.gz lone.tsv.gz
fails 1 'lone.tsv.gz has no index' "$GODWIT" score -q "$@" --known lone.tsv.gz -o x.vcf few.vcf
head -c -28 cadd.tsv.gz >lone.tsv.gz && cp cadd.tsv.gz.tbi lone.tsv.gz.tbi
fails 1 'lone.tsv.gz is truncated' "$GODWIT" score -q "$@" --known lone.tsv.gz -o x.vcf few.vcf
{ head -c 3000 cadd.tsv.gz && tail -c 28 cadd.tsv.gz; } >lone.tsv.gz
fails 1 'is truncated or damaged' "$GODWIT" score -q "$@" --known lone.tsv.gz -o x.vcf in.vcf
awk '{ $1 = "scaffold"; print }' OFS='\t' rows | sort -k 2n | sed '1i #CHROM	POS	REF	ALT	SCORE	X' | table scaffold.tsv
fails 1 "scaffold.tsv.gz has no contig of h.fa: it has 'scaffold'" "$GODWIT" score -q "$@" --known scaffold.tsv.gz -o x.vcf few.vcf
touch -d '2020-01-01' cadd.tsv.gz.tbi
"$GODWIT" score -q "$@" --known cadd.tsv.gz -o scored.vcf few.vcf 2>notes
grep -q 'cadd.tsv.gz.tbi is older than cadd.tsv.gz' notes || die "nothing is said of an old index"
[ ! -e x.vcf ] || die "a run that failed left its output"
