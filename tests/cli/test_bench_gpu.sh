# make bench-gpu on a processor, small: a row for every part, its work counted from the graph's edges, and missing peers.
. "$ROOT/tests/cli/lib.sh"

python=${ORACLE_PYTHON:-python3}
has "$python" || exit 77
bench() { "$python" "$ROOT/tests/bench/gpu.py" --device cpu --tiny --tsv rows.tsv "$@"; }
column() { awk -F'\t' -v part="$1" -v shape="$2" -v peer="$3" -v name="$4" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    $1 == part && index($2, shape) && $3 == peer {print $at[name]}' rows.tsv; }
# work PART HEAD FLOPS: time times rate is FLOPS for each pair of tokens and head dimension of the graphs of all heads.
work() {
    heads=$((768 / $2)) edges=0
    for number in $(seq 0 $((heads - 1))); do
        edges=$((edges + $("$GODWIT" graph -p itc -n 1024 --heads "$heads" --head "$number" | awk '$1 == "edges" {print $2}')))
    done
    awk -v ms="$(column "$1" "head $2" flex godwit_ms)" -v rate="$(column "$1" "head $2" flex godwit_tflops)" \
        -v expected="$(($3 * $2 * edges * 64 * 64))" \
        'BEGIN {found = ms * rate * 1e9; exit !(found > 0.998 * expected && found < 1.002 * expected)}' ||
        die "work of $1 with $edges edges: $(cat rows.tsv)"
}

# A torch that cannot be imported: godwit's figures stand, and each row says what is missing.
mkdir planted
echo 'raise ImportError("planted")' >planted/torch.py
PYTHONPATH=planted bench attention >table || die "failed without peers: $(cat table)"
equal "$(grep -c planted rows.tsv)" "$(($(wc -l <rows.tsv) - 1))" "rows that say why the peer is missing"
equal "$(grep -c 'godwit:' rows.tsv)" 0 "rows without a figure of godwit"
for head in 64 128; do
    work attention "$head" 4
    work attention_backward "$head" 10
done
fails 2 "unknown section 'speed'; known are attention, linear, " bench speed

# The peers: masks with godwit's edges, the same results, all parts but the backward pass that flex_attention has on GPUs alone.
"$python" -c 'import torch, transformers' 2>/dev/null || {
    echo "left out: godwit beside torch, which is not installed"
    exit 0
}
bench attention linear step >table || die "failed: $(cat table)"
awk -F'\t' 'NR > 1 && !($3 == "flex" && $1 == "attention_backward") && ($7 == "." || $14 != "")' rows.tsv >wrong
[ ! -s wrong ] || die "rows without a ratio: $(cat wrong)"
