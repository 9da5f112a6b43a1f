# godwit score: symbolic alleles as the bases they stand for, records whose REF is wrong, alleles of odd sizes.
. "$ROOT/tests/cli/lib.sh"
prepared small
score() { "$GODWIT" score "$@"; }
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
bases() { sed -n '2,61p' g.fa | tr -d '\n' | cut -c"$1-$2"; }
other() { [ "$1" = A ] && echo C || echo A; }
flip() { rev | tr ACGT TGCA; }
head_lines() {
    printf '##fileformat=VCFv4.3\n##contig=<ID=c1,length=3000>\n##INFO=<ID=END,Number=1,Type=Integer,Description="e">\n'
    printf '##INFO=<ID=SVLEN,Number=.,Type=Integer,Description="l">\n##INFO=<ID=N,Number=1,Type=String,Description="n">\n'
    printf '##ALT=<ID=DEL,Description="d">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
}
b=$(bases 1000 1000) x=$(bases 1001 1006)
row() { printf 'c1\t%s\t.\t%s\t%s\t.\t.\t%s\n' "$@"; }

# Each symbol beside its bases, by SVLEN of either sign or END, N as REF, several in one record; through BCF too.
{
    head_lines
    row 1000 "$b$x" "$b" N=del
    row 1000 "$b" "<DEL>" "SVLEN=-6;N=d1"
    row 1000 "$b" "<DEL:ME:ALU>" "END=1006;N=d2"
    row 1000 "$b" "$b$x" N=dup
    row 1000 "$b" "<DUP>" "END=1006;N=u1"
    row 1000 "$b" "<DUP:TANDEM>" "SVLEN=6;N=u2"
    row 1000 "$b$x" "$b$(echo "$x" | flip)" N=inv
    row 1000 "$b" "<INV>" "SVLEN=6;END=1006;N=i1"
    row 1000 "$b" "<DEL>,<INS>,<INV>" "SVLEN=-6,4,6;N=m"
} >sv.vcf
# shellcheck disable=SC2086 # an option and its value
same_scores() { # KEY MODEL...
    key=$1 && shift
    score -q "$@" -f g.fa sv.vcf >sv.out.vcf
    of() { grep "N=$1[;	]" sv.out.vcf | cut -f8 | value "$key"; }
    for pair in del:d1 del:d2 dup:u1 dup:u2 inv:i1; do
        equal "$(of "${pair#*:}")" "$(of "${pair%:*}")" "$key of $pair"
    done
    [ "$(of del)" != "$(of dup)" ] || die "a deletion scores as a duplication"
    equal "$(of m)" "$(of del),.,$(of inv)" "$key of several"
}
same_scores GW_LLR -m model --window 60
same_scores GW_DIFF -m profiles
score -q -m profiles -f g.fa -O b -o sv.bcf sv.vcf
score -q -m profiles -f g.fa --overwrite sv.bcf | grep -v '^#' | cut -f8 | value GW_DIFF >found
score -q -m profiles -f g.fa sv.vcf | grep -v '^#' | cut -f8 | value GW_DIFF >expected
same found expected

# What cannot be scored says why.
{
    head_lines
    row 1000 "$b" "<DEL>" .
    row 1000 "$b" "<INV>" "END=999"
    row 1000 "$b" "<DEL>" "SVLEN=16"
    row 1000 "$b" "<DUP>" "SVLEN=2000000000"
    row 1000 "$b" "<CNV>" "SVLEN=5"
    row 1000 "$b" "<DELTA>" "SVLEN=5"
    row 1000 "$(other "$b")" "<DEL>" "SVLEN=5"
    row 2999 "$(bases 2999 2999)" "<DEL>" "END=3004"
    row 0 N "<DEL>" "SVLEN=5"
    printf 'nowhere\t1000\t.\tA\t<DEL>\t.\t.\tSVLEN=5\n'
} >bad.vcf
score -q -m profiles -f g.fa bad.vcf >out.vcf
equal "$(grep -v '^#' out.vcf | cut -f8 | value GW_STATUS | tr '\n' ' ')" \
    "NOLENGTH NOLENGTH TOOLONG REFMISMATCH SYMBOLIC SYMBOLIC REFMISMATCH REFMISMATCH EDGE NOCONTIG " "reasons"

# REF that the reference does not have, by each --check-ref.
r=$(bases 1500 1500) a=$(other "$(bases 1500 1500)")
{
    head_lines
    row 1500 "$r" "$a" N=right
    row 1500 "$a" "$r" N=swapped
    row 1500 "$a" "$(echo "$r$a" | tr ACGT TGCA | cut -c1)" N=wrong
    row 1500 "$r" "$r$x" N=ins
    row 1500 "$r$x" "$r" N=back
} >ref.vcf
for model in profiles "model --window 60"; do
    # shellcheck disable=SC2086
    score -q -m $model -f g.fa --raw --check-ref s ref.vcf >out.vcf 2>err || score -q -m $model -f g.fa --check-ref s ref.vcf >out.vcf
    of() { grep "N=$1[;	]" out.vcf | cut -f8 | value "$2"; }
    equal "$(of swapped GW_STATUS) $(of right GW_STATUS) $(of wrong GW_STATUS)" "SWAPPED PASS REFMISMATCH" "statuses"
    key=GW_DIFF && [ "$model" = profiles ] || key=GW_LLR
    equal "$(of swapped $key)" "$(echo "-$(of right $key)" | sed 's/^--//; s/^-0$/0/')" "a swapped record"
    if [ "$model" = profiles ]; then
        equal "$(of swapped GW_PREF) $(of swapped GW_PALT)" "$(of right GW_PALT) $(of right GW_PREF)" "raw values"
        equal "$(of swapped GW_LOGIT)" "$(echo "-$(of right GW_LOGIT)" | sed 's/^--//; s/^-0$/0/')" "a swapped logit"
    fi
done
score -m profiles -f g.fa --check-ref x ref.vcf >out.vcf 2>err
equal "$(grep -v '^#' out.vcf | cut -f8 | value N | tr '\n' ' ')" "right ins " "records that are left"
grep -q '3 records whose REF differs from the reference were left out' err || die "count: $(cat err)"
fails 1 "ref.vcf:9: REF is '$a', but g.fa has '$r' at c1:1500" "$GODWIT" score -q -m profiles -f g.fa --check-ref e -o no.vcf ref.vcf
[ ! -e no.vcf ] || die "a failed run left its output"
fails 2 "e|w|x|s" "$GODWIT" score -m profiles -f g.fa --check-ref y ref.vcf

# REF longer than the window, ALT of 50 kb, a contig shorter than the window, records twice and out of order.
{ cat g.fa && printf '>tiny\nACGTACGT\n'; } >more.fa
{
    head_lines
    row 1000 "$(bases 1000 1100)" "$b" N=long
    row 1000 "$b" "$(awk 'BEGIN { for (i = 0; i < 50000; i++) printf "ACGT"; print "" }' | cut -c1-50000)" N=huge
    printf 'tiny\t4\t.\tT\tA\t.\t.\tN=tiny\n'
    row 1500 "$r" "$a" N=one
    row 1500 "$r" "$a" N=two
    row 1000 "$b" "$(other "$b")" N=before
} >odd.vcf
score -q -m profiles -f more.fa odd.vcf >out.vcf
of() { grep "N=$1[;	]" out.vcf | cut -f8 | value "$2"; }
equal "$(of long GW_STATUS) $(of huge GW_STATUS) $(of tiny GW_STATUS) $(of before GW_STATUS)" "TOOLONG TOOLONG EDGE PASS" "sizes"
equal "$(of two GW_DIFF)" "$(of one GW_DIFF)" "a duplicate"
grep -v '^#' odd.vcf | cut -f1-7 >expected
grep -v '^#' out.vcf | cut -f1-7 >found
same found expected
