# Model folders that are damaged, of another kind or at odds with themselves: every command that loads one says which
# file and what in it, ends with exit status 1 and writes nothing.
. "$ROOT/tests/cli/lib.sh"
prepared small

# refused TEXT: by every command that takes the folder bad.
refused() {
    fails 1 "$1" "$GODWIT" score -q -m bad --window 60 -f g.fa in.vcf -o out.vcf
    fails 1 "$1" "$GODWIT" finetune -q -m bad --task promoter -d set.tsv -o out
    fails 1 "$1" "$GODWIT" predict -q -m bad -d set.tsv -o out.tsv
    fails 1 "$1" "$GODWIT" eval -q -m bad -d sh
    for left in out out.vcf out.tsv; do
        [ ! -e "$left" ] || die "$left was left: $1"
    done
}

for kind in model promoter; do
    weights="$kind/model.safetensors"
    fresh() { rm -rf bad && cp -r "$kind" bad; }

    fresh && head -c 5000 "$weights" >bad/model.safetensors
    refused "bad/model.safetensors: tensor bert.embeddings.position_embeddings.weight: its data at 128 to 8320 lie outside"
    printf x | cat "$weights" - >bad/model.safetensors
    refused "bad/model.safetensors: 1 bytes after the last tensor"
    sed 's/"data_offsets":\[0,/"data_offsets":[4,/' "$weights" >bad/model.safetensors
    refused "60 bytes do not hold 16 values of type F32"
    : >bad/model.safetensors
    refused "bad/model.safetensors: 0 bytes are too few"
    rm bad/model.safetensors
    refused "cannot open bad/model.safetensors"

    fresh && sed 's/"intermediate_size": *32/"intermediate_size": 36/' "$kind/config.json" >bad/config.json
    refused "intermediate.dense.weight has shape [32, 16], config.json asks for [36, 16]"
    sed 's/"hidden_size": *16/"hidden_size": 18/' "$kind/config.json" >bad/config.json
    refused 'bad/config.json: "hidden_size" is 18, expected a multiple of 4'
    echo '{' >bad/config.json
    refused "bad/config.json:2: not valid JSON"
    rm bad/config.json
    refused "cannot open bad/config.json"

    fresh && sed 's/"BPE"/"WordLevel"/' "$kind/tokenizer.json" >bad/tokenizer.json
    refused "bad/tokenizer.json: the model is WordLevel, expected BPE, Unigram or WordPiece"
    cp "$kind/tokenizer.json" tokenizer.json
    "$GODWIT" bpe -q -v 17 -o bad/tokenizer.json corpus.txt
    refused "the tokenizer has 17 tokens, the model's vocab_size is 16"
    rm bad/tokenizer.json
    refused "bad: no tokenizer: neither tokenizer.json nor"
done

# What family a model is of, where config.json does not say.
fresh && sed 's/"model_type"/"type"/; s/BigBirdFor/OtherFor/' "$kind/config.json" >bad/config.json
refused 'bad/config.json: "model_type" is missing, and architecture OtherFor'
sed 's/"model_type"/"type"/; s/"architectures"/"classes"/' "$kind/config.json" >bad/config.json
"$GODWIT" predict -q -m bad -d set.tsv 2>err >/dev/null || :
grep -q 'bad/config.json: "model_type" and "architectures" are missing; read as big_bird' err || die "no family: $(cat err)"

# Models of the other kind.
sed '1s/label/other/' set.tsv >others.tsv
fails 1 "labels of its own" "$GODWIT" finetune -q -m promoter --task promoter -d others.tsv -o out
fails 1 "model" "$GODWIT" predict -q -m model -d set.tsv -o out.tsv
fails 1 "evaluated on a labelled set" "$GODWIT" eval -q -m promoter -d sh
fails 1 "model" "$GODWIT" eval -q -m model -d set.tsv --split all
fails 1 "promoter/config.json is the config of BigBirdForSequenceClassification, which has no head for masked tokens" "$GODWIT" pretrain -q -d sh -c promoter/config.json -o out
fails 1 "trained with the TSS at offset 40" "$GODWIT" score -q -m promoter -f g.fa in.vcf -o out.vcf
