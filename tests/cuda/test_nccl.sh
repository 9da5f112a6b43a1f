# Ranks of torchrun's variables without a GPU: the plugin's NCCL part over a stand-in of NCCL and the processor's kernels, whole
# training runs of two processes. And its declarations against nccl.h, where that is installed.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
command -v "${CXX:-g++}" >/dev/null || { echo "no C++ compiler"; exit 77; }
[ -e "$BUILD/libgodwit.a" ] || { echo "no $BUILD/libgodwit.a"; exit 77; }
here=$ROOT/tests/cuda/nccl
flags="-g -O1 -fPIC -Wall -Wextra -Werror -D_GNU_SOURCE -I$ROOT -I$ROOT/lib -I$here $(make -s -C "$ROOT" BUILD="$BUILD" CUDA=0 contract-flags)"
mkdir -p plugin nccl meeting
# shellcheck disable=SC2086 # words of a command
{
    ${CC:-gcc} -std=gnu11 $flags -c -o plugin.o "$here/plugin.c"
    ${CXX:-g++} -std=c++17 $flags -fvisibility=hidden -x c++ -c -o nccl.o "$ROOT/kernels/cuda/nccl.cu"
    ${CXX:-g++} -shared -Wl,--exclude-libs,ALL -o plugin/libgodwit-cuda.so plugin.o nccl.o "$BUILD/libgodwit.a" $(make -s -C "$ROOT" link-flags)
    ${CC:-gcc} -std=gnu11 $flags -shared -o nccl/libnccl.so.2 "$here/fake_nccl.c" -lpthread
}

# torchrun N COMMAND...: as torchrun starts N processes on one machine; the exit status is the highest.
torchrun() {
    world=$1 rank=1 worst=0 others=''
    shift
    rm -f meeting/*
    while [ "$rank" -lt "$world" ]; do
        RANK=$rank LOCAL_RANK=0 WORLD_SIZE=$world MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "$@" >"out.$rank" 2>&1 &
        others="$others $!"
        rank=$((rank + 1))
    done
    RANK=0 LOCAL_RANK=0 WORLD_SIZE=$world MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "$@" || worst=$?
    for process in $others; do wait "$process" || worst=$?; done
    return "$worst"
}
export LD_LIBRARY_PATH="$PWD/nccl"
export OMP_NUM_THREADS=1 GODWIT_PLUGIN_PATH="$PWD/plugin" GODWIT_FAKE_NCCL="$PWD/meeting"
unset NCCL_COMM_ID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
prepared shards
pretrain() {
    output=$1
    shift
    "$@" "$GODWIT" pretrain -q -d train -o "$output" -c config.json --steps 3 --batch-tokens 1536 --lr 3e-3 --valid test --save-every 2 $more
}
same_run() {
    same "$1/model.safetensors" "$2/model.safetensors"
}

equal "$("$GODWIT" --version | grep '^nccl')" "nccl: NCCL 2.23.4" --version

# Groups give the bits of one process on the processor; gradients come to the host for that. So do split moments.
more="--groups 4" pretrain one env
more="--groups 4 --device cuda" pretrain grouped torchrun 2
same_run one grouped
grep -q '^CommInitRank 2 1 127.0.0.1:29501$' meeting/calls.1 || die "how ranks meet: $(head -1 meeting/calls.1)"
grep -q '^Send ' meeting/calls.1 || die "no groups are traded"
grep -q '^AllReduce' meeting/calls.1 && die "groups are not for ncclAllReduce"
more="--groups 4 --device cuda --split-moments" pretrain split torchrun 3
same_run one split

# ncclAllReduce sums each number of each step once, where it lies.
more="--device cuda --all-reduce" pretrain summed torchrun 2
floats=$(awk '$1 == "AllReduce" { sum += $2; if ($3 != 7 || $4 != 0) exit 1 } END { print sum / 3 }' meeting/calls.0)
equal "$(tail -1 meeting/calls.0)" CommDestroy "the last call"
same meeting/calls.1 - <<END
$(sed 's/^CommInitRank 2 0/CommInitRank 2 1/' meeting/calls.0)
END
bytes=$(wc -c <one/model.safetensors)
[ "$floats" -gt $((bytes / 4 - 4000)) ] || die "$floats numbers of $bytes bytes are summed"
less "$(field summed/metrics.jsonl 3 mlm_loss)" "$(field summed/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"
grep -q '"sum_seconds"' summed/metrics.jsonl || die "no time of sums"

# What is wrong.
more="--device cuda --groups 1" pretrain x torchrun 2 2>err && die "it ran with fewer groups than ranks"
grep -q -- "--groups 1: there are 2 ranks" err || die "$(cat err)"
more="" pretrain x torchrun 2 2>err && die "the processor ran torchrun's ranks"
grep -q "for NCCL on GPUs (--device cuda); on CPUs use: mpirun -n 2" err || die "$(cat err)"
rm -f meeting/*
: >nccl/libnccl.so.2
more="--device cuda" pretrain x torchrun 2 2>err && die "it ran without NCCL"
grep -q "NCCL is not there: .*libnccl.so.2" err || die "$(cat err)"
[ ! -e x ] || die "it wrote"

# The numbers and layouts of nccl.h.
for folder in "$(dirname "$(command -v "${NVCC:-nvcc}" || echo /usr/local/cuda/bin/nvcc)")/../include" /usr/include; do
    [ -e "$folder/nccl.h" ] && [ -e "$folder/cuda_runtime.h" ] || continue
    cat >declared.cc <<'END'
#include <nccl.h>
static_assert(sizeof(ncclUniqueId) == 128 && ncclSuccess == 0 && ncclInProgress == 7, "results");
static_assert(ncclInt8 == 0 && ncclFloat32 == 7 && ncclSum == 0, "types");
bool all() {
    ncclResult_t (*reduce)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) = ncclAllReduce;
    ncclResult_t (*broadcast)(const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclBroadcast;
    ncclResult_t (*gather)(const void *, void *, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) = ncclAllGather;
    ncclResult_t (*send)(const void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclSend;
    ncclResult_t (*receive)(void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = ncclRecv;
    ncclResult_t (*init)(ncclComm_t *, int, ncclUniqueId, int) = ncclCommInitRank;
    ncclResult_t (*error)(ncclComm_t, ncclResult_t *) = ncclCommGetAsyncError;
    ncclResult_t (*destroy)(ncclComm_t) = ncclCommDestroy, (*abort)(ncclComm_t) = ncclCommAbort;
    ncclResult_t (*start)() = ncclGroupStart, (*end)() = ncclGroupEnd, (*version)(int *) = ncclGetVersion;
    ncclResult_t (*unique)(ncclUniqueId *) = ncclGetUniqueId;
    const char *(*text)(ncclResult_t) = ncclGetErrorString;
    return reduce && broadcast && gather && send && receive && init && error && destroy && abort && start && end && version && unique && text;
}
END
    ${CXX:-g++} -std=c++17 -I"$folder" -fsyntax-only declared.cc || die "nccl.h declares otherwise"
    exit 0
done
echo "left out: the declarations beside nccl.h, which is not installed"
