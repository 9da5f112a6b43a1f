# godwit score on the VCFs that people have: header lines that do not parse, letters that are no bases, names of contigs
# that do not meet, standard input, names of start sites and of one label.
. "$ROOT/tests/cli/lib.sh"
prepared small
columns='#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'
score() { "$GODWIT" score "$@"; }
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
base() { sed -n '2,61p' g.fa | tr -d '\n' | cut -c"$1"; }
other() { [ "$1" = A ] && echo C || echo A; }
r=$(base 1001) a=$(other "$(base 1001)")

# Lines that nobody can parse say nothing about the records: they are kept, counted, and the run goes on.
{
    printf '##fileformat=VCFv4.2\n##AnalysisTitleBrackets=<"FINRISK: a study">\n##text\n'
    printf '##INFO=<ID=Q,Number=1,Type=String,Description="an "unescaped" quote">\n##INFO=<ID=CUT,Number=1\n'
    printf '##INFO=<ID=A,B,Number=1,Type=String,Description="x">\n'
    printf "$columns\nc1\t1001\t.\t$r\t$a\t.\t.\tQ=1\n"
} >odd.vcf
score -q -m profiles -f g.fa -o out.vcf odd.vcf 2>err || die "odd header lines stop the run: $(cat err)"
grep -v '^#CHROM' odd.vcf | grep '^#' >expected
grep '^#' out.vcf | head -6 >found
same found expected
equal "$(grep -c 'header lines cannot be parsed, the first in line 2: kept' err)" 1 "warnings: $(cat err)"
grep -v '^#' out.vcf | cut -f8 | grep -q '^Q=1;GW_DIFF=' || die "the record is not scored"
fails 1 "odd.vcf:8: INFO 'Q' is not declared in the header, which BCF needs" "$GODWIT" score -m profiles -q -f g.fa -O b -o out.bcf odd.vcf
sed 's/Q=1$/./' odd.vcf >bare.vcf
score -q -m profiles -f g.fa -O b -o out.bcf bare.vcf 2>err || die "odd header lines stop BCF: $(cat err)"
score -q -m profiles -f g.fa --tag B out.bcf | grep -q 'B_STATUS=PASS' || die "the BCF is not read"

printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\0\n' >zero.vcf
fails 1 "zero.vcf:2: broken header: the line holds a zero byte" "$GODWIT" score -q -m profiles -f g.fa zero.vcf

# The reason, as HTSlib says it or by the name of what is missing; a plain gzip file that is cut is called truncated.
{ printf "##fileformat=VCFv4.2\n$columns\tFORMAT\ts\ts\n" && printf "c1\t1001\t.\t$r\t$a\t.\t.\t.\tGT\t0\t0\n"; } >twice.vcf
fails 1 "twice.vcf: broken header: HTSlib cannot read it: Duplicated sample name 's'" "$GODWIT" score -q -m profiles -f g.fa twice.vcf
{ printf "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n$columns\tFORMAT\ts\n" &&
    printf "c1\t1001\t.\t$r\t$a\t.\tlow\t.\tGT\t0/1\n"; } >filter.vcf
fails 1 "filter.vcf:4: FILTER 'low' is not declared" "$GODWIT" score -q -m profiles -f g.fa -O u -o out.bcf filter.vcf
sed 's/low/./; s/GT\(.*\)0.1$/GT:DP\10\/1:5/' filter.vcf >format.vcf
fails 1 "format.vcf:4: FORMAT 'DP' is not declared" "$GODWIT" score -q -m profiles -f g.fa -O u -o out.bcf format.vcf
sed 's/low/./; s/0.1$/0\/x/' filter.vcf >genotype.vcf
fails 1 "genotype.vcf:4: HTSlib cannot turn this line into BCF: " "$GODWIT" score -q -m profiles -f g.fa -O u -o out.bcf genotype.vcf
{ printf "##fileformat=VCFv4.2\n$columns\tFORMAT\n" && printf "c1\t1001\t.\t$r\t$a\t.\t.\t.\tGT\n"; } >format.vcf
score -q -m profiles -f g.fa format.vcf >out.vcf 2>err || die "FORMAT without samples stops: $(cat err)"
gzip -c in.vcf >cut.vcf.gz
head -c "$(($(wc -c <cut.vcf.gz) - 12))" cut.vcf.gz >short.vcf.gz
fails 1 "short.vcf.gz is truncated" "$GODWIT" score -q -m profiles -f g.fa short.vcf.gz

# Lines that HTSlib refuses for other columns than those that are scored: none is lost, and one warning counts them.
{
    sed -n 1,3p filter.vcf
    for genotype in 0/1 0/x 0/1:3 1/1; do printf "c1\t1001\t.\t$r\t$a\t.\t.\t.\tGT\t$genotype\n"; done
} >refused.vcf
score -q -m profiles -f g.fa -o out.vcf refused.vcf 2>err || die "lines that HTSlib refuses stop VCF: $(cat err)"
equal "$(grep -v '^#' out.vcf | cut -f10 | tr '\n' ' ')" "0/1 0/x 0/1:3 1/1 " "records"
equal "$(grep -c 'GW_STATUS=PASS' out.vcf)" 4 "records that are scored"
equal "$(grep -vc 'a contig that the header does not declare' err)" 1 "warnings: $(cat err)"
grep -qF "refused.vcf: 2 records cannot be parsed by HTSlib, the first in line 5 (Couldn't read GT data" err || die "warning: $(cat err)"

# N and IUPAC letters are not scored as if they were bases; a window that is mostly N is scored and marked.
{ printf "##fileformat=VCFv4.2\n$columns\n" && printf "c1\t1001\t.\t$r\tN\t.\t.\t.\nc1\t1001\t.\t$r\t$a,R,${r}n\t.\t.\t.\nc1\t1001\t.\tN\t$a\t.\t.\t.\n"; } >n.vcf
score -q -m profiles -f g.fa n.vcf >out.vcf
equal "$(grep -v '^#' out.vcf | value GW_STATUS | tr '\n' ' ')" "AMBIGUOUS PASS,AMBIGUOUS,AMBIGUOUS AMBIGUOUS " "letters"
equal "$(grep -v '^#' out.vcf | head -1 | cut -f8 | value GW_DIFF)" . "a score of N"
score -q -m model -f g.fa --window 60 n.vcf | grep -v '^#' | value GW_STATUS | grep -q '^AMBIGUOUS$' || die "a pretrained model scores N"
awk 'NR == 1 { print; next } /^>/ { exit } { s = s $0 } END { n = s; gsub(/./, "N", n)
    print substr(n, 1, 990) substr(s, 991, 20) substr(n, 1011) }' g.fa >rich.fa
head -2 n.vcf | tr -d '\r' >rich.vcf
printf "c1\t1001\t.\t$r\t$a\t.\t.\t.\n" >>rich.vcf
for model in profiles "model --window 60"; do
    # shellcheck disable=SC2086 # two words
    score -m $model -f rich.fa rich.vcf >out.vcf 2>notes
    equal "$(grep -v '^#' out.vcf | cut -f8 | value GW_STATUS)" NRICH "a window of N: $model"
    grep -v '^#' out.vcf | cut -f8 | grep -qE 'GW_(DIFF|LLR)=-?[0-9]' || die "NRICH is not scored"
    grep -q '1 records: 1 alleles scored, 1 NRICH' notes || die "count: $(cat notes)"
done

# Other names of contigs: said with names of both sides, under -q too, and never by an impossible ##contig line.
{ printf "##fileformat=VCFv4.2\n$columns\n" && printf "NC_1\t5\t.\tA\tC\t.\t.\t.\nNC_1\t6\t.\tA\tC\t.\t.\t.\nc1\t1001\t.\t$r\t$a\t.\t.\t.\nx<y>\t5\t.\tA\tC\t.\t.\t.\n"; } >names.vcf
score -q -m profiles -f g.fa names.vcf >out.vcf 2>err
grep -q "3 of 4 alleles lie on contigs that g.fa lacks (NOCONTIG), such as 'NC_1'; it has 'c1' and 1 others: --chr-map" err ||
    die "no warning: $(cat err)"
grep -q '^##contig=<ID=NC_1>' out.vcf || die "a used contig is not declared"
grep -q '^##contig=.*x<' out.vcf && die "a malformed contig line"
sed -i 3,4d names.vcf
score -q -m profiles -f g.fa names.vcf 2>err >out.vcf
grep -v 'a contig that the header does not declare' err && die "a warning for half of the alleles"

# What records have beside the header: a warning for each kind, with its first place, and the records are scored.
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=c2>\n##contig=<ID=c2>\n##INFO=<ID=AC,Number=A,Type=Integer,Description="x">\n'
    printf "$columns\tFORMAT\ts\n"
    for rest in '.\tAC=1\tGT\t0' 'low;q10\tAC=1,2;X=1\tGT\t0' 'low\tAC=x;Y\tGT:Q\t0:1'; do printf "c1\t1001\t.\t$r\t$a\t.\t$rest\n"; done
} >beside.vcf
score -q -m profiles -f g.fa beside.vcf >out.vcf 2>err || die "undeclared keys stop the run: $(cat err)"
equal "$(grep -c GW_STATUS=PASS out.vcf)" 3 "records that are scored"
sed 's/^godwit: warning: beside.vcf: //' err | grep -v 'cannot be parsed by HTSlib' >found
cat >expected <<'E2'
1 header lines repeat the declaration of an earlier line, the first in line 3
3 records lie on a contig that the header does not declare: the first is 'c1' in line 6
2 records have a FILTER that the header does not declare: the first is 'low' in line 7
2 records have an INFO key that the header does not declare: the first is 'X' in line 7
3 records have a FORMAT key that the header does not declare: the first is 'GT' in line 6
1 records have more or fewer values of an INFO key than the header declares: the first is 'AC=1,2' in line 7
1 records have INFO values of another type than the header declares: the first is 'AC=x' in line 8
E2
same found expected
score -q -m profiles -f g.fa --variants "c1:1001:$r:$a" >out.vcf 2>err
[ ! -s err ] || die "a warning of a list of variants: $(cat err)"

# Standard input without a name.
score -q -m profiles -f g.fa <n.vcf | grep -v '^##' >found
score -q -m profiles -f g.fa n.vcf | grep -v '^##' >expected
same found expected

# The start site that gave the value, and the task's name for a column called label.
printf 'c1\t1000\t1001\tgene one\t0\t+\nc1\t1020\t1021\t.\t0\t-\n' >sites.bed
{ printf "##fileformat=VCFv4.2\n$columns\n" && for at in 965 1001 1050; do printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\n' $at "$(base $at)" "$(other "$(base $at)")"; done; } >near.vcf
score -q -m promoter -f g.fa --sites sites.bed near.vcf >out.vcf
grep -q '^##INFO=<ID=GW_SITE,Number=A,Type=String' out.vcf || die "GW_SITE is not declared"
equal "$(grep -v '^#' out.vcf | value GW_SITE | sed -n '1p;3p' | tr '\n' ' ')" "gene%20one c1:1021:- " "start sites"
equal "$(grep -v '^#' out.vcf | value GW_TOP | sort -u)" promoter "GW_TOP of one label"
score -q -m profiles -f g.fa near.vcf | grep -q GW_SITE && die "GW_SITE of a model without sites"

# The header's command is what a shell takes, whatever its arguments hold; a report shows the same.
cp in.vcf "it's a copy.vcf"
score -q -m profiles -f g.fa -i 'POS>1002 && ALT!="A"' "it's a copy.vcf" >out.vcf
equal "$(sed -n 's/^##godwit_scoreCommand=//p' out.vcf)" "godwit score -q -m profiles -f g.fa -i 'POS>1002 && ALT!=\"A\"' 'it'\\''s a copy.vcf'" "the command"
# shellcheck disable=SC2317 # called by the command
godwit() { "$GODWIT" "$@"; }
eval "$(sed -n 's/^##godwit_scoreCommand=//p' out.vcf)" >found
same found out.vcf
mkdir page && mv out.vcf page
"$GODWIT" report page | sed -n 's/.*<code>\(.*\)<.code>.*/\1/p' | sed 's/&gt;/>/g; s/&amp;/\&/g; s/&quot;/"/g' >shown
eval "$(cat shown)" >found
same found page/out.vcf
exit 0
