# BED files and VCFs that are wrong, for every command that takes them: file, line, found and expected; no output.
. "$ROOT/tests/cli/lib.sh"
prepared small

# bed TEXT FILE: refused by every command that reads BED.
bed() {
    fails 1 "$1" "$GODWIT" mutate -q -f g.fa -R "$2" -o out.vcf
    fails 1 "$1" "$GODWIT" promoters -q -f g.fa "$2" --upstream 40 --downstream 20 -o out.tsv
    fails 1 "$1" "$GODWIT" profiles -q -f g.fa "$2" --bin 20 --window 60 -o out
    fails 1 "$1" "$GODWIT" score -q -m promoter -f g.fa --sites "$2" in.vcf -o out.vcf
    fails 1 "$1" "$GODWIT" score -q -m profiles -f g.fa -T "$2" in.vcf -o out.vcf
    fails 1 "$1" "$GODWIT" predict -q -m promoter -f g.fa -R "$2" -o out.tsv
    [ -z "$(ls | grep '^out')" ] || die "an output was left: $(ls)"
}
printf 'c1\t10\t20\t.\t0\t+\nc1\t2990\t3001\t.\t0\t+\n' >past.bed
bed "past the end of contig 'c1' (3000 bp)" past.bed
bed "past.bed:2: " past.bed
printf 'c1\t20\t10\t.\t0\t+\n' >reversed.bed
bed "reversed.bed:1: the" reversed.bed
printf 'zz\t1\t10\t.\t0\t+\n' >unknown.bed
bed "unknown.bed:1: " unknown.bed
bed "zz" unknown.bed
printf 'c1 10 20x . 0 +\n' >blanks.bed
bed "blanks.bed:1: column 3, the end: '20x' is not a whole number" blanks.bed
printf 'c1\t10 \t20\t.\t0\t+\n' >blanks.bed
bed "blanks.bed:1: column 2, the start: '10 ' is not a whole number" blanks.bed
printf 'c1 \t10\t20\t.\t0\t+\n' >blanks.bed
bed "no contig 'c1 ' in g.fa" blanks.bed
printf 'c1 1000 1001 a 0 +\n' >blanks.bed
"$GODWIT" mutate -q -f g.fa -R blanks.bed | grep -v '^##' >blanks.vcf
"$GODWIT" mutate -q -f g.fa -r c1:1001 | grep -v '^##' >tabs.vcf
same blanks.vcf tabs.vcf
# What is not a start site or no peak is left out and counted.
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1500\t1500\tb\t0\t-\nc2\t2000\t2001\tc\t0\t.\nc2\t2000\t2001\td\n' >some.bed
"$GODWIT" promoters -q -f g.fa some.bed --upstream 40 --downstream 20 -o some.tsv 2>err
grep -q 'some.bed: 2 records have no strand' err || die "strands: $(cat err)"
grep -q 'some.bed: 1 records of 0 bp are not start sites' err || die "0 bp: $(cat err)"
equal "$(wc -l <some.tsv | tr -d ' ')" 3 "rows of the start site left"
"$GODWIT" profiles -q -f g.fa some.bed --bin 20 --window 60 -o some 2>err
grep -q '1 peaks of 0 bp were left out' err || die "peaks: $(cat err)"
# A file that counts from 1 has single bases of 0 bp.
printf 'c1\t1000\t1000\ta\t0\t+\nc1\t1500\t1500\tb\t0\t+\nc2\t2000\t2060\tc\t0\t+\n' >one.bed
"$GODWIT" predict -q -m profiles -f g.fa -R one.bed 2>err >/dev/null
grep -q 'one.bed: 2 of 3 regions have 0 bp: BED counts from 0' err || die "a file that counts from 1: $(cat err)"
printf 'c1\t-5\t20\t.\t0\t+\n' >negative.bed
bed "negative.bed:1: column 2, the start: -5 is outside" negative.bed
gzip -c past.bed | head -c 30 >cut.bed.gz
bed "cut.bed.gz: the compressed file is truncated or damaged" cut.bed.gz
bed "cannot open none.bed: No such file or directory" none.bed
: >empty.bed
fails 1 "empty.bed holds no TSS" "$GODWIT" promoters -q -f g.fa empty.bed -o out.tsv
fails 1 "empty.bed holds no peak" "$GODWIT" profiles -q -f g.fa empty.bed -o out

# vcf TEXT FILE
vcf() {
    fails 1 "$1" "$GODWIT" score -q -m profiles -f g.fa "$2" -o out.vcf
    [ ! -e out.vcf ] || die "an output was left"
}
: >empty.vcf
vcf "empty.vcf is neither VCF nor BCF" empty.vcf
vcf "g.fa is neither VCF nor BCF" g.fa
sed 's/^##fileformat.*/fileformat/' in.vcf >bad.vcf
vcf "bad.vcf is neither VCF nor BCF" bad.vcf
sed /^#CHROM/d in.vcf >bad.vcf
vcf "bad.vcf:7: broken header: expected a ## line or the #CHROM line" bad.vcf
sed 's/^#CHROM	POS/#CHROM	PIS/' in.vcf >bad.vcf
vcf "bad.vcf:7: broken header: expected the columns #CHROM POS" bad.vcf
sed 's/^##contig=<ID=c1,.*/##contig=<ID=c1/' in.vcf >bad.vcf
"$GODWIT" score -q -m profiles -f g.fa bad.vcf 2>err | grep -q '^##contig=<ID=c1$' || die "an odd line is lost"
grep -q 'the first in line 5' err || die "an odd line is not told of: $(cat err)"
sed '10s/	[0-9]*	/	x	/' in.vcf >bad.vcf
vcf "bad.vcf:10: POS: 'x' is not a whole number" bad.vcf
sed 's/c1,length=3000/c1,length=3001/' in.vcf >bad.vcf
vcf "bad.vcf declares contig c1 with 3001 bp, but g.fa has it with 3000 bp" bad.vcf
gzip -c in.vcf | head -c 300 >cut.vcf.gz
vcf "cut.vcf.gz is truncated or damaged" cut.vcf.gz
"$GODWIT" mutate -q -f g.fa -r c1:1-99 -O z | head -c 800 >cut.vcf.gz
vcf "cut.vcf.gz is truncated" cut.vcf.gz
vcf "cannot open none.vcf: No such file or directory" none.vcf

# Genomes: the other commands are in test_bad_fasta.sh.
: >empty.fa
printf '>a\nACGT\n>a\nAC\n' >twice.fa
gzip -c g.fa >gzip.fa.gz
cp g.fa odd.fa
printf 'c1\t3000\t4\t50\t51\nc2\t2000\t3068\t50\t51\n' >odd.fa.fai
for case in "empty.fa: no sequence found" "twice.fa:3: contig 'a' occurs twice" "gzip.fa.gz is plain gzip" \
    "odd.fa.fai contradicts its FASTA at contig 'c2'"; do
    file=$(echo "$case" | sed 's/^\([a-z]*[.]fa\([.]gz\)*\).*/\1/')
    fails 1 "$case" "$GODWIT" mutate -q -f "$file" -r c1:1-10
    fails 1 "$case" "$GODWIT" promoters -q -f "$file" tss.bed -o out.tsv
    fails 1 "$case" "$GODWIT" profiles -q -f "$file" tss.bed -o out
    fails 1 "$case" "$GODWIT" score -q -m profiles -f "$file" in.vcf
    fails 1 "$case" "$GODWIT" predict -q -m profiles -f "$file" -d prof
    fails 1 "$case" "$GODWIT" finetune -q -m model -f "$file" -d prof --task profiles -o out
    fails 1 "$case" "$GODWIT" eval -q -m profiles -f "$file" -d prof
done
[ -z "$(ls | grep '^out')" ] || die "an output was left: $(ls)"
