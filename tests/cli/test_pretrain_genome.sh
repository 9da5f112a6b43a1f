# Pretraining straight from genomes: it learns, goes on bit for bit, makes a model that score reads, and refuses what it must.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
{ echo ">one" && repetitive 12000 1; } >genome.fa
{ echo ">two" && repetitive 3000 2 | tr 'ACGT' 'acgt' && repetitive 600 3; } | grep . >other.fa
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 66, "attention_type": "original_full"}
END
printf 'one\t0\t8000\none\t9000\t9500\n' >train.bed

train() {
    out=$1
    shift
    "$GODWIT" pretrain -q -f genome.fa -R train.bed -o "$out" -c config.json --steps 40 --batch-tokens 1056 \
        --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 "$@"
}
without_times() {
    sed 's/,"[a-z_]*second[a-z]*":[^,}]*//g' "$1"
}
train model
less "$(field model/metrics.jsonl 40 mlm_loss)" "$(field model/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
! grep -q nsp model/metrics.jsonl || die "sentence pairs of a genome"
grep -q BigBirdForMaskedLM model/config.json || die "the head is not that of masked tokens"

train threads -@ 1
same threads/model.safetensors model/model.safetensors

# Stopped on the way and gone on: the same bits.
"$GODWIT" pretrain -q -f genome.fa -R train.bed -o cut -c config.json --steps 40 --batch-tokens 1056 --lr 5e-3 \
    --save-every 10 --dropout 0 --mask-rate 0.2 &
run=$!
until [ -e cut.checkpoints/metrics.jsonl ] && [ "$(wc -l <cut.checkpoints/metrics.jsonl)" -ge 13 ]; do
    kill -0 "$run" 2>/dev/null || break
    sleep 0.01
done
kill -9 "$run" 2>/dev/null || true
wait "$run" 2>/dev/null || true
train cut --resume
same cut/model.safetensors model/model.safetensors
without_times cut/metrics.jsonl >a
without_times model/metrics.jsonl >b
same a b

# Other regions, other repeats or another weight of them are another run.
printf 'one\t0\t8001\none\t9000\t9500\n' >more.bed
fails 1 "made by a run with other settings" "$GODWIT" pretrain -q -f genome.fa -R more.bed -o model -c config.json \
    --steps 40 --batch-tokens 1056 --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 --resume
fails 1 "made by a run with other settings" train model --repeat-weight 0.5 --resume

# The model is one like any other.
"$GODWIT" mutate -q -f genome.fa -r one:8501-8510 | "$GODWIT" score -q -m model -f genome.fa - >scored.vcf
equal "$(grep -c 'GW_LLR=.*PASS' scored.vcf)" 30 "alleles scored"

# Two genomes, the second one soft-masked, with and without regions.
"$GODWIT" pretrain -q -f genome.fa,other.fa -R train.bed, -o two -c config.json --steps 2 --batch-tokens 400
"$GODWIT" pretrain -q -f genome.fa,other.fa --species -o species -c config.json --steps 2 --batch-tokens 400
grep -q '"vocab_size": 11' species/config.json || die "no row for the other genome"
"$GODWIT" eval -q -m species -f genome.fa -R train.bed --sample 2 >table
"$GODWIT" pretrain -q -m two -f genome.fa,other.fa --species -o species2 --steps 1 --batch-tokens 400 --lr 1e-9
"$GODWIT" eval -q -m two -f genome.fa -R train.bed --sample 2 | sed -n 2p >before
"$GODWIT" eval -q -m species2 -f genome.fa -R train.bed --sample 2 | sed -n 2p >after
awk 'NR == FNR { bits = $6; next } { exit !($6 - bits < 0.2 && bits - $6 < 0.2) }' before after || die "other weights"
"$GODWIT" pretrain -q -f other.fa --soft-masked --repeat-weight 0 -o soft -c config.json --steps 2 --batch-tokens 400
"$GODWIT" pretrain -q -f genome.fa --repeats more.bed --repeat-weight 0.1 -o rep -c config.json --steps 2 --batch-tokens 400

# Validation on what is left out; an average of the weights; the best of them is kept. Stopped and gone on: the same.
printf 'one\t8000\t9000\n' >valid.bed
validated() {
    ${background:+exec} "$GODWIT" pretrain -f genome.fa --valid-regions valid.bed --valid-bases 500 -o "$1" -c config.json --steps 60 \
        --batch-tokens 1056 --lr 2e-2 --schedule one-cycle --ema 0.9 --save-every 10 --dropout 0 --mask-rate 0.2 \
        ${2:-} 2>"$1.log"
}
validated valid
start validated halt
await lines halt.checkpoints/metrics.jsonl 23
kill -9 "$run" 2>/dev/null || true
wait "$run" 2>/dev/null || true
validated halt --resume
same halt/model.safetensors valid/model.safetensors
without_times halt/metrics.jsonl >a
without_times valid/metrics.jsonl >b
same a b
best=$(grep -o '"step":[0-9]*,\|"valid_bits_per_base":[0-9.]*' valid/metrics.jsonl | awk -F: '
    /step/ { step = $2 + 0 } /bits/ { if (!least || $2 < least) { least = $2; at = step } } END { print at }')
grep -q "the model has the weights of step $best, with the best validation" valid.log || die "not step $best: $(cat valid.log)"
"$GODWIT" eval -q -m valid -f genome.fa -R valid.bed --sample 16 >table
found=$(awk '$2 == "all" { printf "%.5f", $6 }' table)
awk -v a="$found" -v b="$(field valid/metrics.jsonl "$best" valid_bits_per_base)" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4) }' ||
    die "the model has $found bits per base, its validation $(field valid/metrics.jsonl "$best" valid_bits_per_base)"
validated last "--keep last"
[ "$best" = 60 ] || ! cmp -s last/model.safetensors valid/model.safetensors || die "--keep last kept the best"

# A relative, here the same genome, loses what is like the held-out regions.
"$GODWIT" pretrain -f genome.fa,genome.fa -R train.bed, --unlike valid.bed -o relative -c config.json --steps 1 \
    --batch-tokens 400 2>relative.log
cut=$(awk '/of other genomes are like valid.bed/ { print $2 }' relative.log)
[ "${cut:-0}" -ge 3000 ] || die "too little was left out: $(cat relative.log)"

# On from a finished run, in shorter sequences, with other text; from one with other heads; and what has no such thing.
"$GODWIT" pretrain -q -m valid -f genome.fa -R train.bed -o on --steps 1 --lr 1e-9 --batch-tokens 400 --length 32
"$GODWIT" eval -q -m on -f genome.fa -R valid.bed --sample 16 >again
awk 'NR == FNR { bits[NR] = $6; next } FNR > 1 && $6 - bits[FNR] > 1e-3 { exit 1 }' table again || die "other weights: $(cat again)"
"$GODWIT" pretrain -q -m valid -f genome.fa -o named --steps 1 --batch-tokens 400
mkdir known && cp -r valid known/lambda
GODWIT_MODELS=known "$GODWIT" pretrain -q -m lambda -f genome.fa -o named2 --steps 1 --batch-tokens 400
same named/model.safetensors named2/model.safetensors
prepared shards
"$GODWIT" pretrain -q -d train -o pairs -c config.json --steps 1 --batch-tokens 400
"$GODWIT" pretrain -q -m pairs -f genome.fa -o bases --steps 1 --batch-tokens 400
grep -q BigBirdForMaskedLM bases/config.json || die "the head is not that of masked tokens"
"$GODWIT" pretrain -q -m pairs -d train -o pairs2 --steps 1 --batch-tokens 400
grep -q BigBirdForPreTraining pairs2/config.json || die "the head for pairs is gone"
"$GODWIT" bpe -q -v 40 -o merged.json train.txt
"$GODWIT" encode -q -m merged.json -o merged train.txt
fails 1 "another vocabulary" "$GODWIT" pretrain -q -m bases -d merged -o bad --steps 1
fails 1 "has 96 positions" "$GODWIT" pretrain -q -m bases -f genome.fa -o bad --steps 1 --length 97
fails 2 "are for a new model only" "$GODWIT" pretrain -q -m bases -f genome.fa -o bad --size tiny

# A stem; on in longer sequences, which rotary positions have no table for; another stem is another run.
stem() {
    "$GODWIT" pretrain -q -f genome.fa -o stem --size dna-tiny --stem "$1" --length 40 --steps 2 --batch-tokens 160 $2
}
stem "res:3@1,2" ""
fails 1 "made by a run with other settings" stem "res:3@2,1" --resume
"$GODWIT" pretrain -q -m stem -f genome.fa -o stem2 --steps 1 --batch-tokens 160 --length 60
grep -q '"max_position_embeddings": 60' stem2/config.json || die "no longer sequences"

# The preset, and what is given beside it: a 25th of the rate in the first step, 32 sequences.
"$GODWIT" pretrain -q -f genome.fa --preset dna -c config.json --length 20 --steps 4 -o preset
grep -q '"step":1,.*"rate":8e-5,.*"tokens":640,' preset/metrics.jsonl || die "the preset: $(head -1 preset/metrics.jsonl)"

# A loss that stays where it began is not a secret.
"$GODWIT" pretrain -f genome.fa -o stuck -c config.json --steps 210 --batch-tokens 96 --length 18 --lr 1e-9 2>stuck.log
grep -q "nothing is learnt" stuck.log || die "no word about a loss at chance: $(cat stuck.log)"
# Losses of DNA are shown in bits, beside which metrics keep nats.
bits=$(awk -v x="$(field stuck/metrics.jsonl 210 mlm_loss)" 'BEGIN { printf "%.4f", x / log(2) }')
grep -q "train 210/210 steps.*, loss $bits bits per base, " stuck.log || die "not $bits bits: $(grep 210/210 stuck.log)"
equal "$(awk -v x="$(field stuck/metrics.jsonl 210 mlm_bits)" 'BEGIN { printf "%.4f", x }')" "$bits" "mlm_bits"
! grep -q "nothing is learnt" valid.log || die "a run that learns was warned of"

fails 2 "either token shards" "$GODWIT" pretrain -o bad
fails 2 "either token shards" "$GODWIT" pretrain -f genome.fa -d train -o bad
fails 2 "are for genomes" "$GODWIT" pretrain -d train -R train.bed -o bad
fails 2 "names 1 files for 2 genomes" "$GODWIT" pretrain -f genome.fa,other.fa -R train.bed -o bad
fails 1 "not soft-masked" "$GODWIT" pretrain -q -f genome.fa --soft-masked -o bad -c config.json
fails 1 "nothing.fa" "$GODWIT" pretrain -q -f nothing.fa -o bad -c config.json
printf 'two\t0\t10\n' >other.bed
fails 1 "no contig 'two'" "$GODWIT" pretrain -q -f other.fa,genome.fa -R ,other.bed -o bad -c config.json
[ ! -e bad ] || die "a failed run left a model folder"
