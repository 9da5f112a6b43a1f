# Tokenizers made elsewhere in encode, decode, pretrain and finetune: ids, case, what is kept, and what is refused.
. "$ROOT/tests/cli/lib.sh"
golden="$ROOT/tests/data/tokenizer_json"

# the ids of the package, in whatever case the bases come
printf 'ACGTTGCATTNNNNNNNNNNNNACGT\nACGT\n\nNNNACGTRY\n' >corpus.txt
"$GODWIT" encode -q -m "$golden/gena.json" corpus.txt >ids
grep -qw 5 ids || die "no gap token for a run of N: $(cat ids)"
tr A-Z a-z <corpus.txt >lower.txt
"$GODWIT" encode -q -m "$golden/gena.json" lower.txt >lower.ids 2>err
same ids lower.ids
[ ! -s err ] || die "a warning without need: $(cat err)"
"$GODWIT" encode -q --keep-case -m "$golden/gena.json" lower.txt >kept.ids 2>err
equal "$(tr ' ' '\n' <kept.ids | sort -u | tr -d '\n')" "0" "tokens of lower-case letters"
grep -q 'gena.json turned .* % of the bases into \[UNK\]' err || die "no warning: $(cat err)"
equal "$(grep -c 'UNK' err)" 1 "warnings"

# shards and back; the tokenizer's file is kept byte for byte
"$GODWIT" encode -q -m "$golden/gena.json" -o x corpus.txt
same x.tokenizer.json "$golden/gena.json"
"$GODWIT" decode x >text
printf 'ACGTTGCATT-ACGT\nACGT\n\nNNNACGTRY\n' >expected
same text expected
for threads in 1 3; do
    "$GODWIT" encode -q -@ $threads -m "$golden/gena.json" corpus.txt >"ids$threads"
    same ids "ids$threads"
done

# pretraining and fine-tuning on them: the tokenizer's own special tokens, and its file in every folder
awk "$DRAW"'BEGIN { seed = 1; for (l = 0; l < 400; l++) { print bases(60); if (l % 20 == 19) print "" } }' >long.txt
"$GODWIT" encode -q -m "$golden/gena.json" -o sh long.txt
cat >config.json <<'END'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128, "attention_type": "original_full"}
END
"$GODWIT" pretrain -q -d sh -o model -c config.json --steps 2 --batch-tokens 512 -@ 1
same model/tokenizer.json "$golden/gena.json"
for pair in 'pad_token": "[PAD]' 'unk_token": "[UNK]' 'cls_token": "[CLS]' 'sep_token": "[SEP]' 'mask_token": "[MASK]'; do
    grep -qF "\"$pair\"" model/tokenizer_config.json || die "tokenizer_config.json lacks $pair"
done
for pair in 'pad_token_id": 3' 'sep_token_id": 2'; do
    grep -qF "\"$pair" model/config.json || die "config.json lacks $pair: $(cat model/config.json)"
done
"$GODWIT" pretrain -q -d sh -o preset --size tiny --length 128 --steps 1 --batch-tokens 512 -@ 1
for pair in 'pad_token_id": 3' 'sep_token_id": 2' 'bos_token_id": 1' 'eos_token_id": 2'; do
    grep -qF "\"$pair" preset/config.json || die "config.json lacks $pair: $(cat preset/config.json)"
done
"$GODWIT" eval -q -m model -d sh >table
grep -q '^model' table || die "no evaluation: $(cat table)"
{ printf 'sequence\tlabel\n' && grep . long.txt | head -40 | awk '{ print $1 "\t" NR % 2 }'; } >set.tsv
"$GODWIT" finetune -q -m model --task promoter -d set.tsv -o promoter --steps 1 -@ 1
same promoter/tokenizer.json "$golden/gena.json"

# text of any language
printf 'The cells divide.\ndon'"'"'t\n\nna\303\257ve \346\227\245\n' >english.txt
"$GODWIT" encode -q -m "$golden/byte_level.json" -o e english.txt
"$GODWIT" decode e >text
same text english.txt
printf 'fine\nnot \377 fine\n' >bad.txt
fails 1 "bad.txt:2: column 5: byte 0xFF is not UTF-8" "$GODWIT" encode -q -m "$golden/byte_level.json" -o z bad.txt
fails 1 "english.txt:1: column 3: 'e' is not a nucleotide letter" \
    "$GODWIT" encode -q -m "$golden/gena.json" -o z english.txt

# refused by file and name
refuses() { # MESSAGE SED-EXPRESSION
    sed "$2" "$golden/gena.json" >other.json
    ! cmp -s "$golden/gena.json" other.json || die "nothing changed by $2"
    fails 1 "other.json: $1" "$GODWIT" encode -m other.json corpus.txt
}
refuses 'the model is WordLevel, expected BPE' 's/"type":"BPE"/"type":"WordLevel"/'
refuses '"normalizer": Nmt is not one that this program runs' 's/"type":"Strip"/"type":"Nmt"/'
refuses '"pre_tokenizer": UnicodeScripts is not one' 's/"type":"Split"/"type":"UnicodeScripts"/'
refuses 'the regular expression "(?<n>N)": a group of that kind at byte 1' 's/N{10,}/(?<n>N)/'
refuses 'the added token "[MASK]" has id 9, expected 4' 's/"id":4,"content":"\[MASK\]"/"id":9,"content":"[MASK]"/'
grep . long.txt >plain.txt
"$GODWIT" encode -q -m "$golden/byte_fallback.json" -o f plain.txt
fails 1 "f.tokenizer.json has no special token for" "$GODWIT" pretrain -q -d f -o m -c config.json --steps 1
