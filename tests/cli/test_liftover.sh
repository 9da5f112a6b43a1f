# godwit liftover: BED of every width and VCF through a small chain file, on both strands, and what bad input gets.
. "$ROOT/tests/cli/lib.sh"

# Old contig a (100 bp), new contig B (120 bp). Chain 1: a:0-40 on B:10-50, 5 more bases in B, a:40-60 on B:55-75.
# Chain 2: a:70-90 on B:100-120 of the other strand, which is the + strand's 0-20. chain 3: c:0-20 on two places.
cat >x.chain <<'END'
# comment
chain 900 a 100 + 0 60 B 120 + 10 75 1
40 0 5
20

chain 500 a 100 + 70 90 B 120 - 100 120 2
20

chain 300 chrC 20 + 0 20 B 120 + 75 95 3
20

chain 200 chrC 20 + 0 20 B 120 + 95 115 4
20
END
lift() { "$GODWIT" liftover -q -c x.chain "$@"; }

printf '# kept\na\t0\t1\tone\t0\t+\textra\na\t30\t50\tgap\na\t75\t80\tflip\t0\t-\na\t60\t61\tgone\na\t56\t66\tpart\na\t0\t90\tsplit\nC\t1\t2\ttwice\nz\t1\t2\tnone\na\t50\t50\tplace\n' >in.bed
lift -u lost.bed in.bed >out.bed
printf '# kept\nB\t10\t11\tone\t0\t+\textra\nB\t40\t65\tgap\nB\t10\t15\tflip\t0\t+\nB\t65\t65\tplace\n' >expected
same out.bed expected
printf '#Deleted in new\na\t60\t61\tgone\n#Partially deleted in new\na\t56\t66\tpart\n#Split in new\na\t0\t90\tsplit\n#Duplicated in new\nC\t1\t2\ttwice\n#No such contig in the chain file\nz\t1\t2\tnone\n' >expected
same lost.bed expected
equal "$(lift --min-match 0.4 in.bed | grep part)" "B	71	75	part" "min-match"
equal "$(lift --multiple in.bed | grep twice | cut -f2,3 | tr '\t\n' '- ')" "76-77 96-97 " "several chains"
bgzip -c x.chain >x.chain.gz 2>/dev/null || gzip -c x.chain >x.chain.gz
gzip -c in.bed | "$GODWIT" liftover -q -c x.chain.gz - -o out.bed.gz
gzip -dc out.bed.gz >again.bed
same again.bed out.bed

# BED12 on the other strand: blocks run the other way, the thick part too; blanks between columns.
printf 'a\t70\t90\ttx\t0\t+\t72\t88\t0\t3\t5,4,6,\t0,8,14,\n' >tx.bed
equal "$(lift tx.bed | tr '\t' ' ')" "B 0 20 tx 0 - 2 18 0 3 6,4,5, 0,8,15," "BED12"
equal "$(printf 'a  72 74 x\n' | lift | tr '\t' ' ')" "B 16 18 x" "blanks"
# A block in the gap between two chains: the others alone would be enough.
printf 'a\t0\t62\ttx\t0\t+\t0\t60\t0\t2\t50,2,\t0,60,\n' >tx.bed
lift --min-match 0.9 -u lost.bed tx.bed >out.bed
equal "$(head -1 lost.bed)" "#Boundary problem: a block is deleted in new" "a block without partner"
printf 'C\tnamed\n' >names.tsv
fails 1 "names.tsv:1: the FASTA has no contig 'named'" "$GODWIT" liftover -q -c x.chain --chr-map names.tsv in.bed
printf 'one\ta\n' >names.tsv
equal "$(printf 'one\t0\t1\n' | lift --chr-map names.tsv)" "B	10	11" "--chr-map"

# What is said: counts, and under -q that the names do not meet, or that nothing has any bases.
"$GODWIT" liftover -c x.chain in.bed 2>&1 >/dev/null | grep -q '^godwit: 9 regions, 4 written' || die "no counts"
printf 'x\t1\t2\nx\t3\t4\na\t1\t2\n' | lift 2>notes >out.bed
grep -q "2 of 3 records of - lie on contigs that the chain file lacks, such as 'x'; it has 'a' and 1 others" notes ||
    die "no warning of names: $(cat notes)"
printf 'a\t5\t5\na\t6\t6\n' | lift 2>&1 >/dev/null | grep -q '2 of 2 regions have 0 bp' || die "no warning of 0 bp"

# VCF. The new genome is made so that it agrees with the old one but for one base.
awk "$DRAW"'BEGIN { seed = 5; s = bases(120); s = substr(s, 1, 4) "TCACACAC" substr(s, 13); print ">B"; print s }' >new.fa
new() { sed 1d new.fa | cut -c"$1-$2"; }
flip() { echo "$1" | rev | tr ACGT TGCA; }
other() { [ "$1" = A ] && echo C || echo A; }
r=$(new 21 21) f=$(new 3 3)
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=a,length=100>\n##reference=old\n##odd "line\n##INFO=<ID=END,Number=1,Type=Integer,Description="e">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n'
    printf 'a\t11\tsnv\t%s\t%s\t1234567.89\tPASS\tK=1;END=11;L=2\tGT\t0/1\n' "$r" "$(other "$r")"
    printf 'a\t11\tswap\t%s\t%s\t.\t.\t.\tGT\t0/1\n' "$(other "$r")" "$r"
    printf 'a\t11\tbad\t%s\t*\t.\t.\t.\tGT\t0/1\n' "$(other "$r")"
    printf 'a\t88\tflip\t%s\t%s,*,.\t.\t.\t.\tGT\t1/1\n' "$(flip "$f")" "$(flip "$(other "$f")")"
    printf 'a\t40\tgap\t%s\tA\t.\t.\t.\tGT\t1/1\n' "$(new 50 50)$(new 56 56)"
    printf 'a\t61\tgone\tA\tC\t.\t.\t.\tGT\t1/1\n'
    printf 'C\t2\ttwice\tA\tC\t.\t.\t.\tGT\t1/1\n'
    printf 'q\t2\tnone\tA\tC\t.\t.\t.\tGT\t1/1\n'
    printf 'a\t11\tdel\t%s\t<DEL>\t.\t.\tEND=20\tGT\t0/1\n' "$r"
    printf 'a\t88\tsym\t%s\t<DEL>\t.\t.\tEND=89\tGT\t0/1\n' "$(flip "$f")"
    printf 'a\t11\tbnd\t%s\t%s[q:5[\t.\t.\t.\tGT\t0/1\n' "$r" "$r"
    # On the other strand a deletion of CA anywhere in CACACAC comes to its leftmost place, B:5.
    printf 'a\t79\tindel\t%s\t%s\t.\t.\tI\tGT\t0/1\n' "$(flip "$(new 10 12)")" "$(flip "$(new 12 12)")"
} >in.vcf
lift --vcf -f new.fa -u lost.vcf in.vcf >out.vcf
row() { grep -P "\t$1\t" "${2:-out.vcf}" | tr '\t' ' '; }
equal "$(row snv)" "B 21 snv $r $(other "$r") 1234567.89 PASS K=1;END=21;L=2 GT 0/1" "a substitution"
equal "$(row flip)" "B 3 flip $f $(other "$f"),*,. . . GW_FLIP GT 1/1" "the other strand"
equal "$(row del)" "B 21 del $r <DEL> . . END=30 GT 0/1" "a symbolic allele"
equal "$(row indel)" "B 5 indel $(new 5 7) $(new 5 5) . . I;GW_FLIP GT 0/1" "an indel on the other strand"
equal "$(grep -vc '^#' out.vcf)" 4 "records lifted"
equal "$(row swap lost.vcf)" "a 11 swap $(other "$r") $r . . GW_LIFT=SWAPPED GT 0/1" "a record left behind"
equal "$(sed -n 's/.*GW_LIFT=\([A-Z]*\).*/\1/p' lost.vcf | tr '\n' ' ')" \
    "SWAPPED REFMISMATCH GAP DELETED DUPLICATED NOCONTIG SYMBOLIC BREAKEND " reasons
grep -q '^##odd "line' out.vcf || die "a header line was lost"
grep -q '^##contig=<ID=B,length=120>' out.vcf || die "no contig of the new genome"
grep -q '^##contig=<ID=a' out.vcf && die "a contig of the old genome"
grep -q '^##contig=<ID=a' lost.vcf || die "the old contig is not in what is left behind"
if has bcftools; then bcftools view out.vcf >/dev/null 2>&1 || die "bcftools refuses the VCF"; fi

fails 2 "--vcf needs the genome" "$GODWIT" liftover -c x.chain --vcf in.vcf
fails 1 "in.bed is not a VCF" "$GODWIT" liftover -q -c x.chain --vcf -f new.fa in.bed
printf '##fileformat=VCFv4.2\n#CHROM\tPOS\n a\t1\n' >bad.vcf
fails 1 "bad.vcf:3: 2 columns, but a VCF record has at least 8" "$GODWIT" liftover -q -c x.chain --vcf -f new.fa bad.vcf -o /dev/null
printf '>B\nACGT\n' >other.fa
fails 1 "'B' has 120 bp in x.chain, but 4 bp in other.fa" "$GODWIT" liftover -q -c x.chain --vcf -f other.fa in.vcf -o no.vcf
[ ! -e no.vcf ] || die "a failed run left its output"
printf 'a\t5\t101\n' >bad.bed
fails 1 "bad.bed:1: the region ends at 101, but 'a' has 100 bp in x.chain" "$GODWIT" liftover -q -c x.chain bad.bed
printf 'chrom\tstart\tend\n' >bad.bed
fails 1 "bad.bed:1: column 2, the start: 'start' is not a whole number (a line of column names needs a # before it)" "$GODWIT" liftover -q -c x.chain bad.bed
printf 'a\t1\t9\tn\t0\t+\t1\t9\t0\t2\t1,1\t0,4\n' >bad.bed
fails 1 "bad.bed:1: the blocks of columns 11 and 12 do not lie in order" "$GODWIT" liftover -q -c x.chain bad.bed
head -3 x.chain >cut.chain
fails 1 "cut.chain:3: the file ends within the chain of line 2: it is truncated" "$GODWIT" liftover -q -c cut.chain in.bed
