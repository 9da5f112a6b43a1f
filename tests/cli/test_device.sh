# --device, the CUDA plugin's errors and --version, with the fake plugins of the unit tests: whatever this machine has.
. "$ROOT/tests/cli/lib.sh"

fake() {
    GODWIT_FAKE="$1" GODWIT_PLUGIN_PATH="$BUILD/tests/fake-plugin.so"
    export GODWIT_FAKE GODWIT_PLUGIN_PATH
}
bench() { "$GODWIT" bench -n 64 --repeats 1 --dtype f32 -@ 1 "$@" layer_norm; }

# What the machine lacks is said once, also by -q, and the CPU computes.
falls_back() {
    bench -q --device "$1" >rows 2>err || die "--device $1 failed: $(cat err)"
    equal "$(cat err)" "godwit: warning: --device $1: $2; the CPU computes" "the line of --device $1"
    grep -q '^layer_norm' rows || die "nothing was computed"
}
fake "no driver"
falls_back cuda "this machine has no NVIDIA driver"
falls_back cuda:7 "this machine has no NVIDIA driver"
fake "old driver"
falls_back cuda "the NVIDIA driver is too old: it is for CUDA 11.4, the plugin for 13.0"
fake ""
falls_back cuda:1 "Fake Seven is sm_75, and the plugin was compiled for sm_80 sm_90a compute_100"
bench --device cpu >rows 2>err
equal "$(cat err)" "" "stderr of --device cpu"

# What is wrong with the command line or the installation fails.
fails 1 "--device cuda:0: Fake Nine is available, but the CUDA plugin of this version has no kernels for gemm and " \
    bench --device cuda:0
fails 1 "--device cuda:2: the last GPU is cuda:1" bench --device cuda:2
for command in bench "score -m none -f none none" "predict -m none -d none" "embed -m none -o none" "generate -m none" "eval -m none -d none" \
    "pretrain -d none -o none" "finetune -m none -d none -o none --task promoter"; do
    # shellcheck disable=SC2086 # words of a command
    fails 2 "--device: 'gpu' is neither cpu nor cuda[:N]" "$GODWIT" $command --device gpu
done
fails 2 "--device cuda:x: 'x' is not a whole number" bench --device cuda:x
fake "other abi"
fails 1 "fake-plugin.so was built for another godwit: its ABI is " bench --device cuda
export GODWIT_PLUGIN_PATH=missing.so
fails 1 "--device cuda: GODWIT_PLUGIN_PATH: missing.so: No such file" bench --device cuda
echo "not a library, though it is longer than the header that a library begins with" >text.so
export GODWIT_PLUGIN_PATH=text.so
fails 1 "--device cuda: ./text.so is not a shared library" bench --device cuda

# --version says the same and never fails.
"$GODWIT" --version >version
grep -q '^cpu: .*baseline' version || die "no line of the processor's backends: $(cat version)"
equal "$(grep '^cuda' version)" "cuda: ./text.so is not a shared library"
GODWIT_BACKEND=baseline "$GODWIT" --version | grep -q '^cpu: .*baseline (in use)' || die "the backend in use is not named"
GODWIT_BACKEND=sse9 "$GODWIT" --version | grep -q "^cpu: .*unknown backend 'sse9'" || die "the unknown backend is not named"
fake ""
"$GODWIT" --version >version
grep -q '^cuda: 2 devices; plugin for sm_80 sm_90a compute_100, without kernels for [0-9]* ops$' version ||
    die "no line of the plugin: $(cat version)"
grep -qx 'cuda:0: Fake Nine, sm_90, 80.0 GB' version || die "no line of the device: $(cat version)"
fake "no driver"
"$GODWIT" --version | grep -q '^cuda: this machine has no NVIDIA driver; plugin for ' || die "no line of the driver"

# The program's own plugin, where this build has one, exports its entries alone and needs no library of CUDA's.
unset GODWIT_PLUGIN_PATH
plugin=$BUILD/libgodwit-cuda.so
if [ ! -e "$plugin" ]; then
    fails 1 "--device cuda: no libgodwit-cuda.so in " bench --device cuda
    echo "left out: the CUDA plugin beside the program, which was not built"
    exit 0
fi
"$GODWIT" --version | grep '^cuda: ' | grep -q '; plugin for sm_' || die "the plugin beside the program is not found"
if command -v nm >/dev/null; then
    equal "$(nm -D --defined-only "$plugin" | awk '{print $NF}' | sort | tr '\n' ' ')" "gw_plugin_entry gw_transport_entry " "exported names"
    readelf -d "$plugin" | grep NEEDED | grep -E 'cuda|cublas' && die "the plugin needs a library of CUDA's"
fi
mkdir -p bin lib/godwit
cp "$GODWIT" bin/godwit
cp "$plugin" lib/godwit/
bin/godwit --version | grep '^cuda: ' | grep -q '; plugin for sm_' || die "the installed plugin is not found"
truncate -s 100000 lib/godwit/libgodwit-cuda.so
fails 1 "lib/godwit/libgodwit-cuda.so is truncated: 100000 bytes" bin/godwit bench --device cuda
