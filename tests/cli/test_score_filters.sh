# godwit score -i and -e: expressions choose the records that bcftools chooses, from VCF and BCF.
. "$ROOT/tests/cli/lib.sh"
prepared small
{
    cat <<'END'
##fileformat=VCFv4.2
##contig=<ID=c1,length=3000>
##FILTER=<ID=q10,Description="q">
##FILTER=<ID=s50,Description="s">
##INFO=<ID=AC,Number=A,Type=Integer,Description="a">
##INFO=<ID=AF,Number=A,Type=Float,Description="f">
##INFO=<ID=DP,Number=1,Type=Integer,Description="d">
##INFO=<ID=S,Number=1,Type=String,Description="s">
##INFO=<ID=SS,Number=.,Type=String,Description="l">
##INFO=<ID=FL,Number=0,Type=Flag,Description="f">
##FORMAT=<ID=GT,Number=1,Type=String,Description="g">
##FORMAT=<ID=AD,Number=1,Type=String,Description="g">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	s
END
    tr ' ' '\t' <<'END'
c1 1 rs1 A C 10 PASS AC=1;AF=0.1;DP=10;S=foo;SS=a,b GT 0/1
c1 2 . A C,G 20 q10 AC=1,5;AF=0.1,0.5;DP=20;S=bar;SS=b;FL GT 0/1
c1 3 rs3 AT A 30.5 q10;s50 AC=2;AF=.;DP=.;S=.;SS=. GT 0/1
c1 4 . A ATT . . . GT 0/1
c1 5 x AT GC 40 s50 DP=5;FL;AC=.,3 GT 0/1
c1 6 y A <DEL> 50 PASS S=Foo;AF=0.25 GT 0/1
c1 7 z A . 60 PASS S=foo,bar GT 0/1
c1 8 w A *,C 7 PASS AC=0,0 GT 0/1
c1 9 v A A[c1:5[ 7 PASS AC=0 GT 0/1
c1 10 v;rs5 A C 0 q10 AC=9;S="q" GT 0/1
END
} >sites.vcf
chosen() { "$GODWIT" score -q -m profiles -f g.fa --tag T "$@" 2>/dev/null | grep -v '^#' | cut -f2 | tr '\n' ' '; }
"$GODWIT" score -q -m profiles -f g.fa --tag X -O b -o sites.bcf sites.vcf 2>/dev/null

# What each chooses, worked out by hand from bcftools' manual; -e chooses the others.
while IFS='	' read -r expression want; do
    equal "$(chosen -i "$expression" sites.vcf)" "$want " "$expression"
    equal "$(chosen -i "$expression" sites.bcf)" "$want " "$expression, BCF"
    equal "$(chosen -e "$expression" sites.vcf | tr ' ' '\n' | wc -l | tr -d ' ')" $((10 - $(echo "$want" | wc -w))) "not $expression"
done <<'END'
QUAL>20	3 5 6 7
QUAL="."	4
FILTER="q10"	2 10
FILTER~"q10"	2 3 10
FILTER!~"q10"	1 4 5 6 7 8 9
FILTER="s50;q10"	3
AC>1 && FILTER!="PASS"	2 3 5 10
AC[0]>1	3 10
AF!="."	1 2 6
DP%3=1 || (DP+1)*2>20 & DP/AC>4	1 2
S~"^F/i"	1 6 7
TYPE="snp"	1 2 10
TYPE~"snp"	1 2 8 10
FL=1	2 5
strlen(ALT)>1 | MAX(AC)>4	2 4 5 6 9 10
AC="."	4 5 6 7
AC[1]="."	1 3 4 6 7 9 10
AC[1]!="."	2 5 8
END

equal "$(chosen -i 'AC[5]>0' sites.vcf)" "" "an index past the end"
# Without ALT a record is the reference, however long REF is.
{ grep '^#' sites.vcf && printf 'c1\t12\t.\tAT\t.\t.\t.\t.\tGT\t0\n'; } >same.vcf
equal "$(chosen -i 'TYPE="ref"' same.vcf)" "12 " "a REF of two bases without ALT"

# The same as bcftools itself, where it is there.
if has bcftools; then
    while read -r expression; do
        want=$(bcftools query -i "$expression" -f '%POS ' sites.vcf 2>err) || die "bcftools refuses $expression: $(cat err)"
        equal "$(chosen -i "$expression" sites.vcf)" "$want" "$expression"
    done <<'END'
QUAL!="."
FILTER="PASS"
FILTER!="q10"
FILTER="."
AC!=1
AC=1
AC[*]>4
AF="."
DP!="."
S="foo"
S!="foo"
S~"^f"
S!~"foo"
SS="b"
FL=0
TYPE!="snp"
TYPE~"indel"
TYPE="mnps"
TYPE="other"
TYPE="ref"
TYPE="bnd"
TYPE!~"snp"
N_ALT>1
ID="."
ID~"rs"
REF="A"
ALT="C"
ALT!="C"
ALT[0]="C"
ALT~"DEL"
POS>3 & DP<6
QUAL>40 || DP>10 && POS<3
(QUAL>40 || DP>10) && POS<3
AC/DP>0.09
AC+DP>20
SUM(AC)>5
AVG(AF)>0.2
ABS(QUAL-30)<1
-QUAL<-40
DP>10 && (AC=1 || AC=2)
DP>AC
S=="foo"
S='foo'
S!="."
1<QUAL
AF="."
AF!="."
SS="."
SS!="."
SS[1]="."
SS[1]!="."
SS[1]!="b"
SS[9]!="b"
SS[9]="."
SS[1]!~"a"
DP=AF
DP!=AF
DP[0]=DP
END
fi

refused() { fails 1 "$2" "$GODWIT" score -q -m profiles -f g.fa -o no.vcf -i "$1" sites.vcf; }
refused 'QUAL>20 &&' "column 11: expected a name"
refused 'XX>1' "column 1: 'XX' is not an INFO key that the header declares"
refused 'AD="x"' "'AD' is a key of samples"
refused 'GT="het"' "column 1: samples are not read"
refused 'FORMAT/DP>1' "samples are not read"
refused 'FILTER="PAS"' "column 7: 'PAS' is not a FILTER that the header declares, which are PASS, q10, s50"
refused 'FILTER!~"q10;q11"' "'q11' is not a FILTER"
refused 'FILTER=""' "'' is not a FILTER"
refused 'QUAL' "not a comparison"
refused 'QUAL>"a"' "numbers are compared with texts"
refused 'S>"a"' "texts are compared by =, != and ~"
refused 'S~"("' "not a regular expression: missing closing parenthesis"
refused 'S~"a+++"' "not a regular expression"
refused 'S~"((a{1000}){1000}){1000}"' "regular expression is too large"
refused 'QUAL~"1"' "~ is of texts"
refused 'TYPE="snv"' "TYPE is snp, mnp"
refused 'TYPE="."' "TYPE is snp, mnp"
refused 'S="a' "a text without its closing quote"
refused '(QUAL>1' "expected )"
refused 'QUAL>1)' "expected an operator or the end"
refused 'MEDIAN(AC)>1' "no such function"
refused 'AC[x]>1' "expected an index"
refused 'S+1>2' "arithmetic is of numbers"
refused '' "expected a name"
refused "$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "("; }')QUAL>1" "too deep"
# Chains are as long as one likes.
long() { awk -v n="$2" -v text="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }
equal "$(chosen -i "QUAL$(long +1 60000)>60030" sites.vcf)" "3 5 6 7 " "a sum of 60,001 numbers"
equal "$(chosen -i "QUAL>50$(long '||POS=2' 15000)" sites.vcf)" "2 7 " "15,000 conditions"
printf 'c1\t11\t.\tA\tC\t1\tPASS\tAC=1,2;AF=1,2,3\tGT\t0/1\n' | cat sites.vcf - >lists.vcf
fails 1 "lists.vcf:24: filter expression 'AC>AF': lists of 2 and 3 values" "$GODWIT" score -q -m profiles -f g.fa -i 'AC>AF' lists.vcf
fails 2 "one of them" "$GODWIT" score -q -m profiles -f g.fa -i 'QUAL>1' -e 'QUAL>2' sites.vcf
[ ! -e no.vcf ] || die "a refused run left its output"

# With shards and backgrounds.
equal "$(chosen -i 'QUAL>=10' --shard 2/2 sites.vcf)" "5 6 7 " "the second half of those chosen"
"$GODWIT" mutate -q -f g.fa -r c1:1001-1020 -o plain.vcf
"$GODWIT" background -q -m profiles -f g.fa -e 'ALT="A" || POS>1010' -o some.tsv plain.vcf
equal "$(sed -n 's/^##alleles=//p' some.tsv)" "$(grep -v '^#' plain.vcf | awk '$2 <= 1010 && $5 != "A"' | wc -l | tr -d ' ')" "alleles of a background"
# An expression that goes back and forth without end.
xs=$(printf '%060d' 0 | tr 0 x)
sed "s/^\([^#][^\t]*\t[0-9]*\t\)[^\t]*/\1$xs/" in.vcf >long.vcf
fails 1 "match limit exceeded" "$GODWIT" score -q -m model -f g.fa -i 'ID~"(x+x+)+(y|z)"' -o no.vcf long.vcf
[ ! -e no.vcf ] || die "a filter that failed left a file"
