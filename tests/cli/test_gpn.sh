# GPN's two families: made, trained, scored in windows as its own program cuts them, fine-tuned; what is refused.
. "$ROOT/tests/cli/lib.sh"

# Its tokenizer: seven tokens, none around a sequence.
cat >tokenizer.json <<'E2'
{"version": "1.0", "truncation": null, "padding": null,
 "added_tokens": [
  {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 1, "content": "[MASK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 2, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
 "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
 "model": {"type": "BPE", "dropout": null, "unk_token": "[UNK]", "continuing_subword_prefix": null,
  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
  "vocab": {"[PAD]": 0, "[MASK]": 1, "[UNK]": 2, "a": 3, "c": 4, "g": 5, "t": 6}, "merges": []}}
E2
genome 2 60 >g.fa
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" encode -q -m tokenizer.json -o sh corpus.txt
sizes='"hidden_size": 16, "initializer_range": 0.3'
echo "{\"model_type\": \"GPN\", $sizes, \"num_hidden_layers\": 3, \"intermediate_size\": 24}" >GPN.json
echo "{\"model_type\": \"ConvNet\", $sizes, \"n_layers\": 3, \"kernel_size\": 5}" >ConvNet.json
"$GODWIT" mutate -q -f g.fa -r c1:1001-1003 -o in.vcf
awk "$DRAW"'BEGIN { seed = 9; print "sequence\tlabel"; for (i = 0; i < 8; i++) print bases(41) "\t" i % 2 }' >set.tsv

# The genome with another base at a place of c1 (1-based).
changed() {
    awk -v at="$1" '/^>/ { contig = $1; n = 0; print; next }
        contig == ">c1" && at > n && at <= n + length($0) { i = at - n; b = substr($0, i, 1)
            n += length($0); $0 = substr($0, 1, i - 1) (b == "A" ? "C" : "A") substr($0, i + 1); print; next }
        { n += length($0); print }' g.fa
}
score() { # MODEL FASTA
    "$GODWIT" score -q -m "$1" -f "$2" --window 20 -o - in.vcf | grep -v '^#' | cut -f8
}

for family in GPN ConvNet; do
    "$GODWIT" pretrain -q -d sh -o $family -c $family.json --steps 2 --batch-tokens 256 -@ 1
    same $family/tokenizer.json tokenizer.json
    grep -q "\"model_type\": \"$family\"" $family/config.json || die "type: $(cat $family/config.json)"
    "$GODWIT" pretrain -q -m $family -f g.fa -o $family-on --steps 2 --batch-tokens 256 --length 64 -@ 1 2>note
    [ ! -s note ] || die "said of single bases: $(cat note)"
    score $family-on g.fa >scores
    equal "$(grep -c 'GW_LLR=-\{0,1\}[0-9]' scores)" 9 "records with a score"
    # An even window of W bases has W / 2 before the allele, 991 to 1000 of position 1001: those read, 1011 and 990 not.
    head -3 scores >first
    for at in 991 1010; do
        changed $at >other.fa
        score $family-on other.fa | head -3 >second
        ! cmp -s first second || die "$family does not read base $at"
    done
    for at in 990 1011; do
        changed $at >other.fa
        score $family-on other.fa | head -3 >second
        same second first
    done
    "$GODWIT" eval -q -m $family-on -f g.fa -R /dev/stdin <<E2 >bits.tsv
c2	0	500
E2
    equal "$(awk 'NR == 2 { print $3 }' bits.tsv)" 500 "bases that were predicted"
    "$GODWIT" embed -q -m $family-on --pool mean -o $family.npy g.fa
    "$GODWIT" convert -m $family-on -o $family-again
    score $family-again g.fa >again
    same again scores
    "$GODWIT" finetune -q -m $family-on --task promoter -d set.tsv -o $family-tuned --steps 2 --batch 4 -@ 1
    grep -q "${family}ForSequenceClassification" $family-tuned/config.json || die "class: $(cat $family-tuned/config.json)"
    "$GODWIT" predict -q -m $family-tuned -d set.tsv -o predicted.tsv
    equal "$(wc -l <predicted.tsv)" 9 "rows predicted"
done
# Windows that sites share: without a token before them, too.
"$GODWIT" score -q -m GPN-on -f g.fa --window 64 --share-windows 1 -o shared.vcf in.vcf
equal "$(grep -c 'GW_LLR=-\{0,1\}[0-9]' shared.vcf)" 9 "records with a score in shared windows"
fails 1 "pool them by their mean" "$GODWIT" embed -q -m GPN-on -o none.npy g.fa
fails 1 '"encoder" is "roformer"; only convnet is supported' sh -c \
    "sed 's/\"GPN\"/\"GPN\", \"encoder\": \"roformer\"/' GPN.json >bad.json; '$GODWIT' pretrain -q -d sh -o bad -c bad.json --steps 1"
