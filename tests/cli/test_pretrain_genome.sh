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
    "$GODWIT" pretrain -q -f genome.fa -R train.bed -o "$out" -c config.json --steps 40 --tokens-per-batch 1056 \
        --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 "$@"
}
without_times() {
    sed 's/,"[a-z_]*second[a-z]*":[^,}]*//g' "$1"
}
train model
less "$(field model/metrics.jsonl 40 mlm_loss)" "$(field model/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
! grep -q nsp model/metrics.jsonl || die "sentence pairs of a genome"
grep -q BigBirdForMaskedLM model/config.json || die "the head is not that of masked tokens"

# Stopped on the way and gone on: the same bits.
"$GODWIT" pretrain -q -f genome.fa -R train.bed -o cut -c config.json --steps 40 --tokens-per-batch 1056 --lr 5e-3 \
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
    --steps 40 --tokens-per-batch 1056 --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 --resume
fails 1 "made by a run with other settings" train model --repeat-weight 0.5 --resume

# The model is one like any other.
"$GODWIT" mutate -q -f genome.fa -r one:8501-8510 | "$GODWIT" score -q -m model -f genome.fa - >scored.vcf
equal "$(grep -c 'GW_LLR=.*PASS' scored.vcf)" 30 "alleles scored"

# Two genomes, the second one soft-masked, with and without regions.
"$GODWIT" pretrain -q -f genome.fa,other.fa -R train.bed, -o two -c config.json --steps 2 --tokens-per-batch 400
"$GODWIT" pretrain -q -f other.fa --soft-masked --repeat-weight 0 -o soft -c config.json --steps 2 --tokens-per-batch 400
"$GODWIT" pretrain -q -f genome.fa --repeats more.bed --repeat-weight 0.1 -o rep -c config.json --steps 2 --tokens-per-batch 400

fails 2 "either token shards" "$GODWIT" pretrain -o bad
fails 2 "either token shards" "$GODWIT" pretrain -f genome.fa -d train -o bad
fails 2 "are for genomes" "$GODWIT" pretrain -d train -R train.bed -o bad
fails 2 "names 1 files for 2 genomes" "$GODWIT" pretrain -f genome.fa,other.fa -R train.bed -o bad
fails 1 "not soft-masked" "$GODWIT" pretrain -q -f genome.fa --soft-masked -o bad -c config.json
fails 1 "nothing.fa" "$GODWIT" pretrain -q -f nothing.fa -o bad -c config.json
printf 'two\t0\t10\n' >other.bed
fails 1 "no contig 'two'" "$GODWIT" pretrain -q -f other.fa,genome.fa -R ,other.bed -o bad -c config.json
[ ! -e bad ] || die "a failed run left a model folder"
