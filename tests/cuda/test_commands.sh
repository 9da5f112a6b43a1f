# Commands with --device cuda over the emulated plugin, on tiny models: what they write is what the processor
# writes, within docs/numerics.md's bounds.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/small.sh"
emulated=$BUILD/tests/emulated/libgodwit-cuda.so
[ -e "$emulated" ] || { echo "no emulation of the CUDA plugin: it needs x86-64 and a C++ compiler with -fsanitize=thread"; exit 77; }
export OMP_NUM_THREADS=1

# near BOUND FILE FILE: the same words, and numbers no further apart than that.
near() {
    awk -v bound="$1" -F '[\t ;,=|]+' '
        NR == FNR { line[NR] = $0; lines = NR; next }
        { n = split(line[FNR], want); rows++
          if (n != NF) { print "line " FNR ": " $0; exit 1 }
          for (i = 1; i <= n; i++) if ($i != want[i] && ($i ~ /[^-+.0-9e]/ || ($i - want[i]) ^ 2 > bound ^ 2)) { print "line " FNR ": " $i " for " want[i]; exit 1 } }
        END { if (rows != lines) exit 1 }' "$2" "$3" >apart || die "$2 and $3: $(cat apart)"
}

# both BOUND NAME COMMAND ARGUMENTS...: on the processor and over the plugin, whose results stand in NAME and NAME.cuda.
both() {
    bound=$1 name=$2
    shift 2
    "$GODWIT" "$@" >"$name" 2>err || die "$*: $(cat err)"
    GODWIT_PLUGIN_PATH=$emulated "$GODWIT" "$@" --device cuda >"$name.cuda" 2>err || die "--device cuda $*: $(cat err)"
    near "$bound" "$name" "$name.cuda"
}

sizes='"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128, "max_position_embeddings": 128'
head -c 130 corpus.txt >short.txt
"$GODWIT" encode -q -m tok.json -o text short.txt

# pretrained FAMILY MODEL_TYPE MORE: a model of three steps.
pretrained() {
    echo "{\"model_type\": \"$2\", $sizes$3}" >config.json
    "$GODWIT" pretrain -q -d sh -o "$1" -c config.json --steps 3 --batch-tokens 512 --lr 3e-3 -@ 1
}
families='bigbird bert roberta esm modernbert'
pretrained bigbird big_bird ', "block_size": 16, "attention_type": "block_sparse", "num_random_blocks": 1'
for family in bert roberta esm modernbert; do pretrained $family $family ''; done
for family in $families; do both 1e-5 $family.eval eval -q -m $family -d text; done
