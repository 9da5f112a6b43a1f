# godwit overlaps: rows that share bases in a row with others, on either strand, in tables of sequences and of regions.
. "$ROOT/tests/cli/lib.sh"
overlaps() { "$GODWIT" overlaps "$@"; }

awk "$DRAW"' BEGIN { seed = 3
    contig = bases(400); print ">c\n" contig >"g.fa"
    print "element\tsequence\tlevel" >"train.tsv"; print "sequence,level" >"test.csv"
    print "a\t" substr(contig, 101, 80) "\t1" >"train.tsv"; print "b\tACGTACGTAC\tx" >"train.tsv"
    print substr(contig, 150, 60) ",1" >"test.csv"      # 31 of the first one
    print substr(contig, 151, 60) ",1" >"test.csv"      # 30 of it
    print bases(50) ",2" >"test.csv"
    print "GTACGTACGT,3" >"test.csv"                    # short, and the other strand of the second as a whole
    print "c\t0\t60\t+" >"rows.bed"; print "c\t60\t140\t-" >"rows.bed" }'
overlaps -d test.csv --with train.tsv --overlaps shared.tsv --clean clean.csv >out 2>notes
printf 'set\trows\tshared\tidentical\ntest.csv\t4\t2\t1\n' >expected
same out expected
grep -q 'godwit: test.csv: 2 of 4 rows share 31 bases: 1, 4$' notes || die "notes: $(cat notes)"
equal "$(tr '\n' '|' <shared.tsv)" "set	row|test.csv	1|test.csv	4|" "--overlaps"
equal "$(wc -l <clean.csv) $(sed -n 1p clean.csv)" "3 sequence,level" "--clean"
sed -n '1p;3,4p' test.csv >expected
same clean.csv expected
# Fewer bases make more rows overlap; the other strand counts; several sets.
equal "$(overlaps -q -k 30 -d test.csv --with train.tsv | awk 'NR == 2 { print $3 }')" 3 "--kmer 30"
overlaps -q -d rows.bed -d test.csv --with train.tsv -f g.fa >out
equal "$(cut -f2- out | tr '\t\n' ' |')" "rows shared identical|2 1 0|4 2 1|" "two sets"
equal "$(overlaps -q -d rows.bed --with train.tsv -f g.fa --clean - | head -1)" "c	0	60	+" "--clean without a header"

fails 1 'rows.bed:1: rows are regions: they need their genome (-f ref.fa)' overlaps -d rows.bed --with train.tsv
fails 1 'none.tsv' overlaps -d none.tsv --with train.tsv
fails 2 '--clean takes one set' overlaps -d test.csv -d train.tsv --with train.tsv --clean x
[ ! -e x ] || die "--clean left a file behind"
printf 'sequence,name\nACGTACGTACGT,"two\nlines"\n' >quoted.csv
fails 1 'quoted.csv: --clean needs one row per line' overlaps -d quoted.csv --with train.tsv --clean x
[ ! -e x ] || die "--clean left a file behind"
