# What nvcc makes of every kernel, interpreted: launches that the emulation writes down leave in memory what they leave there, and
# wrong operands planted in the wrappers of single instructions, which the emulation replaces, are found.
nvcc=${NVCC:-nvcc} python=${PYTHON:-python3} plugin=$BUILD/tests/emulated/libgodwit-cuda.so
command -v "$nvcc" >/dev/null || { echo "no nvcc"; exit 77; }
[ -e "$plugin" ] || { echo "the emulation is not built here"; exit 77; }
"$python" -c "import numpy" 2>/dev/null || { echo "no numpy for $python"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1

# compile FOLDER SOURCE...: ptx/SOURCE.ptx of the kernels in FOLDER.
compile() {
    folder=$1
    shift
    mkdir -p ptx
    for source; do
        "$nvcc" -std=c++17 -O2 -arch=compute_80 -ptx -I"$folder" -I"$ROOT" -I"$ROOT/lib" -o "ptx/$source.ptx" "$folder/kernels/cuda/$source.cu"
    done
}
# replay [KERNEL]
replay() {
    "$python" "$ROOT/tests/cuda/ptx/replay.py" "$plugin" "$launches" ptx "$@"
}

# Those of the compiled tests, where they were run before.
launches=$BUILD/tests/launches
if ! ls "$launches"/*.launch >/dev/null 2>&1 || [ "$plugin" -nt "$launches" ]; then
    mkdir launches
    launches=launches
    EMU_RECORD=launches "$BUILD/tests/all" --filter 'cuda/*' >recording 2>&1 || { cat recording; exit 1; }
fi
# The interpreter has no wgmma.
# shellcheck disable=SC2046 # words
compile "$ROOT" $(cd "$ROOT" && grep -l __global__ kernels/cuda/*.cu | grep -v wgmma | sed 's|.*/||; s|\.cu$||')
replay

mkdir -p planted/kernels
cp -R "$ROOT/kernels/cuda" planted/kernels/
plant() { # NAME SED
    sed "$2" "$ROOT/kernels/cuda/gpu.h" >planted/kernels/cuda/gpu.h
    cmp -s "$ROOT/kernels/cuda/gpu.h" planted/kernels/cuda/gpu.h && { echo "$1: nothing was planted"; exit 1; }
    compile planted attention_mma
    if replay attention_mmaILi64ELi64E >log 2>&1; then
        echo "$1: was not found"
        exit 1
    fi
    grep -q 'attention_mma.*is wrong: differs' log || { echo "$1: was found otherwise: $(tail -1 log)"; exit 1; }
}
plant "operands of a conversion" 's/"f"(high), "f"(low)/"f"(low), "f"(high)/'
plant "two registers of an operand" 's/"r"(a\[1\]), "r"(a\[2\])/"r"(a[2]), "r"(a[1])/'
plant "the wrong matrices" 's/ldmatrix.sync.aligned.m8n8.x4.trans/ldmatrix.sync.aligned.m8n8.x4/'
