# godwit profiles: the four files of a set, targets from files and column 4, and what bad input gets.
. "$ROOT/tests/cli/lib.sh"

genome 2 20 chr >g.fa
printf 'chr1\t450\t451\tY\nchr1\t455\t456\tX\n2\t450\t451\tX\n' >points.bed # 2 is an alias of chr2

"$GODWIT" profiles -f g.fa --bin 100 --window 300 --label midpoint --target-from column4 --test chr2 -o set points.bed 2>notes
grep -q "3 peaks of 2 targets; 8 bins for training, 0 for validation, 8 for testing" notes || die "counts: $(cat notes)"
equal "$(gzip -dc set.bed.gz | sed -n '4p;12p' | tr '\t\n' ' ;')" "chr1 300 600 train;chr2 300 600 test;" "windows of the labelled bins"
equal "$(tr '\t\n' ' ;' <set.names.tsv)" "name train valid test;X 1 0 1;Y 1 0 0;" names
# 24 bytes of header, then a byte a row: 3 (X and Y) in row 4, 1 in row 12.
equal "$(od -An -tu1 -v set.labels | tr -s ' \n' ' ')" \
    " 71 87 76 65 66 69 76 49 16 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 1 0 0 0 0 " labels
grep -q '"bin": 100' set.json || die "set.json lacks the bin"

printf 'chr1\t100\t150\nchr1\t300\t350\nchr1\t350\t360\n' >a.bed
cp a.bed b.narrowPeak
"$GODWIT" profiles -f g.fa --bin 100 --window 100 --bins labelled -o two a.bed b.narrowPeak 2>/dev/null
equal "$(gzip -dc two.bed.gz | tr '\t\n' ' ;')" "chr1 100 200 train;chr1 300 400 train;" "bins half covered"
equal "$(cut -f1 two.names.tsv | tr '\n' ' ')" "name a b " "targets from files"
"$GODWIT" profiles -f g.fa --bin 100 --window 100 --bins labelled --preset deepsea --test chr2 -o deep a.bed 2>/dev/null
equal "$(gzip -dc deep.bed.gz | tr '\t\n' ' ;')" "chr1 300 400 train;" "bins more than half covered"

# The preset on a genome that has its contigs, under another name too: windows of 8000 bp, its held-out sequence.
awk "$DRAW"'BEGIN { seed = 1; for (c = 7; c <= 10; c++) { print ">" c; for (l = 0; l < 400; l++) print bases(50) } }' >deep.fa
awk 'BEGIN { for (c = 7; c <= 10; c++) printf "chr%d\t10000\t10101\nchr%d\t10200\t10300\n", c, c }' >deep.bed
fails 1 "past the end of contig '7' (20000 bp)" "$GODWIT" profiles -q -f deep.fa --preset deepsea -o x deep.bed
"$GODWIT" profiles -q -f deep.fa --preset deepsea --test 8,9 -o deep deep.bed
equal "$(gzip -dc deep.bed.gz | awk '{ print $1, $3 - $2, $4 }' | sort | uniq -c | tr -s ' \n' ' ')" \
    " 60 10 8000 train 60 7 8000 train 60 8 8000 test 60 9 8000 test " "bins of the preset"
equal "$(gzip -dc deep.bed.gz | awk '{ print $1, $2 }' | grep -n '^8 6100$' | cut -d: -f1 | wc -l | tr -d ' ')" 1 "the window of the bin at 10000"
equal "$(cut -f2- deep.names.tsv | tail -1 | tr '\t' ' ')" "2 0 2" "bins of which more than half is covered"

fails 2 "--preset deepsea goes with --label overlap" "$GODWIT" profiles -f g.fa --label summit --preset deepsea -o x a.bed
fails 2 "--window must be at least --bin" "$GODWIT" profiles -f g.fa --window 100 -o x a.bed
fails 1 "a.bed:1: no column 10" "$GODWIT" profiles -q -f g.fa --label summit -o x a.bed
printf 'chr1\t1\t2\tX\nchr1\t1\t2000\tX\n' >bad.bed
fails 1 "bad.bed:2: the peak ends at 2000, past the end" "$GODWIT" profiles -q -f g.fa -o x bad.bed
printf 'chr7\t1\t2\tX\n' >bad.bed
fails 1 "bad.bed:1: no contig 'chr7' in g.fa, whose contigs are chr1, chr2" "$GODWIT" profiles -q -f g.fa -o x bad.bed
printf 'CHR_2\t1\t2\tX\n' >bad.bed
fails 1 "no contig 'CHR_2' in g.fa, whose contigs are chr1, chr2; the nearest is 'chr2'" "$GODWIT" profiles -q -f g.fa -o x bad.bed
printf 'chr1\t5\t5\tX\n' >bad.bed
fails 1 "bad.bed holds no peak of 1 bp or more" "$GODWIT" profiles -q -f g.fa -o x bad.bed
gzip -c points.bed | head -c 40 >cut.bed.gz
fails 1 "cut.bed.gz" "$GODWIT" profiles -q -f g.fa -o x cut.bed.gz
for file in x.*; do [ ! -e "$file" ] || die "a failed run left $file"; done

# Context on either side of the bin, which is in the middle.
"$GODWIT" profiles -q -f g.fa --bin 100 --context 150 -o around a.bed
"$GODWIT" profiles -q -f g.fa --bin 100 --window 400 -o window a.bed
for part in labels names.tsv; do same around.$part window.$part; done
equal "$(gzip -dc around.bed.gz | head -1 | tr '\t' ' ')" "chr1 50 450 train" "the first window"
fails 2 "give either --context or --window" "$GODWIT" profiles -f g.fa --context 10 --window 100 -o x a.bed

# A sequence is on one side: the second contig is the first one again, and both end in a stretch of their own.
awk "$DRAW"'BEGIN { seed = 7; s = bases(600); print ">a\n" s bases(200) "\n>b\n" s bases(200) }' >twice.fa
printf 'a\t10\t20\n' >twice.bed
"$GODWIT" profiles -f twice.fa --bin 20 --window 40 --label midpoint --test b -o twice twice.bed 2>notes
grep -q '^godwit: 28 windows also occur in another split and were dropped' notes || die "duplicates: $(cat notes)"
equal "$(gzip -dc twice.bed.gz | cut -f1,4 | sort | uniq -c | tr -s ' \t\n' ' ')" " 10 a train 38 b test " "windows on either side"
