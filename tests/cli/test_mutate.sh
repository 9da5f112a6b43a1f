# godwit mutate: every single-base change, in order, with a header that others read.
. "$ROOT/tests/cli/lib.sh"
printf '>I\nacgtRN\n>II\nGGT\n' >g.fa

"$GODWIT" mutate -q -f g.fa -r I:2-5,chrII:3 >out.vcf
cat >expected.vcf <<EOF
##fileformat=VCFv4.2
##source=$("$GODWIT" --version | head -n 1)
##godwit_command=godwit mutate -q -f g.fa -r I:2-5,chrII:3
##reference=file://g.fa
##contig=<ID=I,length=6>
##contig=<ID=II,length=3>
EOF
printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >>expected.vcf
for row in 'I 2 C A' 'I 2 C G' 'I 2 C T' 'I 3 G A' 'I 3 G C' 'I 3 G T' 'I 4 T A' 'I 4 T C' 'I 4 T G' \
    'II 3 T A' 'II 3 T C' 'II 3 T G'; do
    # shellcheck disable=SC2086 # four words
    printf '%s\t%s\t.\t%s\t%s\t.\t.\t.\n' $row >>expected.vcf
done
same out.vcf expected.vcf

# Regions that overlap, or are out of order, give each change once and in order.
printf 'II\t2\t3\nI\t2\t4\nI\t1\t3\n' >r.bed
"$GODWIT" mutate -q -f g.fa -R r.bed | grep -v '^##' >bed.vcf
grep -v '^##' expected.vcf >records.vcf
same bed.vcf records.vcf
"$GODWIT" mutate -q -f g.fa -t ^I:1,I:5-6,II:1-2 | grep -v '^##' >targets.vcf
same targets.vcf records.vcf

# Compressed by name or by option, from BGZF input.
"$GODWIT" mutate -q -f g.fa -R r.bed -o bed.vcf.gz
gzip -dc bed.vcf.gz | grep -v '^##' >gz.vcf
same gz.vcf records.vcf
"$GODWIT" mutate -q -f g.fa -R r.bed -O z | gzip -dc | grep -v '^##' >z.vcf
same z.vcf records.vcf
equal "$("$GODWIT" mutate -q -f "$ROOT/tests/data/lambda.fa.gz" -r lambda | grep -vc '^#')" 145506 "changes of lambda"

fails 2 "name the regions" "$GODWIT" mutate -f g.fa
fails 2 "'b' is not one of v|z" "$GODWIT" mutate -f g.fa -r I -O b
fails 1 "region 'I:5-9': the region ends at 9, past the end of contig 'I' (6 bp)" "$GODWIT" mutate -f g.fa -r I:5-9
fails 1 "standard input has no random access" "$GODWIT" mutate -f - -r I
if [ -w /dev/full ]; then
    fails 1 "/dev/full: No space left on device" "$GODWIT" mutate -f g.fa -r I -o /dev/full
    fails 1 "/dev/full: No space left on device" "$GODWIT" mutate -f g.fa -r I -o /dev/full -O z
fi
