# Commands with --device cuda over the emulated plugin, on tiny models of every family and mixer: what they write is what the processor
# writes, within docs/background/numerics.md's bounds; in bf16, which not every processor has, what it writes in f32 within what rounding moves.
. "$ROOT/tests/cli/lib.sh"
prepared small
emulated=${GODWIT_PLUGIN_TESTED:-$BUILD/tests/emulated/libgodwit-cuda.so}
[ -e "$emulated" ] || { echo "no emulation of the CUDA plugin: it needs x86-64 and a C++ compiler with -fsanitize=thread"; exit 77; }
export OMP_NUM_THREADS=1

# near BOUND FILE FILE: the same words, and numbers no further apart than that; a VCF's header says which command wrote it.
near() {
    awk -v bound="$1" -F '[\t ;,=|]+' '
        /^##/ { next }
        NR == FNR { line[++lines] = $0; next }
        { n = split(line[++row], want)
          if (n != NF) { print "line " row ": " $0; exit 1 }
          for (i = 1; i <= n; i++)
              if ($i != want[i] && ($i ~ /[^-+.0-9e]/ || ($i - want[i]) ^ 2 > bound ^ 2)) {
                  print "line " row ": " $i " for " want[i]
                  exit 1
              } }
        END { if (row != lines) exit 1 }' "$2" "$3" >apart || die "$2 and $3: $(cat apart)"
}

# both BOUND NAME COMMAND ARGUMENTS...: on the processor and over the plugin, whose results stand in NAME and NAME.cuda.
both() {
    bound=$1 name=$2
    shift 2
    "$GODWIT" "$@" >"$name" 2>err || die "$*: $(cat err)"
    GODWIT_PLUGIN_PATH=$emulated "$GODWIT" "$@" --device cuda >"$name.cuda" 2>err || die "--device cuda $*: $(cat err)"
    near "$bound" "$name" "$name.cuda"
}

# rounded BOUND NAME COMMAND ARGUMENTS...: after `both`, in bf16 over the plugin.
rounded() {
    bound=$1 name=$2
    shift 2
    GODWIT_PLUGIN_PATH=$emulated "$GODWIT" "$@" --device cuda --dtype bf16 >"$name.bf16" 2>err || die "--dtype bf16 $*: $(cat err)"
    near "$bound" "$name" "$name.bf16"
}

sizes='"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128'
head -c 130 corpus.txt >short.txt
"$GODWIT" encode -q -m tok.json -o text short.txt

# pretrained NAME CONFIG [OPTIONS...]: a model of three steps.
pretrained() {
    name=$1
    echo "{$2}" >config.json
    shift 2
    "$GODWIT" pretrain -q -d sh -o "$name" -c config.json --steps 3 --batch-tokens 512 --lr 3e-3 -@ 1 "$@"
}
bert="\"model_type\": \"bert\", $sizes, \"max_position_embeddings\": 128"
pretrained bigbird "\"model_type\": \"big_bird\", $sizes, \"max_position_embeddings\": 128, \"block_size\": 16,
    \"attention_type\": \"block_sparse\", \"num_random_blocks\": 1"
pretrained bert "$bert"
for family in roberta esm modernbert; do pretrained $family "\"model_type\": \"$family\", $sizes, \"max_position_embeddings\": 128"; done
models='bigbird bert roberta esm modernbert'
for mixer in linear performer:32 linformer:16 nystrom:8+reach:4 etc:7+segment:8+distance:3 window:3 sbm:8 reformer:16x2; do
    pretrained "mixer.$mixer" "\"model_type\": \"big_bird\", $sizes, \"max_position_embeddings\": 128" -p $mixer
    models="$models mixer.$mixer"
done
for model in $models; do both 1e-5 "$model.eval" eval -q -m "$model" -d text; done
# In bf16 a few of 85 tokens are guessed otherwise.
for model in bigbird modernbert mixer.performer:32 mixer.nystrom:8+reach:4 mixer.etc:7+segment:8+distance:3; do
    rounded 2e-2 "$model.eval" eval -q -m "$model" -d text
done

# Convolutions: GPN's families, and a stem of letters.
cat >seven.json <<'END'
{"version": "1.0", "truncation": null, "padding": null,
 "added_tokens": [
  {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 1, "content": "[MASK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 2, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
 "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
 "model": {"type": "BPE", "dropout": null, "unk_token": "[UNK]", "continuing_subword_prefix": null,
  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
  "vocab": {"[PAD]": 0, "[MASK]": 1, "[UNK]": 2, "a": 3, "c": 4, "g": 5, "t": 6}, "merges": []}}
END
"$GODWIT" mutate -q -f g.fa -r c1:1001-1001 -o one.vcf
echo '{"model_type": "GPN", "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128}' >GPN.json
echo '{"model_type": "ConvNet", "hidden_size": 64, "n_layers": 2, "kernel_size": 5}' >ConvNet.json
"$GODWIT" encode -q -m seven.json -o letters corpus.txt
for family in GPN ConvNet; do
    "$GODWIT" pretrain -q -d letters -o $family -c $family.json --steps 2 --batch-tokens 256 -@ 1
    both 1e-5 $family.vcf score -q -m $family -f g.fa --window 20 -o - one.vcf
done
"$GODWIT" finetune -q --from-scratch --size dna-mini --task promoter -d set.tsv -o stem --steps 1 --batch 4 -@ 1
both 1e-6 stem.tsv predict -q -m stem -d set.tsv

# What else commands read of a model: probabilities, scores of variants, hidden states, texts, splicing.
"$GODWIT" finetune -q -m bigbird --task promoter -d set.tsv -o classifier --steps 1 -@ 1
both 1e-6 classifier.tsv predict -q -m classifier -d set.tsv
rounded 1e-3 classifier.tsv predict -q -m classifier -d set.tsv
both 1e-6 profiles.tsv predict -q -m profiles -f g.fa -r c1:1-60,c2:21-80
both 1e-6 profiles.vcf score -q -m profiles -f g.fa -o - one.vcf
both 1e-5 llr.vcf score -q -m bigbird -f g.fa --window 60 -o - one.vcf
rounded 1e-2 llr.vcf score -q -m bigbird -f g.fa --window 60 -o - one.vcf
! cmp -s llr.vcf.cuda llr.vcf.bf16 || die "score: bf16 changes nothing"
tail -n +2 set.tsv | head -2 >rows.tsv
generate="--ids --attention hf-eval -b 2 --max-length 12"
head -2 "$ROOT/tests/data/generate/texts.txt" >texts
# shellcheck disable=SC2086 # a list of options
both 0 generated generate -q -m "$ROOT/tests/data/generate" $generate texts

awk "$DRAW"'BEGIN { seed = 5; print ">c\n" bases(600) }' >genes.fa
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nA\tc\t+\t200\t500\t200,400,\t320,500,\n' >genes.txt
"$GODWIT" mutate -q -f genes.fa -r c:251-251 -o splice.vcf
both 1e-5 splicing.vcf score -q -m "$ROOT/tests/data/splice" -f genes.fa --genes genes.txt -D 20 -o - splice.vcf

# embed writes a file.
printf '>a\nACGTTGCATGCAAACGT\n' >embedded.fa
for device in cpu cuda; do
    GODWIT_PLUGIN_PATH=$emulated "$GODWIT" embed -q -m bert --pool mean -o $device.npy --device $device embedded.fa 2>err || die "$(cat err)"
    od -An -v -w4 -t f4 -j 128 $device.npy >$device.numbers
done
near 1e-5 cpu.numbers cuda.numbers

GODWIT_PLUGIN_PATH=$emulated "$GODWIT" embed -q -m bert --pool mean -o bf16.npy --device cuda --dtype bf16 embedded.fa 2>err || die "$(cat err)"
od -An -v -w4 -t f4 -j 128 bf16.npy >bf16.numbers
near 3e-2 cpu.numbers bf16.numbers
! cmp -s cuda.numbers bf16.numbers || die "embed: bf16 changes nothing"

# Training: losses and norms of gradients of two steps, of four models in bf16 as well.
metrics() { # MODEL
    sed 's/"seconds".*//; s/[][{}":]/ /g' "$1/metrics.jsonl" >"$1.metrics"
}
trains() { # NAME COMMAND...
    name=$1
    shift
    for device in cpu cuda; do
        GODWIT_PLUGIN_PATH=$emulated "$GODWIT" "$@" -q -o "$name.$device" --steps 2 --lr 3e-3 --device $device 2>err || die "$name: $(cat err)"
        metrics "$name.$device"
    done
    near 1e-4 "$name.cpu.metrics" "$name.cuda.metrics"
    case $name in *bigbird | *performer* | *GPN | *modernbert) ;; *) return ;; esac
    GODWIT_PLUGIN_PATH=$emulated "$GODWIT" "$@" -q -o "$name.bf16" --steps 2 --lr 3e-3 --device cuda --dtype bf16 2>err || die "$name: $(cat err)"
    metrics "$name.bf16"
    near 5e-2 "$name.cpu.metrics" "$name.bf16.metrics"
}
for mixer in bigbird linear+causal performer:32 linformer:16 nystrom:8+reach:4 etc:7+segment:8+distance:3 sbm:8 reformer:16x2; do
    pattern="-p $mixer"
    [ $mixer != bigbird ] || pattern=''
    echo "{\"model_type\": \"big_bird\", $sizes, \"max_position_embeddings\": 128, \"block_size\": 16}" >config.json
    # shellcheck disable=SC2086 # two words or none
    trains "trained.$mixer" pretrain -d sh -c config.json --batch-tokens 140 $pattern
done
trains trained.GPN pretrain -d letters -c GPN.json --batch-tokens 140
trains trained.stem finetune --from-scratch --size dna-mini --task promoter -d set.tsv --batch 2
trains trained.modernbert finetune -m modernbert --task promoter -d set.tsv --batch 2
printf 'name\tarticle\tabstract\n1\tACGTAC\tACG\n2\tGGTTA\tTTA\n' >pairs.tsv
trains trained.pegasus finetune --task summarize --from-scratch --size pegasus-mini --source article --target abstract -d pairs.tsv \
    --length 32 --batch 2 --optimiser adafactor

# Kernels that never passed on a GPU of this kind are warned of, and no others.
word="godwit: warning: --device cuda: the kernels of this build have not been tested on sm_80 (make test-gpu)"
mkdir -p plugin
cp "$emulated" plugin/
GODWIT_PLUGIN_PATH=plugin "$GODWIT" eval -q -m bert -d text --device cuda 2>&1 >/dev/null | grep -v "^emulator" >warned || true
[ -n "${GODWIT_PLUGIN_TESTED:-}" ] || equal "$(cat warned)" "$word" "the warning"
printf 'sm_75 other\nsm_80 emulated GPU\n' >plugin/libgodwit-cuda.so.passed
GODWIT_PLUGIN_PATH=plugin "$GODWIT" eval -q -m bert -d text --device cuda 2>&1 >/dev/null | grep 'sm_80' >warned || true
[ ! -s warned ] || die "warned of though it passed: $(cat warned)"

# CUDA graphs change no number.
export GODWIT_CUDA_GRAPHS=1 GODWIT_PLUGIN_PATH=$emulated
"$GODWIT" score -q -m bigbird -f g.fa --window 60 -o graphs.vcf --batch-tokens 60 --device cuda one.vcf 2>err || die "score with graphs: $(cat err)"
near 0 llr.vcf.cuda graphs.vcf
"$GODWIT" pretrain -q -d letters -o graphs -c GPN.json --batch-tokens 140 --steps 2 --lr 3e-3 --device cuda 2>err || die "pretrain with graphs: $(cat err)"
metrics graphs
near 0 trained.GPN.cuda.metrics graphs.metrics
