#!/bin/sh
# The CUDA plugin on the GPU of this machine (`make test-gpu`): every op and the commands, as over the emulation; CUDA's compute-sanitizer over
# the kernels; how many ops give the emulation's bits. What passes is written down beside the plugin, and --device cuda then runs
# without a warning.   tests/cuda/on_gpu.sh BUILD [PART...]   PART: kernels commands sanitizer bits wgmma graphs, each of at most ten minutes
set -u
build=$(cd "$1" && pwd) && shift
root=$(cd "$(dirname "$0")/../.." && pwd)
plugin=$build/libgodwit-cuda.so
[ -e "$plugin" ] || { echo "no $plugin: it needs nvcc"; exit 1; }
chip=$(nvidia-smi -i 0 --query-gpu=compute_cap,name --format=csv,noheader 2>/dev/null | sed 's/\([0-9]*\)\.\([0-9]*\), */sm_\1\2 /')
case $chip in sm_*) ;; *) echo "no NVIDIA GPU here: nvidia-smi names none"; exit 1 ;; esac
cd "$root" || exit 1
failed=''

kernels() {
    GODWIT_EMULATED=$plugin timeout 600 "$build/tests/all" --filter 'cuda/*' --short-filename
}
commands() {
    GODWIT_PLUGIN_TESTED=$plugin timeout 600 sh tests/run.sh "$build" test_commands
}
sanitizer() {
    command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer: left out"; return 0; }
    status=0
    for tool in memcheck racecheck synccheck initcheck; do
        GODWIT_EMULATED=$plugin timeout 150 compute-sanitizer --tool $tool --target-processes all --error-exitcode 1 \
            "$build/tests/all" --filter 'cuda/@(attention_on_tensor_cores|layer_norm|column_sum|dropout_add|cross_entropy|linear_attention)' || status=1
    done
    return $status
}
bits() {
    emulated=$build/tests/emulated/libgodwit-cuda.so
    [ -e "$emulated" ] || { echo "no emulation: left out"; return 0; }
    for which in "$emulated" "$plugin"; do
        GW_TEST_DIGESTS=1 GODWIT_EMULATED=$which timeout 300 "$build/tests/all" --filter 'cuda/*' 2>&1 | grep '^digest ' | sort -u >"$build/digests.$(basename "$(dirname "$which")")"
    done
    echo "ops with the emulation's bits: $(comm -12 "$build/digests.emulated" "$build/digests.$(basename "$build")" | wc -l) of $(wc -l <"$build/digests.emulated")"
}

# passes_with SWITCH FILTER: whether compiled tests and the commands pass with the switch on.
passes_with() (
    export "$1=1"
    GODWIT_EMULATED=$plugin timeout 200 "$build/tests/all" --filter "$2" --short-filename &&
        GODWIT_PLUGIN_TESTED=$plugin timeout 400 sh tests/run.sh "$build" test_commands
)

# Products of warpgroups, and passes and updates as CUDA graphs. Each runs by default where it passed.
wgmma() { passes_with GODWIT_WGMMA 'cuda/attention_*'; }
graphs() { passes_with GODWIT_CUDA_GRAPHS 'cuda/@(graphs_*|families_and_heads)'; }

# What is off until it has passed.
try_also() {
    echo "== $1"
    if $1; then
        echo "$1 $chip" >>"$plugin.passed"
        echo "passed: $1"
    else
        echo "$1 failed, and stays off"
    fi
}

for part in ${@:-kernels commands sanitizer bits}; do
    echo "== $part"
    $part || failed="$failed $part"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
[ $# -eq 0 ] || exit 0
echo "$chip" >>"$plugin.passed"
echo "passed: $chip"
case $chip in sm_90*) try_also wgmma ;; esac
try_also graphs
