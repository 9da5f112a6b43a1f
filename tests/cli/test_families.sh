# BERT and RoBERTa are pretrained, evaluated, fine-tuned and read as BigBird is.
. "$ROOT/tests/cli/lib.sh"
prepared small

sizes='"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
 "max_position_embeddings": 128'
for family in bert roberta; do
    class=$(printf %s "$family" | awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }')
    echo "{\"model_type\": \"$family\", $sizes}" >$family.json
    "$GODWIT" pretrain -q -d sh -o $family -c $family.json --steps 2 --batch-tokens 512 -@ 1
    grep -q "\"model_type\": \"$family\"" $family/config.json || die "$family/config.json is of another family"
    grep -q '"hidden_act": "gelu"' $family/config.json || die "$family/config.json has not its own activation"
    grep -q "\"$family.encoder.layer.0.attention.self.query.weight\"" $family/model.safetensors ||
        die "$family has other names"
    "$GODWIT" eval -q -m $family -d sh >$family.tsv
    grep -q '^model' $family.tsv || die "no evaluation of $family"
    "$GODWIT" finetune -q -m $family --task promoter -d set.tsv -o $family-promoter --steps 1 -@ 1
    grep -q "\"${class}ForSequenceClassification\"" $family-promoter/config.json || die "$family-promoter: no classifier"
    "$GODWIT" predict -q -m $family-promoter -d set.tsv -o $family-predicted.tsv
    equal "$(wc -l <$family-predicted.tsv)" "$(wc -l <set.tsv)" "rows predicted by $family"
done

# RoBERTa with one segment, as published ones have it.
echo "{\"model_type\": \"roberta\", \"type_vocab_size\": 1, $sizes}" >segment.json
"$GODWIT" pretrain -q -d sh -o segment -c segment.json --steps 2 --batch-tokens 512 -@ 1
"$GODWIT" eval -q -m segment -d sh >segment.tsv
grep -q '^model' segment.tsv || die "no evaluation of a model with one segment"

# BERT has sentence pairs, RoBERTa has none.
grep -q '"BertForPreTraining"' bert/config.json || die "BERT was pretrained as another class"
grep -q '"RobertaForMaskedLM"' roberta/config.json || die "RoBERTa was pretrained as another class"
equal "$(awk 'NR == 2 { print ($7 > 0) }' bert.tsv)" 1 "pairs of BERT"
equal "$(awk 'NR == 2 { print $7 }' roberta.tsv)" 0 "pairs of RoBERTa"

# A classifier in files that say only how many labels there are: probabilities of one sum to 1.
cp -r promoter two
sed -e 's/"problem_type": "[a-z_]*"/"problem_type": "single_label_classification"/' promoter/config.json >two/config.json
fails 1 "with one label" "$GODWIT" predict -q -m two -d set.tsv -o out.tsv
sed -e 's/"problem_type": "[a-z_]*"/"problem_type": "regression"/' promoter/config.json >two/config.json
"$GODWIT" predict -q -m promoter -d set.tsv -o probabilities.tsv
"$GODWIT" predict -q -m two -d set.tsv -o numbers.tsv # logits as they are, where the folder has no unit of them
equal "$(wc -l <numbers.tsv)" "$(wc -l <probabilities.tsv)" "rows of numbers"
! cmp -s numbers.tsv probabilities.tsv || die "numbers are probabilities"

# Another head says so.
sed -e 's/BigBirdForPreTraining/BigBirdForCausalLM/' model/config.json >two/config.json
fails 1 "architecture BigBirdForCausalLM" "$GODWIT" predict -q -m two -d set.tsv -o out.tsv
sed -e 's/BigBirdForPreTraining/BigBirdForMaskedLM/' model/config.json >config2 && mv config2 model/config.json
"$GODWIT" eval -m model -d sh >masked.tsv 2>note
grep -q "left out tensors that BigBirdForMaskedLM does not have: cls.seq_relationship" note || die "no word about the pair head"
