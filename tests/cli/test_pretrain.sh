# Pretraining learns, writes a whole model folder, and refuses what it must.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
prepared shards

"$GODWIT" pretrain -q -d train --valid test -o model -c config.json --steps 60 --batch-tokens 768 --lr 5e-3 \
    --save-every 30 --dropout 0
for file in config.json model.safetensors tokenizer.json tokenizer_config.json metrics.jsonl loss.png; do
    [ -s "model/$file" ] || die "model/$file is missing"
done
[ -s model.checkpoints/training.state ] || die "no training state beside the model"
equal "$(wc -l <model/metrics.jsonl | tr -d ' ')" 60 "lines of metrics"
less "$(field model/metrics.jsonl 60 mlm_loss)" "$(field model/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
less "$(field model/metrics.jsonl 60 valid_mlm_loss)" "$(field model/metrics.jsonl 30 valid_mlm_loss)" ||
    die "the validation loss did not fall"
grep -q '"mean_bases": *1' model/config.json || die "config.json lacks the bases of a token"
grep -q '"vocab_size": *10' model/config.json || die "config.json lacks the vocabulary's size"

# An existing model is refused, and a finished run is left as it is.
cp -r model before
fails 1 "model exists" "$GODWIT" pretrain -d train -o model -c config.json
"$GODWIT" pretrain -d train --valid test -o model/ -c config.json --steps 60 --batch-tokens 768 --lr 5e-3 \
    --save-every 30 --dropout 0 --resume 2>note
grep -q "finished" note || die "no word about the finished run"
same model/model.safetensors before/model.safetensors
same model/metrics.jsonl before/metrics.jsonl
same model/loss.png before/loss.png

# Losses of DNA are shown in bits.
"$GODWIT" pretrain -d train --valid test -o bits -c config.json --steps 1 --batch-tokens 768 2>bits.log
bits=$(awk -v x="$(field bits/metrics.jsonl 1 valid_mlm_loss)" 'BEGIN { printf "%.4f", x / log(2) }')
grep -q "validation: loss of masked tokens $bits bits, accuracy" bits.log || die "not $bits bits: $(cat bits.log)"
grep -q "train 1/1 steps.*, loss [0-9.]* bits, " bits.log || die "not in bits: $(cat bits.log)"

# A workflow engine may have deleted the folder: it comes back from the state.
rm -r model
"$GODWIT" pretrain -q -d train --valid test -o model -c config.json --steps 60 --batch-tokens 768 --lr 5e-3 \
    --save-every 30 --dropout 0 --resume
same model/model.safetensors before/model.safetensors
same model/metrics.jsonl before/metrics.jsonl

# States of other settings or data.
fails 1 "made by a run with other settings: --dropout 0 (now 0.1), --steps 60 (now 61), " "$GODWIT" pretrain -q -d train -o model -c config.json --steps 61 --resume
fails 1 "made by a run with other settings: data " "$GODWIT" pretrain -q -d test -o model -c config.json --steps 60 \
    --batch-tokens 768 --lr 5e-3 --save-every 30 --dropout 0 --resume

# Wrong input.
fails 1 "nothing.idx" "$GODWIT" pretrain -d nothing -o bad -c config.json
fails 1 "none.json" "$GODWIT" pretrain -d train -o bad -c none.json
echo '{"hidden_size": 30, "num_attention_heads": 4}' >wrong.json
fails 1 "wrong.json" "$GODWIT" pretrain -d train -o bad -c wrong.json
sed 's/{/{"vocab_size": 7, /' config.json >small.json
fails 1 "vocab_size is 7" "$GODWIT" pretrain -d train -o bad -c small.json
"$GODWIT" bpe -q -v 40 -o merged.json train.txt
"$GODWIT" encode -q -m merged.json -o merged train.txt
fails 1 "another vocabulary" "$GODWIT" pretrain -d train -d merged -o bad -c config.json
fails 1 "another vocabulary" "$GODWIT" pretrain -d train --valid merged -o bad -c config.json
fails 1 "cannot hold a pair" "$GODWIT" pretrain -d train -o bad -c config.json --length 4
fails 1 "outside the model folder" "$GODWIT" pretrain -d train -o bad -c config.json --checkpoints bad/state
fails 2 "leaves no step" "$GODWIT" pretrain -d train -o bad -c config.json --steps 5 --warmup 5
fails 2 "give either --size or --config, not both" "$GODWIT" pretrain -d train -o bad -c config.json --size base
fails 2 "either token shards (-d PREFIX)" "$GODWIT" pretrain -o bad
[ ! -e bad ] || die "a failed run left a model folder"

# Merged vocabularies, several prefixes.
"$GODWIT" pretrain -q -d merged -d merged -o two -c config.json --steps 3 --batch-tokens 400 --length 32
[ -s two/model.safetensors ] || die "no model of two prefixes"

# The paper's schedule, where nothing else is said: the first step of a warm-up of 10,000, and 256 sequences a step.
"$GODWIT" pretrain -q -d train -o paper -c config.json --preset paper-pretrain --batch-tokens 400 -@ 1 2>/dev/null &
run=$!
until cat paper*/metrics.jsonl 2>/dev/null | grep -q '"step":2,'; do
    kill -0 $run || die "the run is over"
    sleep 0.1
done
kill -9 $run
wait $run || true
grep -q '"step":1,.*"rate":1e-0*8,' paper*/metrics.jsonl || die "warm-up: $(head -1 paper*/metrics.jsonl)"
"$GODWIT" pretrain -q -d train -o batch -c config.json --preset paper-pretrain --length 32 --steps 1 -@ 1
field batch/metrics.jsonl 1 tokens | awk '{ exit !($1 > 0.9 * 256 * 32 && $1 <= 257 * 32) }' || die "tokens: $(cat batch/metrics.jsonl)"

# What is given stays, also where it is the usual value.
fails 2 "--warmup 100000 leaves no step of 100000" "$GODWIT" pretrain -d nowhere -o given --preset paper-pretrain --steps 100000 --warmup 100000
fails 2 "--warmup 100000 leaves no step of 100000" "$GODWIT" pretrain -d nowhere -o given --preset dna --steps 100000 --warmup 100000
"$GODWIT" pretrain -q -d train -o given -c config.json --preset dna --length 32 --steps 1 --warmup 0 --lr 1e-4 --schedule linear \
    --tokens-per-batch 400 -@ 1 # as --batch-tokens was called here, and is still
field given/metrics.jsonl 1 tokens | awk '{ exit !($1 > 300 && $1 < 500) }' || die "tokens: $(cat given/metrics.jsonl)"
equal "$(field given/metrics.jsonl 1 rate)" 0.0001 "rate that was given"

# An encoder without heads, whose tensors have no prefix: all of it is gone on from, and heads alone are fresh.
cp -r model headless
sed 's/BigBirdForPreTraining/BigBirdModel/' model/config.json >headless/config.json
"$GODWIT" convert -q -m headless -o encoder
"$GODWIT" pretrain -m encoder -d train -o on --steps 1 --lr 1e-9 --batch-tokens 768 2>note
grep "fresh weights of" note | tr ',' '\n' | sed 's/.* //' >fresh
grep -q "^cls.predictions.transform.dense.weight$" fresh || die "no word of a fresh head: $(cat note)"
! grep -v "^cls\." fresh || die "more than heads is fresh: $(cat note)"

# Without pairs of sentences: no head for them, and no loss of theirs.
"$GODWIT" pretrain -m encoder -d train --valid test --no-pairs -o alone --steps 1 --batch-tokens 768 2>note
! grep "of pairs" note || die "a validation of pairs"
grep -q '"BigBirdForMaskedLM"' alone/config.json || die "another head: $(grep -A1 architectures alone/config.json)"
! grep -q nsp_loss alone/metrics.jsonl || die "a loss of pairs: $(cat alone/metrics.jsonl)"
fails 2 "no-pairs goes with token shards" "$GODWIT" pretrain -q -f genome.fa --no-pairs -o no
