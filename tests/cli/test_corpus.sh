# godwit corpus: sizes, order, positions, the same bytes from every kind of input, held-out sequence, failing outputs.
. "$ROOT/tests/cli/lib.sh"
lambda="$ROOT/tests/data/lambda.fa.gz"

# bed_sequence BED FASTA: the sequence of each BED6 row (a plain FASTA of one-line contigs), on its strand.
bed_sequence() {
    awk 'NR == FNR {if (/^>/) name = substr($1, 2); else bases[name] = $0; next}
         {s = substr(bases[$1], $2 + 1, $3 - $2)
          if ($6 == "-") {r = ""; for (i = length(s); i; i--) r = r complement[substr(s, i, 1)]; s = r}
          print s}
         BEGIN {split("A T C G G C T A N N", c, " "); for (i = 1; i < 10; i += 2) complement[c[i]] = c[i + 1]}' "$2" "$1"
}

# 1. A tiny genome, sizes fixed: the whole output is known.
printf '>a first\nacgtRYacgtA\n>tiny\nAC\n>n\nAAANNNNNNNNNNNCCCNNNNNNNNNNGGGTT\n' >tiny.fa
"$GODWIT" corpus -q -f tiny.fa -n 1 --sentences 2 --sentence-length 4 --max-offset 0 --positions tiny.bed >tiny.txt
printf 'ACGT\nNNAC\n\nGTA\n\nAC\n\nAAA\n\nCCCN\nNNNN\n\nNNNN\nNGGG\n\nTT\n' >expected.txt
same tiny.txt expected.txt
printf '%s\t%s\t%s\t%s\t0\t+\n' a 0 4 0 a 4 8 1 a 8 11 2 tiny 0 2 3 n 0 3 4 n 14 18 5 n 18 22 6 n 22 26 7 n 26 30 8 \
    n 30 32 9 >expected.bed
same tiny.bed expected.bed
"$GODWIT" corpus -q -f tiny.fa -r a:1-6 -n 1 --sentences 9 --sentence-length 4 --max-offset 0 --both-strands >strands.txt
printf 'ACGT\nNN\n\nNNAC\nGT\n' >expected.txt
same strands.txt expected.txt

# 2. The same bytes with and without an index, from plain, gzip and BGZF files and from standard input.
gzip -dc "$lambda" >plain.fa
gzip -c plain.fa >gzip.fa.gz
cp "$lambda" bgzf.fa.gz
cp plain.fa indexed.fa
printf 'lambda\t48502\t%s\t70\t71\n' "$(head -n 1 plain.fa | wc -c)" >indexed.fa.fai
touch indexed.fa.fai
awk '/^>/ {print; next} {printf "%s\r\n", $0}' plain.fa >crlf.fa
(head -n 1 plain.fa && grep -v '^>' plain.fa | tr -d '\n' && echo) >line.fa
for input in plain.fa gzip.fa.gz bgzf.fa.gz indexed.fa crlf.fa line.fa; do
    "$GODWIT" corpus -q -f $input --both-strands --seed 3 --positions $input.bed >$input.txt
    same $input.txt plain.fa.txt
    same $input.bed plain.fa.bed
done
"$GODWIT" corpus -q -f - --both-strands --seed 3 <plain.fa >stdin.txt
same stdin.txt plain.fa.txt
"$GODWIT" corpus -q -f - --both-strands --seed 3 -o written.txt.gz <gzip.fa.gz
gzip -dc written.txt.gz >written.txt
same written.txt plain.fa.txt
"$GODWIT" corpus -q -f plain.fa -r lambda --both-strands --seed 3 >region.txt
same region.txt plain.fa.txt
"$GODWIT" corpus -q -f plain.fa --both-strands --seed 4 >other.txt
! cmp -s other.txt plain.fa.txt || die "the seed changes nothing"
[ ! -e plain.fa.fai ] || die "an index was written beside the user's file"

# 3. Positions say where each sentence came from; lengths and documents are within their ranges.
grep -v '^$' plain.fa.txt >sentences.txt
bed_sequence plain.fa.bed line.fa >from_bed.txt
same from_bed.txt sentences.txt
awk '{n = $3 - $2; if (n > 1000 || (n < 500 && !($6 == "+" ? $3 == 48502 : $2 == 0))) exit 1}' plain.fa.bed ||
    die "a sentence of the wrong length"
equal "$(awk '$6 == "+" && $3 == 48502' plain.fa.bed | wc -l)" 10 "forward passes"
equal "$(awk '$6 == "-" && $2 == 0' plain.fa.bed | wc -l)" 10 "reverse passes"
equal "$(awk -v RS= -F'\n' 'NF > 100 {n++} END {print n + 0}' plain.fa.txt)" 0 "documents that are too long"

# 4. Held-out sequence: by target, by exact name, by length.
printf '>I\nAAAA\n>II\nCCCCCCCC\n>III\nGGGG\n' >three.fa
run() { "$GODWIT" corpus -q -f three.fa -n 1 --max-offset 0 "$@" | tr '\n' ' '; }
equal "$(run -t ^chrII)" "AAAA  GGGG " "-t ^"
equal "$(run -t II:3-5,III)" "CCC  GGGG " "-t"
equal "$(run -t ^II:3-5)" "AAAA  CC  CCC  GGGG " "a region held out"
equal "$(run --exclude I,III)" "CCCCCCCC " "--exclude"
equal "$(run --min-contig 5)" "CCCCCCCC " "--min-contig"
printf 'II\t2\t5\n' >held.bed
equal "$(run -r II -T ^held.bed)" "CC  CCC " "-T ^"
equal "$(run -R held.bed)" "CCC " "-R"
printf 'second\tII\n' >map.tsv
equal "$(run -r second:1-2 --chr-map map.tsv)" "CC " "--chr-map"
fails 1 "--exclude: three.fa has no contig 'IV'" "$GODWIT" corpus -f three.fa --exclude IV -o out.txt
fails 1 "no contig 'IV' in three.fa, whose contigs are I, II, III" "$GODWIT" corpus -f three.fa -t ^IV
"$GODWIT" corpus -f three.fa --max-offset 1000000 --seed 5 -o none.txt 2>err
grep -q "warning: no documents" err || die "no word about an empty corpus: $(cat err)"

# 5. Usage, and outputs that fail.
fails 2 "this option is required: -f" "$GODWIT" corpus
fails 2 "--positions needs a file" "$GODWIT" corpus -f three.fa --positions -
fails 2 "--sentences" "$GODWIT" corpus -f three.fa --sentences 9-3
fails 2 "--sentence-length" "$GODWIT" corpus -f three.fa --sentence-length 0-3
fails 1 "x.txt: it is named for two outputs" "$GODWIT" corpus -f three.fa -o x.txt --positions x.txt
fails 1 "cannot create no/folder/x.txt" "$GODWIT" corpus -f three.fa -o no/folder/x.txt
fails 1 "cannot create no/folder/x.bed.gz" "$GODWIT" corpus -f three.fa -o x.txt --positions no/folder/x.bed.gz
[ ! -e x.txt ] || die "half of the output was left"
if [ -w /dev/full ]; then
    fails 1 "No space left on device" "$GODWIT" corpus -f plain.fa -o /dev/full
    fails 1 "No space left on device" "$GODWIT" corpus -f plain.fa -o x.txt --positions /dev/full
    status=0
    "$GODWIT" corpus -q -f plain.fa >/dev/full 2>err || status=$?
    equal "$status" 1 "exit status on a full disk"
    grep -q "cannot write standard output: No space left" err || die "a full disk is not named: $(cat err)"
    [ -c /dev/full ] || die "/dev/full was replaced"
fi
{
    status=0
    "$GODWIT" corpus -q -f plain.fa -n 1000 2>err || status=$?
    echo $status >status
} | head -n 1 >first.txt
equal "$(cat status)" 141 "exit status of a closed pipe, of SIGPIPE"
[ ! -s err ] || die "a closed pipe is talked of: $(cat err)"
