# --genes of godwit score and predict: which genes, their names, contigs by alias, and what bad annotations get.
. "$ROOT/tests/cli/lib.sh"
prepared small
row() { printf '%s\tx\t%s\t%s\t%s\t.\t%s\t.\t%s\n' "$@"; }
{
    row c1 gene 1 900 + 'ID=far;Name=far'
    row c1 gene 900 1003 - 'ID=g1;Name=alpha%3B%26one'
    row c1 mRNA 900 1003 - 'ID=t1;Parent=g1;Name=transcript'
    row c1 gene 100 2900 + 'ID=host'
    row chr1 tRNA_gene 1003 1003 + 'ID=g3;gene=trn'
    row chr1 gene 1004 1020 + 'ID=g4;Name=alpha%3B%26one'
    row c2 gene 1 3000 + 'ID=elsewhere'
} >g.gff3
sed 's/^chr1/c1/' g.gff3 >plain.gff3
printf 'chr1\tc1\n' >names.tsv
score() { "$GODWIT" score -q -m profiles -f g.fa "$@"; }
# POS and GW_GENE of each record
genes() { grep -v '^#' | awk -F'\t' '{ sub(/.*GW_GENE=/, "", $8); sub(/;.*/, "", $8); print $2 ":" $8 }' | uniq | tr '\n' ' '; }

score --genes g.gff3 --chr-map names.tsv in.vcf >out.vcf
grep -q '^##INFO=<ID=GW_GENE,Number=A,Type=String,' out.vcf || die "GW_GENE is not declared"
grep -q '^##godwit_scoreGenes=g.gff3' out.vcf || die "the header does not name the annotation"
both=host,alpha%3B%26one
expected="1001:$both 1002:$both 1003:$both,trn"
for p in 1004 1005 1006 1007 1008 1009 1010; do expected="$expected $p:$both"; done
equal "$(genes <out.vcf)" "$(echo "$expected" | tr , '&') " "genes of each record"
score --genes plain.gff3 in.vcf | grep -v '^##' >found
grep -v '^##' out.vcf >expected
same found expected
# nothing else changes
sed 's/GW_GENE=[^;]*;//' out.vcf | grep -v '^##' >found
score in.vcf | grep -v '^##' >expected
same found expected
"$GODWIT" score -q -m model --window 60 -f g.fa --genes plain.gff3 in.vcf | grep -q 'GW_GENE=host&' || die "a pretrained model names no genes"

# Alleles each for itself: the trimmed REF counts, scored or not; no gene is '.'.
base() { sed -n '/>c1/,/>c2/p' g.fa | grep -v '>' | tr -d '\n' | cut -c"$1-$2"; }
{
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c1\t1002\t.\t%s\t%s,%s,*\t.\t.\t.\n' "$(base 1002 1003)" "$(base 1002 1002)" "$(base 1002 1002)n"
    printf 'c1\t2950\t.\t%s\tN\t.\t.\t.\n' "$(base 2950 2950)"
    printf 'nowhere\t5\t.\tA\tC\t.\t.\t.\n'
} >some.vcf
grep -v '^#' g.gff3 | awk -F'\t' -v OFS='\t' '$3 == "tRNA_gene" { $1 = "c1"; print }' >one.gff3
equal "$(score --genes one.gff3 some.vcf | genes)" "1002:trn,trn,. 2950:. 5:. " "genes of alleles"

# GTF and SGD's table, compressed.
{
    row c1 exon 1001 1003 + 'gene_id "E1"; transcript_id "T1"; gene_name "beta";'
    row c1 exon 1008 1009 + 'gene_id "E1"; transcript_id "T1"; gene_name "beta";'
    row c1 exon 1008 1009 + 'gene_id "E2"; transcript_id "T2";'
} | gzip >g.gtf.gz
equal "$(score --genes g.gtf.gz in.vcf | genes | tr ' ' '\n' | sed -n 8,10p | tr '\n' ' ')" "1008:beta&E2 1009:beta&E2 1010:. " "genes of a GTF"

# predict: the window's genes beside names and strands.
printf 'c1\t970\t1030\tone\t0\t-\nc1\t2920\t2980\ttwo\t0\t+\n' >regions.bed
"$GODWIT" predict -q -m profiles -f g.fa -R regions.bed --genes plain.gff3 >out.tsv
equal "$(cut -f1-4 out.tsv | tr '\t\n' ' ,')" \
    "region name strand gene,c1:971-1030 one - host&alpha%3B%26one&trn,c1:2921-2980 two + .,"
cut -f1-3,5- out.tsv >found
"$GODWIT" predict -q -m profiles -f g.fa -R regions.bed >expected
same found expected
"$GODWIT" predict -q -m profiles -f g.fa -d prof --genes plain.gff3 | head -1 | grep -q '^region	gene	' || die "a set of regions has no genes"

# What is left out is said, under -q too.
{ cat plain.gff3 && row chrUn gene 1 9 + ID=u && row c1 gene 5000 5009 + ID=o && row c1 gene 5 9 + x=y; } >odd.gff3
score --genes odd.gff3 in.vcf 2>err >found
score --genes plain.gff3 in.vcf | grep -v '^##' >expected
grep -v '^##' found >rows
same rows expected
for text in "1 of 9 genes lie on contigs that g.fa lacks, such as 'chrUn'" "1 genes start past the end of their contig" \
    "1 genes have no name"; do
    grep -qF "$text" err || die "no warning '$text': $(cat err)"
done
row chrUn gene 1 9 + ID=u >none.gff3
fails 1 "none.gff3: none of its 1 genes has a name and lies on g.fa" "$GODWIT" score -q -m profiles -f g.fa --genes none.gff3 in.vcf
row c1 repeat_region 1 9 + ID=u >repeats.gff3
fails 1 "repeats.gff3" "$GODWIT" score -q -m profiles -f g.fa --genes repeats.gff3 in.vcf
# CDS alone are genes, as annotations of bacteria have them.
row c1 CDS 1 3000 + ID=u >cds.gff3
"$GODWIT" score -q -m profiles -f g.fa --genes cds.gff3 in.vcf | grep -q "GW_GENE=u" || die "no gene of CDS alone"
row c1 gene 9 1 + ID=u >turned.gff3
fails 1 "turned.gff3:1" "$GODWIT" score -q -m profiles -f g.fa --genes turned.gff3 in.vcf
fails 1 "missing.gff3" "$GODWIT" predict -q -m profiles -f g.fa -R regions.bed --genes missing.gff3
fails 2 "--genes needs the genome" "$GODWIT" predict -q -m promoter -d set.tsv --genes plain.gff3
fails 1 "the rows of set.tsv are sequences" "$GODWIT" predict -q -m promoter -f g.fa -d set.tsv --genes plain.gff3

# Regions that are called by genes: from the first to the last base of their transcripts.
{
    row c1 gene 1003 1006 + 'ID=g1;Name=alpha'
    row c1 mRNA 1003 1004 + 'ID=t1;Parent=g1'
    row c1 exon 1003 1004 + 'Parent=t1'
    row c1 mRNA 1005 1006 + 'ID=t2;Parent=g1'
    row c1 exon 1005 1006 + 'Parent=t2'
    row c1 gene 1009 1010 - 'ID=g2;Name=beta'
    row c1 mRNA 1009 1010 - 'ID=t3;Parent=g2'
    row c1 exon 1009 1010 - 'Parent=t3'
} >named.gff3
"$GODWIT" score -q -m profiles -f g.fa --genes named.gff3 -O z -o all.vcf.gz --write-index in.vcf
positions() { grep -v '^#' | cut -f2 | sort -un | tr '\n' ' '; }
equal "$(score -q --overwrite --genes named.gff3 -r gene:alpha all.vcf.gz | positions)" "1003 1004 1005 1006 " "a gene's records"
equal "$(score -q --overwrite --genes named.gff3 -r c1:1001,gene:beta all.vcf.gz | positions)" "1001 1009 1010 " "regions and genes"
fails 1 "named.gff3 has no gene 'gamma' on g.fa" "$GODWIT" score -q -m profiles -f g.fa --genes named.gff3 -r gene:gamma all.vcf.gz
fails 2 "--genes says where a gene is" "$GODWIT" score -q -m profiles -f g.fa -r gene:alpha all.vcf.gz
equal "$("$GODWIT" mutate -q -f g.fa --genes named.gff3 -r gene:beta,c1:5-5 | positions)" "5 1009 1010 " "a gene's changes"
fails 2 "--genes says where a gene is" "$GODWIT" mutate -q -f g.fa -r gene:alpha
"$GODWIT" view -q -f g.fa --genes named.gff3 -r gene:alpha -o gene.svg
"$GODWIT" view -q -f g.fa --genes named.gff3 -r c1:1003-1006 -o place.svg
same gene.svg place.svg
fails 1 "a picture shows one region, 'gene:alpha,gene:beta' are 2" \
    "$GODWIT" view -q -f g.fa --genes named.gff3 -r gene:alpha,gene:beta -o no.svg
"$GODWIT" predict -q -m profiles -f g.fa --genes named.gff3 -r gene:alpha --bedgraph of_gene
"$GODWIT" predict -q -m profiles -f g.fa -r c1:1003-1006 --bedgraph of_place
for file in of_gene/*; do same "$file" "of_place/${file#of_gene/}"; done
fails 2 "--genes is only for gene:NAME" "$GODWIT" predict -q -m profiles -f g.fa --genes named.gff3 -r c1 --bedgraph no
"$GODWIT" embed -q -m profiles -f g.fa -g named.gff3 -r gene:alpha -o gene.npy
"$GODWIT" embed -q -m profiles -f g.fa -r c1:1003-1006 -o place.npy
same gene.npy place.npy
fails 2 "--genes says where a gene is" "$GODWIT" embed -q -m profiles -f g.fa -r gene:alpha -o no.npy

# Work grows with the number of genes over a variant, not with its square, which took minutes here.
awk 'BEGIN { for (i = 0; i < 50000; i++) print "c1\tx\tgene\t1\t3000\t.\t+\t.\tID=a|" i }' >many.gff3
timeout 120 "$GODWIT" score -q -m profiles -f g.fa --genes many.gff3 in.vcf >many.vcf || die "50,000 genes over a variant: $?"
genes <many.vcf | tr '& ' '\n\n' | sed 's/.*://' | head -50000 | sort -u >found
equal "$(wc -l <found)" 50000 "genes of the first record"
grep -q '^a%7C49999$' found || die "a gene's name with |"
