# score --constructs: changes of sequences that no genome has, held to what predict says of each sequence.
. "$ROOT/tests/cli/lib.sh"
unset GODWIT_MODELS
low=TCTAAGAGTAAAAATATTCTTGAGTGCCAGAGTTCAGTAAAATGTATCCTTTTTAACCAGAAGAGTAGAACAGGTCTTCT
high=AGGCGGCGCGCAGTTGTCTCGCGACCGAAACCTAGATCGCGCTAACCCACTGCCCCAGCTCAGCGCCCCATGTGCTGAGG
tr '|' '\t' >in.tsv <<END
id|sequence|change|note
one|$low|1:T:G|a b
two|$low|80:t:ACG,3:TAA:T|.
wild|$low||
dot|$high|.|
other|$high|2:A:C|REF is G
beyond|$high|81:A:C|
letters|$high|1:A:N|
long|$low$low$low$low|1:T:G|
END
"$GODWIT" score -q -m yeast-expression --constructs in.tsv -o out.tsv
cut -f1-4 out.tsv | cmp - in.tsv || die "columns of the table changed"
[ "$(head -n 1 out.tsv | cut -f5- | tr '\t' ' ')" = \
    "GW_STATUS tiles.ref tiles.alt tiles.diff complex.ref complex.alt complex.diff defined.ref defined.alt defined.diff" ] || die "header: $(head -n 1 out.tsv)"
[ "$(tail -n +2 out.tsv | cut -f5 | tr '\n' ' ')" = "PASS PASS NOALT NOALT REFMISMATCH REFMISMATCH AMBIGUOUS TOOLONG " ] ||
    die "statuses: $(cut -f5 out.tsv)"
changed1=G${low#?}
changed2=${low%??????????????????????????????????????????????????????????????????????????????}
changed2=${changed2}T${low#?????}
changed2=${changed2%?}ACG
printf 'sequence\n%s\n' $low $changed1 $low $changed2 $low $high $high $high $high | sed '3,$ { /^sequence$/d }' >all.tsv
"$GODWIT" predict -q -m yeast-expression -d all.tsv | tail -n +2 >predicted
# line of out.tsv, columns of both labels, row of predicted
same() {
    got=$(sed -n "$1p" out.tsv | cut -f"$2") expected=$(sed -n "$3p" predicted | cut -f2,3)
    [ "$got" = "$expected" ] || die "line $1, columns $2: $got, predict says $expected"
}
same 2 6,9 1
same 2 7,10 2
same 3 6,9 3
same 3 7,10 4
same 4 6,9 5
same 5 6,9 6
same 6 6,9 7
[ "$(sed -n 4p out.tsv | cut -f7,8)" = ".	." ] || die "a row without a change has a difference"
[ "$(sed -n 9p out.tsv | cut -f6-11)" = ".	.	.	.	.	." ] || die "a sequence too long has numbers"
awk -F '\t' 'NR == 2 || NR == 3 { d = $7 - $6 - $8; if (d > 1e-5 || d < -1e-5 || $8 == 0) exit 1 }' out.tsv || die "differences"

# The same as whole sequences, from CSV, by way of standard input; and flanks, which are part of every sequence.
{ echo sequence,changed && echo "$low,$changed1" && echo "$low,$changed2"; } |
    "$GODWIT" score -q -m yeast-expression --constructs - >whole.tsv
[ "$(tail -n +2 whole.tsv | cut -f4-)" = "$(sed -n 2,3p out.tsv | cut -f6-)" ] || die "column changed"
begin=$(printf '%.10s' $low) end=${low#????????????????????????????????????????????????????????????}
middle=${low#"$begin"} middle=${middle%"$end"}
printf 'sequence\tchange\n%s\t1:%.1s:G\n' "$middle" "$middle" >middle.tsv
"$GODWIT" score -q -m yeast-expression --constructs middle.tsv --flank5 "$begin" --flank3 "$end" >flanked.tsv
[ "$(sed -n 2p flanked.tsv | cut -f4)" = "$(sed -n 2p out.tsv | cut -f6)" ] || die "flanks"

# Bad input.
fails() {
    expected=$1
    shift
    rm -f bad_out
    "$GODWIT" score -q -m yeast-expression "$@" -o bad_out 2>err && die "took: $*"
    grep -q -- "$expected" err || die "$*: $(cat err), expected $expected"
    [ ! -e bad_out ] || die "$*: left an output"
}
bad() { # MESSAGE ROW
    printf 'sequence\tchange\n%s\n' "$2" >bad.tsv
    fails "$1" --constructs bad.tsv
}
bad 'bad.tsv:2: .*POS:REF:ALT' "ACGTACGT	3G>T"
bad 'bad.tsv:2: .*POS:REF:ALT' "ACGTACGT	0:A:T"
bad 'bad.tsv:2: .*POS:REF:ALT' "ACGTACGT	1:A:T,"
bad 'bad.tsv:2: .*overlaps' "ACGTACGT	1:ACG:A,3:G:T"
bad 'bad.tsv:2: the sequence: base 3 is not a letter' "AC-TACGT	1:A:T"
bad 'bad.tsv:2: the sequence is empty' "	1:A:T"
printf 'sequence\tmutation\nA\tB\n' >bad.tsv
fails 'change' --constructs bad.tsv
printf 'sequence\tchange\ttiles.ref\nACGT\t.\t1\n' >bad.tsv
fails 'a column tiles.ref already' --constructs bad.tsv
fails '--flank5' --constructs in.tsv --flank5 AC-
fails 'goes with variants' --constructs in.tsv -r chr1
fails 'goes with variants' --constructs in.tsv -f g.fa
fails 'replaces the input file' --constructs in.tsv in.vcf
fails '--constructs' --flank5 A -f g.fa in.vcf
printf 'sequence\tchange\n' >none.tsv
"$GODWIT" score -m yeast-expression --constructs none.tsv -o none 2>err && grep -q 'no rows' err || die "an empty table"
[ "$(wc -l <none)" = 1 ] || die "an empty table's output"
"$GODWIT" score -q -m yeast-expression in.vcf 2>err && die "no genome"
grep -q 'required: -f' err || die "no genome: $(cat err)"

# More rows than are computed at a time.
{ head -n 1 in.tsv && for _ in $(seq 100); do sed -n '2,4p;6p' in.tsv; done; } >many.tsv
"$GODWIT" score -q -m yeast-expression --constructs many.tsv -o many_scores.tsv
[ "$(cut -f5- many_scores.tsv | sort -u | wc -l)" = 5 ] && [ "$(wc -l <many_scores.tsv)" = 401 ] || die "many rows"
