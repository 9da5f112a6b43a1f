# godwit bpe: what it learns, the forms of input, and what it refuses.
. "$ROOT/tests/cli/lib.sh"

printf 'ACACACAC\nacacNN\n\nGTGT\n' >corpus.txt
"$GODWIT" bpe -v 12 -o t.json corpus.txt 2>notes
grep -q '12 tokens, 2 merges, 2.0000 bases per token' notes || die "notes: $(cat notes)" # 18 bases: 2 + 3 + 4 tokens
tr -d ' \n' <t.json >flat
grep -qF '"vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"A":5,"C":6,"G":7,"T":8,"N":9,"AC":10,"ACAC":11}' flat ||
    die "vocabulary: $(cat flat)"
grep -qF '"merges":["AC","ACAC"]' flat || die "merges: $(cat flat)"

# the same from standard input, gzip, CRLF, several files, and to standard output
"$GODWIT" bpe -q -v 12 <corpus.txt >stdin.json
same t.json stdin.json
gzip -c corpus.txt >corpus.txt.gz
"$GODWIT" bpe -q -v 12 corpus.txt.gz >gzip.json
same t.json gzip.json
sed 's/$/\r/' corpus.txt >crlf.txt
"$GODWIT" bpe -q -v 12 crlf.txt >crlf.json
same t.json crlf.json
head -2 corpus.txt >a.txt
tail -1 corpus.txt >b.txt
"$GODWIT" bpe -q -v 12 a.txt b.txt >two.json
same t.json two.json

# the smallest vocabulary, and one that the text does not fill
"$GODWIT" bpe -v 10 -o letters.json corpus.txt 2>notes
grep -q '10 tokens, 0 merges, 1.0000 bases' notes || die "notes: $(cat notes)"
"$GODWIT" bpe -v 1000 -o full.json corpus.txt 2>notes
grep -q 'warning: .* tokens instead of 1000: no other pair of tokens occurs twice' notes || die "notes: $(cat notes)"

fails 2 "-v" "$GODWIT" bpe -v 9 corpus.txt
: >empty.txt
fails 1 "empty.txt contains no sentence" "$GODWIT" bpe -o x.json empty.txt
printf '\n\n' >blank.txt
fails 1 "blank.txt contains no sentence" "$GODWIT" bpe -o x.json blank.txt
printf '>chr1\nACGT\n' >x.fa
fails 1 "x.fa:1: column 1: '>' is not a nucleotide letter" "$GODWIT" bpe -o x.json x.fa
printf 'ACGT\nACG T\n' >space.txt
fails 1 "space.txt:2: column 4: byte 0x20 is not a nucleotide letter" "$GODWIT" bpe -o x.json space.txt
fails 1 "missing.txt" "$GODWIT" bpe -o x.json missing.txt
head -c 30 corpus.txt.gz >cut.txt.gz
fails 1 "cut.txt.gz" "$GODWIT" bpe -o x.json cut.txt.gz
[ ! -e x.json ] || die "a failed run left x.json"
status=0
"$GODWIT" bpe -q -v 12 corpus.txt >/dev/full 2>err || status=$?
equal "$status" 1 "exit status on a full disk"
grep -q "standard output" err || die "a full disk is not named: $(cat err)"
mkfifo never # whoever reads it before he looks at his output waits for ever
fails 1 "no/such" timeout 20 "$GODWIT" bpe -o no/such/t.json never

# what a killed run left under its temporary name goes with the next; what a living process writes, and others' files, stay
host=$(uname -n | cut -d. -f1)
dead=$(sh -c 'echo $$')
mkdir killed
for other in "$host-$dead" "$host-$$" "$host-x" "other.host-$dead"; do : >"killed/t.json.tmp.$other"; done
"$GODWIT" bpe -q -v 12 -o killed/t.json corpus.txt
same t.json killed/t.json
[ ! -e "killed/t.json.tmp.$host-$dead" ] || die "what a killed run left is still there"
equal "$(find killed -name '*.tmp.*' | wc -l | tr -d ' ')" 3 "files of others"

# a damaged tokenizer.json of this kind; test_tokenizer_json.sh has those of other kinds
refuses() { # MESSAGE SED-EXPRESSION
    sed "$2" t.json >other.json
    ! cmp -s t.json other.json || die "nothing changed by $2"
    fails 1 "other.json: $1" "$GODWIT" encode -m other.json corpus.txt
}
refuses 'the model is WordLevel' 's/"BPE"/"WordLevel"/'
refuses '"dropout" 0.1 makes encoding random, expected null' 's/"dropout": null/"dropout": 0.1/'
refuses 'token "ACAC" has id 12, but 12 tokens have ids 0 to 11' 's/"ACAC": 11/"ACAC": 12/'
refuses 'tokens "AC" and "ACAC" both have id 10' 's/"ACAC": 11/"ACAC": 10/'
refuses 'the id of token "AC" is not a whole number' 's/"AC": 10/"AC": "10"/'
refuses 'merge 1 names the token "CAC", which the vocabulary lacks' 's/"AC AC"/"A CAC"/'
refuses 'merge 0 is not a pair of tokens' 's/"A C"/"AC"/'
refuses 'merge 0 makes "AG", but token 10 is "AC"' 's/"A C"/"A G"/'
refuses 'merge 0 uses token 11, which is not a letter and not made by an earlier merge' 's/"A C"/"ACAC C"/'
refuses '1 merges for 2 tokens' '/^ *"AC AC"/d; s/"A C",/"A C"/'
sed 's/"ACAC": 11/"AC": 11/' t.json >other.json
fails 1 "other.json:" "$GODWIT" encode -m other.json corpus.txt # the same key twice
head -c 500 t.json >other.json
fails 1 "other.json:" "$GODWIT" encode -m other.json corpus.txt
echo '[]' >other.json
fails 1 "other.json: expected a JSON object" "$GODWIT" encode -m other.json corpus.txt
echo '{}' >other.json
fails 1 "other.json: the model is unnamed, expected BPE" "$GODWIT" encode -m other.json corpus.txt

# text, by bytes: lines, or a column of a table; what it learnt encodes and decodes any text
printf 'the cat and the other cat\nthen the caf\303\251\n' >lines.txt
"$GODWIT" bpe --byte-level -v 263 -o bytes.json lines.txt 2>notes
grep -q '263 tokens, 2 merges, 1.* bytes per token on average' notes || die "notes: $(cat notes)"
printf 'id\ttext\n1\tthe cat and the other cat\n2\tthen the caf\303\251\n' >lines.tsv
"$GODWIT" bpe -q --text text -v 263 lines.tsv >table.json
same bytes.json table.json
equal "$("$GODWIT" encode -q -m bytes.json lines.txt | wc -l | tr -d ' ')" 2 "lines of ids"
fails 2 "byte-level vocabularies have 261 tokens or more" "$GODWIT" bpe --byte-level -v 260 lines.txt
printf 'a\377b\n' >bytes.txt
fails 1 "bytes.txt:1: column 2: byte 0xFF is not UTF-8" "$GODWIT" bpe --byte-level -v 300 -o x.json bytes.txt
fails 1 "no column \"body\"; there are: id, text" "$GODWIT" bpe --text body -v 300 -o x.json lines.tsv
