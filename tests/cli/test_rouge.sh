# godwit rouge: the table, the rows of pairs, and what is refused. tests/oracle/rouge_oracle.py has the figures.
. "$ROOT/tests/cli/lib.sh"

printf 'The cats were running.<n>A dog sat\none word\n' >references.txt
printf 'The cats were running.<n>A dog sat\n\n' >texts.txt
"$GODWIT" rouge -r references.txt --per-pair pairs.tsv texts.txt >table
equal "$(sed -n 1p table | tr '\t' ' ')" "metric pairs precision recall f1 f1_low f1_high" header
equal "$(cut -f 1-5 table | sed -n 3p | tr '\t' ' ')" "rouge2 2 0.500000 0.500000 0.500000" "ROUGE-2"
equal "$(cut -f 6-7 table | sed -n 2p | tr '\t' ' ')" "0.000000 1.000000" "interval of two pairs"
equal "$(wc -l <pairs.tsv | tr -d ' ')" 3 "lines of pairs"
equal "$(sed -n 2p pairs.tsv | tr '\t' ' ')" "1 1 1 1 1 1 1 1 1 1 1 1 1" "a text that is its reference"
"$GODWIT" rouge -r references.txt --seed 1 -o again texts.txt
same again table

echo short >short.txt
fails 1 "references.txt:2: there is no such line in short.txt, which has 1" "$GODWIT" rouge -r references.txt short.txt
fails 1 "references.txt:2: there is no such line in short.txt, which has 1" "$GODWIT" rouge -r short.txt references.txt
printf 'a\377\n' >bad.txt
fails 1 "bad.txt:1: byte 2 of the line is not UTF-8" "$GODWIT" rouge -r short.txt bad.txt
: >none.txt
fails 1 "none.txt:0: the file has no line" "$GODWIT" rouge -r none.txt none.txt
fails 2 "-r" "$GODWIT" rouge texts.txt
