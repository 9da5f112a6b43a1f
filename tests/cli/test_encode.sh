# godwit encode and decode: shards and back, ids as text, golden ids, and what is refused.
. "$ROOT/tests/cli/lib.sh"

printf 'ACACACAC\nACACNN\n\nGTGT\nTA\n\nA\n' >corpus.txt
"$GODWIT" bpe -q -v 12 -o t.json corpus.txt

# ids as text
printf '11 11\n11 9 9\n\n7 8 7 8\n8 5\n\n5\n' >expected
"$GODWIT" encode -q -m t.json corpus.txt >ids
same ids expected

# shards and back, for any number of threads and from any form of input
"$GODWIT" encode -m t.json -o x corpus.txt 2>notes
grep -q '3 documents, 5 sentences, 21 bases, 12 tokens, 1.7500 bases per token' notes || die "notes: $(cat notes)"
same t.json x.tokenizer.json
"$GODWIT" decode x >text
same text corpus.txt
"$GODWIT" decode -m t.json -o text.gz x
gunzip -c text.gz >text
same text corpus.txt
mkdir model && cp t.json model/tokenizer.json
tr ACGT acgu <corpus.txt | sed 's/$/\r/' | gzip | "$GODWIT" encode -q -@ 1 -m model -o y -
same x.bin y.bin
same x.idx y.idx
head -3 corpus.txt >a.txt
tail -n +4 corpus.txt >b.txt
"$GODWIT" encode -q -m t.json -o y a.txt b.txt
same x.idx y.idx

# the golden ids of Hugging Face's tokenizers (tests/oracle/tokenizer_oracle.py writes them)
"$GODWIT" bpe -q -v 300 -o golden.json "$ROOT/tests/data/tokenizer_golden.txt"
"$GODWIT" encode -q -m golden.json "$ROOT/tests/data/tokenizer_golden.txt" >ids
same ids "$ROOT/tests/data/tokenizer_golden.ids"
for threads in 1 3; do
    "$GODWIT" encode -q -@ $threads -m golden.json -o "g$threads" "$ROOT/tests/data/tokenizer_golden.txt"
done
same g1.bin g3.bin
same g1.idx g3.idx

# one word as long as a chromosome arm
head -c 3000000 /dev/zero | tr '\0' A >long.txt
"$GODWIT" encode -q -m golden.json -o long long.txt
"$GODWIT" decode long | tr -d '\n' >text
same text long.txt

fails 2 "this option is required: -m" "$GODWIT" encode corpus.txt
fails 1 "missing.json" "$GODWIT" encode -m missing.json corpus.txt
mkdir empty
fails 1 "empty: no tokenizer: neither tokenizer.json nor" "$GODWIT" encode -m empty corpus.txt
: >empty.txt
fails 1 "empty.txt contains no sentence" "$GODWIT" encode -m t.json -o z empty.txt
printf 'ACGT\nAC*T\n' >bad.txt
fails 1 "bad.txt:2: column 3: '*' is not a nucleotide letter" "$GODWIT" encode -m t.json -o z bad.txt
[ ! -e z.bin ] && [ ! -e z.idx ] && [ ! -e z.tokenizer.json ] || die "a failed run left shards"
fails 1 "no/such/z.bin" "$GODWIT" encode -m t.json -o no/such/z corpus.txt
status=0
"$GODWIT" encode -q -m t.json corpus.txt >/dev/full 2>err || status=$?
equal "$status" 1 "exit status on a full disk"
grep -q "standard output" err || die "a full disk is not named: $(cat err)"
for i in 1 2 3 4 5; do cat long.txt && echo; done >many.txt
{ "$GODWIT" encode -q -m t.json many.txt 2>err || echo $? >status; } | head -c 10 >/dev/null
equal "$(cat status)" 141 "exit status on a closed pipe, of SIGPIPE"
[ ! -s err ] || die "a closed pipe is talked of: $(cat err)"

# decode
fails 2 "an input file is missing" "$GODWIT" decode
fails 1 "missing.idx" "$GODWIT" decode missing
"$GODWIT" bpe -q -v 10 -o letters.json corpus.txt
fails 1 "x.bin: sentence 0: token 11, but the vocabulary has 10" "$GODWIT" decode -m letters.json x
head -c 60 x.idx >y.idx
fails 1 "y.idx: 60 bytes do not hold 5 sentences" "$GODWIT" decode y
cp x.idx y.idx && head -c 10 x.bin >y.bin
fails 1 "y.bin has 10 bytes, but y.idx lists 12 tokens" "$GODWIT" decode y
rm x.tokenizer.json
fails 1 "x.tokenizer.json" "$GODWIT" decode x
status=0
"$GODWIT" decode -m t.json x >/dev/full 2>err || status=$?
equal "$status" 1 "exit status on a full disk"

# Texts of tables: a document a row, whatever the format; a masked model reads chunks whole, and is rated by characters.
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"
printf 'The cells divide.\ndon'"'"'t\n\nna\303\257ve cells are small\n' >plain.txt
printf '{"id": 1, "body": "The cells divide.\\ndon'"'"'t"}\n{"id": 2, "body": "na\303\257ve cells are small"}\n' >rows.jsonl
printf 'id,body\n1,"The cells divide.\ndon'"'"'t"\n2,na\303\257ve cells are small\n' >rows.csv
"$GODWIT" encode -q -m "$vocabulary" plain.txt >plain.ids
for table in rows.jsonl rows.csv; do
    "$GODWIT" encode -q -m "$vocabulary" --text body $table >table.ids
    same table.ids plain.ids
done
"$GODWIT" encode -m "$vocabulary" --text body -o texts rows.csv 2>notes
grep -q "2 documents, 3 sentences, .* bytes per token" notes || die "text is counted in bases: $(cat notes)"
fails 1 'rows.csv:1: no column "text"; there are: id, body' "$GODWIT" encode -m "$vocabulary" --text text rows.csv
printf 'body\nfine\n \n' >blank.tsv
fails 1 'blank.tsv:3: "body" is empty' "$GODWIT" encode -q -m "$vocabulary" --text body -o z blank.tsv
cat >roberta.json <<'E2'
{"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "type_vocab_size": 1}
E2
"$GODWIT" pretrain -d texts -o masked -c roberta.json --steps 2 --batch-tokens 64 -@ 1 2>notes
sed -n 's/.*about \([0-9]*\) tokens a step, \([0-9]*\) examples of at most \([0-9]*\) .*/\1 \2 \3/p' notes |
    awk '{ short = $1 < $2 * $3 / 2 } END { exit !short }' || die "positions are taken for tokens: $(cat notes)"
"$GODWIT" eval -q -m masked -d texts >figures
equal "$(sed -n 1p figures | tr '\t' ' ')" \
    "predictor tokens characters accuracy loss bits_per_token bits_per_character pairs pair_accuracy" "columns of text"
equal "$(awk 'NR == 2 { print $3 }' figures)" "$("$GODWIT" decode texts | tr -d '\n' | wc -m | tr -d ' ')" characters
awk 'NR == 2 { d = $5 / log(2) - $6; e = $6 * $2 / $3 - $7; exit d * d > 1e-6 || e * e > 1e-6 }' figures || die "bits: $(cat figures)"

# whole words are masked where the vocabulary shows them
"$GODWIT" bpe -q --text body -v 265 -o bytes.json rows.csv
"$GODWIT" encode -q -m bytes.json --text body -o bytes rows.csv
"$GODWIT" pretrain -q -d bytes -o words -c roberta.json --whole-words --steps 2 --batch-tokens 64 -@ 1
printf 'ACGTACGTACGT\n' >dna.txt
"$GODWIT" bpe -q -v 10 -o letters.json dna.txt
"$GODWIT" encode -q -m letters.json -o dna dna.txt
fails 1 "no token of the vocabulary shows where a word begins" "$GODWIT" pretrain -q -d dna -o x -c roberta.json \
    --whole-words --steps 1
