# Models over k-mers: ESM's vocab.txt of k-mers end to end, DNABERT's of k-mers that overlap; what is written and refused.
. "$ROOT/tests/cli/lib.sh"

kmers() { # LETTERS: one a line, after the lines of the input
    awk -v k="$1" '{ print } END { n = 4 ^ k; for (i = 0; i < n; i++) { s = ""; for (j = k - 1; j >= 0; j--)
        s = s substr("ATCG", 1 + int(i / 4 ^ j) % 4, 1); print s } }'
}

# The Nucleotide Transformer's with 2-mers: the longest token at each place, nothing at the end of a text.
mkdir end overlapping
printf '<unk>\n<pad>\n<mask>\n<cls>\n<eos>\n' | kmers 2 >end/vocab.txt
printf 'A\nT\nC\nG\nN' >>end/vocab.txt
echo '{"tokenizer_class": "EsmTokenizer", "eos_token": null}' >end/tokenizer_config.json
printf 'ACGTNACT\nacg\nARA\nNN\n' >texts.txt
"$GODWIT" encode -q -m end texts.txt >ids 2>/dev/null
equal "$(tr '\n' '|' <ids)" "7 18 25 7 22|7 24|21 0 21|25 25|" "ids of 2-mers end to end"

cat >esm.json <<'E2'
{"architectures": ["EsmForMaskedLM"], "model_type": "esm", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
 "intermediate_size": 24, "max_position_embeddings": 64, "position_embedding_type": "rotary", "token_dropout": true,
 "mask_token_id": 2, "pad_token_id": 1, "vocab_size": 26, "tie_word_embeddings": false, "hidden_dropout_prob": 0}
E2
genome 2 60 >g.fa
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" encode -q -m end -o sh corpus.txt
"$GODWIT" pretrain -q -d sh -o model -c esm.json --steps 2 --batch-tokens 256 -@ 1
same model/vocab.txt end/vocab.txt
grep -q '"tokenizer_class": *"EsmTokenizer"' model/tokenizer_config.json || die "class: $(cat model/tokenizer_config.json)"
grep -q '"eos_token": *null' model/tokenizer_config.json || die "end: $(cat model/tokenizer_config.json)"
grep -q '"tie_word_embeddings": false' model/config.json || die "untied: $(cat model/config.json)"
"$GODWIT" eval -q -m model -d sh >eval.txt
"$GODWIT" mutate -q -f g.fa -r c1:1001-1004 -o in.vcf
printf 'c1\t1010\t.\t%s\t%sAC\t.\t.\t.\n' "$("$GODWIT" mutate -q -f g.fa -r c1:1010-1010 | awk '!/^#/ { print $4; exit }')" \
    "$("$GODWIT" mutate -q -f g.fa -r c1:1010-1010 | awk '!/^#/ { print $4; exit }')" >>in.vcf
"$GODWIT" score -q -m model -f g.fa --window 40 -o out.vcf in.vcf
equal "$(grep -vc '^#' out.vcf)" 13 "records"
equal "$(grep -c 'GW_LLR=-\{0,1\}[0-9]' out.vcf)" 13 "records with a score"
awk "$DRAW"'BEGIN { seed = 9; print "sequence\tlabel"; for (i = 0; i < 8; i++) print bases(41) "\t" i % 2 }' >set.tsv
"$GODWIT" finetune -q -m model --task promoter -d set.tsv -o tuned --steps 2 --batch 4 -@ 1
"$GODWIT" predict -q -m tuned -d set.tsv -o predicted.tsv
grep -q EsmForSequenceClassification tuned/config.json || die "architecture: $(cat tuned/config.json)"
printf '>s\nACGTNACT\n' >one.fa
"$GODWIT" embed -q -m model --pool none -o one.npy one.fa
equal "$(awk 'NR > 1 { printf "%s-%s ", $3, $4 }' one.rows.tsv)" "0-0 0-2 2-4 4-5 5-7 7-8 " "bases of tokens"

# DNABERT: every 3-mer of a word, and [UNK] where a letter is unknown.
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n' | kmers 3 >overlapping/vocab.txt
printf 'ACGTA\nacgta\nACGNACG\nAC\n' >texts.txt
"$GODWIT" encode -q -m overlapping/vocab.txt texts.txt >ids 2>/dev/null
equal "$(tr '\n' '|' <ids)" "16 50 57|16 50 57|16 1 1 1 16|1|" "ids of 3-mers that overlap"
"$GODWIT" encode -q -m overlapping/vocab.txt -o four texts.txt
"$GODWIT" decode -q four >decoded
equal "$(head -1 decoded)" "ACGTA" "decoded 3-mers"
cat >bert.json <<'E2'
{"architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
 "intermediate_size": 24, "max_position_embeddings": 64, "vocab_size": 69}
E2
"$GODWIT" encode -q -m overlapping/vocab.txt -o over corpus.txt
"$GODWIT" pretrain -q -d over -o dnabert -c bert.json --steps 2 --batch-tokens 256 -@ 1
same dnabert/vocab.txt overlapping/vocab.txt
grep -q '"do_lower_case": *false' dnabert/tokenizer_config.json || die "case: $(cat dnabert/tokenizer_config.json)"
"$GODWIT" score -q -m dnabert -f g.fa --window 40 -o out.vcf in.vcf
equal "$(grep -c 'GW_LLR=-\{0,1\}[0-9]' out.vcf)" 13 "records with a score"

# Refused: what would be another computation, and vocabularies that say a token twice or lack one.
sed 's/"mask_token_id": 2, //' esm.json >bad.json
fails 1 '"token_dropout" is true without "mask_token_id"' "$GODWIT" pretrain -q -d sh -o bad -c bad.json --steps 1
sed 's/EsmForMaskedLM/EsmForQuestionAnswering/' esm.json >bad.json
fails 1 "architecture EsmForQuestionAnswering; of esm, EsmForMaskedLM" "$GODWIT" pretrain -q -d sh -o bad -c bad.json --steps 1
sed 's/"esm"/"esm", "add_bias_fnn": false/' esm.json >bad.json
fails 1 '"add_bias_fnn": only the model' "$GODWIT" pretrain -q -d sh -o bad -c bad.json --steps 1
sed 's/"esm"/"esm", "is_folding_model": true/' esm.json >bad.json
fails 1 '"is_folding_model" is true' "$GODWIT" pretrain -q -d sh -o bad -c bad.json --steps 1
mkdir twice
printf '\nAA\n' | cat end/vocab.txt - >twice/vocab.txt
cp end/tokenizer_config.json twice
fails 1 'twice/vocab.txt:27: the token "AA" occurs twice' "$GODWIT" encode -q -m twice texts.txt
echo '{"tokenizer_class": "EsmTokenizer", "eos_token": "<end>"}' >twice/tokenizer_config.json
cp end/vocab.txt twice
fails 1 'the token "<end>", which is to end texts' "$GODWIT" encode -q -m twice texts.txt
