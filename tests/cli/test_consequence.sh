# --consequence of godwit score: terms of a made gene, what is told of alleles that are no bases, and thousands of random changes of made
# genes as bcftools csq tells them, where it is installed.
. "$ROOT/tests/cli/lib.sh"
prepared small
python=${PYTHON:-python3}
score() { "$GODWIT" score -q -@ 1 -m model --window 20 "$@"; }
# POS, ALT, GW_BCSQ and GW_STATUS of each record
told() { grep -v '^#' | awk -F'\t' '{ b = s = $8; if (!sub(/.*GW_BCSQ=/, "", b)) b = "-"; sub(/;.*/, "", b); sub(/.*GW_STATUS=/, "", s); print $2, $5, b, s }'; }

{
    echo '>chrA'
    echo ACGTTGCATCGATCGGATCAGGCCAATGGCTTGGAAAGTAAGTACTTTTTTTTTTTTTTTTTTTCAGCGTGATTAACCGGTTCAGGATCTAGCCATGCATT
} >a.fa
row() { printf '%s\tx\t%s\t%s\t%s\t.\t+\t%s\t%s\n' "$@"; }
{
    row chrA gene 21 81 . 'ID=gene:g1;Name=one%2C1;biotype=protein_coding'
    row chrA mRNA 21 81 . 'ID=transcript:t1;Parent=gene:g1;biotype=protein_coding'
    row chrA five_prime_UTR 21 25 . Parent=transcript:t1
    row chrA exon 21 37 . Parent=transcript:t1
    row chrA exon 68 81 . Parent=transcript:t1
    row chrA CDS 26 37 0 Parent=transcript:t1
    row chrA CDS 68 76 0 Parent=transcript:t1
    row chrA three_prime_UTR 77 81 . Parent=transcript:t1
} >a.gff3
{
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for v in '5 T C' '22 G A' '28 G A' '30 C A,T,N' '31 T TA' '33 G A,*' '33 G R' '38 G A' '40 A .' '41 G C' '52 T A' '52 T <INS>' '53 T <DUP>' '53 T G]chrA:9]' '74 T C'; do
        echo "$v" | awk -v OFS='\t' '{ print "chrA", $1, ".", $2, $3, ".", ".", "." }'
    done
    printf 'nowhere\t5\t.\tA\tC\t.\t.\t.\n'
} >a.vcf
score -f a.fa --genes a.gff3 --consequence a.vcf >out.vcf
grep -q '^##INFO=<ID=GW_BCSQ,Number=.,Type=String,Description="Consequences .* Format: Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change">' out.vcf ||
    die "GW_BCSQ is not declared as bcftools csq declares BCSQ"
told <out.vcf | sed 's/one%2C1|t1|protein_coding/ONE/g' >found
cat >expected <<'E2'
5 C - EDGE
22 A 5_prime_utr|ONE PASS
28 A start_lost|ONE|+ PASS
30 A,T,N missense|ONE|+|2A>2D|30C>A,missense|ONE|+|2A>2V|30C>T PASS,PASS,AMBIGUOUS
31 TA frameshift|ONE|+|2AWKRD*>2AMET*|31T>TA PASS
33 A,* stop_gained|ONE|+|3W>3*|33G>A PASS,SPANNING
33 R - AMBIGUOUS
38 A splice_donor|ONE PASS
40 . - .
41 C - REFMISMATCH
52 A intron|one%2C1||protein_coding PASS
52 <INS> intron&feature_elongation|ONE SYMBOLIC
53 <DUP> - NOLENGTH
53 G]chrA:9] - BREAKEND
74 C stop_lost|ONE|+|7*>7Q|74T>C PASS
5 C - NOCONTIG
E2
same found expected
# nothing else changes, contigs may be called otherwise, and the prefix holds for it too
sed 's/GW_BCSQ=[^;]*;//' out.vcf | grep -v '^##' >found
score -f a.fa --genes a.gff3 a.vcf | grep -v '^##' >expected
same found expected
sed 's/^chrA/A/' a.gff3 | gzip >b.gff3.gz
score -f a.fa --genes b.gff3.gz --consequence --tag X a.vcf | grep -v '^##' | sed 's/X_/GW_/g' >found
grep -v '^##' out.vcf >expected
same found expected
score -f a.fa --genes a.gff3 --consequence -O b -o out.bcf a.vcf
[ -s out.bcf ] || die "no BCF"

fails 1 "needs --genes" score -f a.fa --consequence a.vcf
fails 1 "which the key of --vep cannot hold" score -f a.fa --genes a.gff3 --consequence --vep a.vcf
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nA\tchrA\t+\t20\t81\t20,67\t37,81\n' >table.txt
fails 1 "table.txt" score -f a.fa --genes table.txt --consequence a.vcf
{
    cat a.gff3
    row chrA transcript 1 9 . 'ID=transcript:z;Parent=gene:g1;biotype=unheard_of'
} >unknown.gff3
"$GODWIT" score -@ 1 -m model --window 20 -f a.fa --genes unknown.gff3 --consequence a.vcf 2>err | grep -v '^##' >found
same found expected
grep -q "1 transcripts, or other features below genes, whose biotype has no consequences, such as 'unheard_of'" err || die "no word of a transcript that is left out: $(cat err)"
# CDS straight below a gene, as annotations of bacteria have them: the gene is its own transcript; pseudogenes have none.
coding() { # PARENT
    row chrA CDS 26 37 0 "Parent=$1"
    row chrA CDS 68 76 0 "Parent=$1"
}
{
    row chrA gene 26 76 . 'ID=gene:g1;Name=one'
    row chrA mRNA 26 76 . 'ID=transcript:t1;Parent=gene:g1;biotype=protein_coding'
    coding transcript:t1
} >mrna.gff3
{
    coding gene-b1
    row chrA gene 26 76 . 'ID=gene-b1;Name=one;gene_biotype=protein_coding'
    row chrA pseudogene 1 9 . 'ID=gene-b2;Name=two;gene_biotype=pseudogene'
    row chrA CDS 1 9 0 'ID=cds-b2;Parent=gene-b2;pseudo=true'
} >bacterial.gff3
score -f a.fa --genes mrna.gff3 --consequence a.vcf | told | sed 's/|t1|/|gene-b1|/g' >wanted
grep -q 'missense|one|gene-b1|protein_coding|+|2A>2D' wanted || die "consequences of a transcript without exons: $(cat wanted)"
score -f a.fa --genes bacterial.gff3 --consequence a.vcf | told >found
same found wanted
{
    coding gene-b1 | sed 's/Parent=gene-b1/ID=gene-b1;Name=one;locus_tag=b1/'
    row chrA CDS 1 9 0 'ID=cds-b2;pseudo=true'
    printf '##FASTA\n>chrA\nACGT\n'
} >prokka.gff3
score -f a.fa --genes prokka.gff3 --consequence a.vcf | told >found
same found wanted
equal "$(score -f a.fa --genes prokka.gff3 --variants one:c.3G\>A,gene-b1:c.3G\>A | grep -v '^#' | cut -f2,4,5 | tr '\t\n' ' |')" "28 G A|28 G A|" \
    "HGVS of a gene without transcripts"
# Genes of bacteria begin with NTG and ATN: the first codon of this one is TTG, on the other strand CAA.
printf '>chrB\nACCTTGACCTAACCCCTTACGTCAAGGT\n' >b.fa
{
    printf 'chrB\tx\tCDS\t4\t12\t.\t+\t0\tID=f\n'
    printf 'chrB\tx\tCDS\t17\t25\t.\t-\t0\tID=r\n'
} >starts.gff3
{
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'chrB\t4\t.\tT\tC\t.\t.\t.\nchrB\t8\t.\tC\tA\t.\t.\t.\nchrB\t24\t.\tA\tC\t.\t.\t.\n'
} >starts.vcf
equal "$(score -f b.fa --genes starts.gff3 --consequence starts.vcf | told | cut -d' ' -f3 | cut -d'|' -f1-3 | tr '\n' ' ')" \
    "start_lost|f|f missense|f|f start_lost|r|r " "starts of bacteria"

# A transcript one of whose parts ends beyond the contig is left out, however far that is.
{
    cat a.gff3
    row chrA mRNA 30 90 . 'ID=transcript:far;Parent=gene:g1;biotype=protein_coding'
    row chrA CDS 30 32222222222222227 0 Parent=transcript:far
} >far.gff3
"$GODWIT" score -@ 1 -m model --window 20 -f a.fa --genes far.gff3 --consequence a.vcf 2>err | grep -v '^##' >found
same found expected
grep -q "1 transcripts end past the end of their contig and are left out" err || die "no word of a part beyond the contig: $(cat err)"

# Random changes. 1.22 has further terms.
version=$(bcftools --version 2>/dev/null | awk 'NR == 1 { print $2 }')
case $version in
1.1[6-9] | 1.2[01]) "$python" -c '' 2>/dev/null || version='' ;;
*) version='' ;;
esac
[ -n "$version" ] || { echo "left out: random changes beside bcftools csq, which needs Python, and bcftools of 1.16 to 1.21" && exit 0; }
for seed in 1 2 3; do
    rm -f g.fa.fai
    "$python" "$ROOT/tests/cli/consequence.py" make "$seed" 4000
    bcftools csq -l -f g.fa -g genes.gff3 -o csq.vcf in.vcf 2>log || die "bcftools csq: $(tail -n 1 log)"
    score -f g.fa --genes genes.gff3 --consequence in.vcf >scored.vcf
    "$python" "$ROOT/tests/cli/consequence.py" compare csq.vcf scored.vcf "$version"
done
