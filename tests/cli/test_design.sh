# godwit design: greedy edits beside tangermeme's (tests/oracle/explain_oracle.py), searches, constraints, bad input.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/explain
expression="$ROOT/share/godwit/models/yeast-expression"
"$GODWIT" convert -q --from bpnet -m "$ROOT/tests/data/bpnet/bpnet.pt" -o bpnet 2>notes

column() { awk -F '\t' -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i; next } { print $at }' "$2"; }
design() { "$GODWIT" design -q "$@"; }
is() { awk "BEGIN { exit !($1) }" || die "not so: $1"; }

# Of a window of 2,188 bases those of 1065 to 1124 may change; the fixture has what they become.
for goal in max value; do
    start=$(awk '$1 == "start" { print $3 }' "$data/designs.tsv")
    asked=max
    [ $goal = max ] || asked=$(awk -v s="$start" 'BEGIN { printf "%.9g", s - 0.02 }')
    design -m bpnet -f "$data/start.fa" --goal "$asked" -k 5 --tolerance 0 --keep 1-1064,1125-2188 -o $goal.tsv 2>notes
    expected=$(awk -v g=$goal '$1 == g { print $4 }' "$data/designs.tsv")
    equal "$(column sequence $goal.tsv | cut -c 1065-1124)" "$expected" "edits for $goal"
    is "($(column designed $goal.tsv) - $(awk -v g=$goal '$1 == g { print $3 }' "$data/designs.tsv")) ^ 2 < 2e-5 ^ 2"
done
grep -q "not a measurement" notes || die "no word of what a design is"

# A design's number is that of predict; each step of its path is better; its cost is a saturation an edit.
"$GODWIT" design -m "$expression" -t complex --random 2 -k 3 --beside 0 -o greedy.tsv 2>notes
grep -q "trained on numbers of mean 8.536 and standard deviation 3.996" notes || die "no training numbers: $(cat notes)"
awk -F '\t' 'NR > 1 { print ">" $1; print $8 }' greedy.tsv >greedy.fa
"$GODWIT" predict -q -m $expression -f greedy.fa | awk 'NR > 1 { print $3 }' >predicted
column designed greedy.tsv | paste - predicted | awk '{ d = $1 - $2; if (d > 1e-3 || d < -1e-3) print }' >wrong
[ ! -s wrong ] || die "designs are not predicted so: $(cat wrong)"
column path greedy.tsv | tr ',' '\n' | awk -F : 'NR % 3 != 1 && $2 < last { print } { last = $2 }' >wrong
[ ! -s wrong ] || die "a step is worse than the one before"
column edits greedy.tsv | sort -u >edits
equal "$(cat edits) $(column saturations greedy.tsv | sort -u)" "3 3" "edits and saturations"

# A beam finds at least as much; annealing is the same each time, and of another seed another.
design -m $expression -t complex --random 2 -k 3 --beside 0 --search beam --beam 2 -o beam.tsv 2>notes
for row in 2 3; do
    is "$(sed -n ${row}p beam.tsv | cut -f 3) >= $(sed -n ${row}p greedy.tsv | cut -f 3) - 1e-5"
done
for run in 1 1 2; do
    design -m $expression -t complex --random 1 -k 4 --beside 0 --search anneal --steps 6 --seed $run -o anneal.tsv 2>notes
    is "$(column edits anneal.tsv) <= 4 && $(column designed anneal.tsv) > $(column start anneal.tsv)"
    [ ! -e anneal.$run ] || same anneal.$run anneal.tsv
    cp anneal.tsv anneal.$run
done
! cmp -s anneal.1 anneal.2 || die "seeds do not matter"

# Constraints: what the start breaks is mended, and no edit breaks more.
printf '>s\nGGTCTCGAGACCAAAAAAAAACGTACGTTTGACATCGATGCATGCATCGATCGGGCTATATATGCGCTAGCTAGCTAGCTA\n' >s.fa
design -m $expression -t complex -f s.fa -k 10 --beside 0 --forbid GGTCTC --forbid TATAWA --homopolymer 4 --gc 30-45 \
    --keep 41-50 -o kept.tsv 2>notes
column sequence kept.tsv >bases
! grep -Eq 'GGTCTC|GAGACC|TATA[AT]A|T[AT]TATA|AAAAA|CCCCC|GGGGG|TTTTT' bases || die "a forbidden site: $(cat bases)"
is "$(column gc kept.tsv) >= 30 && $(column gc kept.tsv) <= 45 && $(column edits kept.tsv) <= 10"
equal "$(cut -c 41-50 bases)" "$(sed -n 2p s.fa | cut -c 41-50)" "bases that stay"
design -m $expression -t complex -f s.fa -k 2 --beside 5 --goal min -o min.tsv 2>notes
is "$(column designed min.tsv) < $(column start min.tsv)"

# Bad input.
fails 1 "the constraints cannot be met: after 1 edits" design -m $expression -t complex -f s.fa -k 1 --forbid GGTCTC --homopolymer 2
fails 2 "'!' is not a letter of IUPAC's code" design -m $expression -t complex --forbid 'AC!'
fails 2 "--gc 60-40: the range ends before it begins" design -m $expression -t complex --gc 60-40
fails 2 "--gc x is not a range of percents" design -m $expression -t complex --gc x
fails 2 "--goal most is neither max, nor min, nor a number" design -m $expression -t complex --goal most
fails 2 "--keep 5-x is not a list" design -m $expression -t complex --keep 5-x
fails 1 "--keep 70-90: the sequence has 80 bases" design -m $expression -t complex --keep 70-90
fails 1 "the model has no target 'x'; it has tiles, complex, defined" design -m $expression -t x
fails 1 "the model has no labels" design -m "$ROOT/share/godwit/models/yeast"
fails 1 "the model reads 2188 bases, not 81" design -m bpnet -f s.fa
printf '>n\nACGNT\n' >n.fa
fails 1 "n: base 4 is N" design -m $expression -t complex -f n.fa
