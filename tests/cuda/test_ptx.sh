# What nvcc made of kernels, interpreted: its PTX computes what they should, and wrong operands planted in the wrappers of single
# instructions, which the emulation replaces, are found.
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || { echo "no nvcc"; exit 77; }
"${PYTHON:-python3}" -c "import numpy" 2>/dev/null || { echo "no numpy for ${PYTHON:-python3}"; exit 77; }
interpreter=$ROOT/tests/cuda/ptx

# compile FOLDER SOURCE...: SOURCE.ptx of the kernels in FOLDER.
compile() {
    folder=$1
    shift
    for source; do
        "$nvcc" -std=c++17 -O2 -arch=compute_80 -ptx -I"$folder" -I"$ROOT" -I"$ROOT/lib" -o "$source.ptx" "$folder/kernels/cuda/$source.cu"
    done
}
# shellcheck disable=SC2046 # words
compile "$ROOT" $("${PYTHON:-python3}" "$interpreter/kernels.py" --sources)
PYTHONDONTWRITEBYTECODE=1 "${PYTHON:-python3}" "$interpreter/kernels.py" .

mkdir -p planted/kernels
cp -R "$ROOT/kernels/cuda" planted/kernels/
plant() { # NAME SED
    sed "$2" "$ROOT/kernels/cuda/gpu.h" >planted/kernels/cuda/gpu.h
    cmp -s "$ROOT/kernels/cuda/gpu.h" planted/kernels/cuda/gpu.h && { echo "$1: nothing was planted"; exit 1; }
    compile planted attention_mma
    if PYTHONDONTWRITEBYTECODE=1 "${PYTHON:-python3}" "$interpreter/kernels.py" . >log 2>&1; then
        echo "$1: was not found"
        exit 1
    fi
    grep -q 'attention_mma.*is wrong' log || { echo "$1: was found otherwise: $(tail -1 log)"; exit 1; }
}
plant "operands of a conversion" 's/"f"(high), "f"(low)/"f"(low), "f"(high)/'
plant "two registers of an operand" 's/"r"(a\[1\]), "r"(a\[2\])/"r"(a[2]), "r"(a[1])/'
plant "the wrong matrices" 's/ldmatrix.sync.aligned.m8n8.x4.trans/ldmatrix.sync.aligned.m8n8.x4/'
