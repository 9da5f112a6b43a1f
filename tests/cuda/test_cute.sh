# What the emulation's mma.sync and ldmatrix make of their registers, beside CuTe's tables (PyPI nvidia-cutlass, or CUTLASS: its headers).
set -eu
emulated=$BUILD/tests/emulated
[ -e "$emulated/libgodwit-cuda.so" ] || { echo "no emulation of the CUDA plugin: it needs x86-64 and a C++ compiler with -fsanitize=thread"; exit 77; }
cutlass=${CUTLASS:-$("${PYTHON:-python3}" -c 'import cutlass_library, os; print(os.path.dirname(cutlass_library.__file__) + "/source/include")' 2>/dev/null || true)}
toolkit=${CUDA_HOME:-/usr/local/cuda}/include
[ -e "$cutlass/cute/atom/mma_traits_sm80.hpp" ] || { echo "needs CuTe's headers: PyPI's nvidia-cutlass, or CUTLASS"; exit 77; }
[ -e "$toolkit/cuda_runtime.h" ] || { echo "needs CUDA's headers in $toolkit"; exit 77; }
compiler=${CXX:-g++}
flags=$(make -s -C "$ROOT" BUILD="$BUILD" CXX="$compiler" checked-flags)
$compiler -std=c++17 -O1 -w -I"$ROOT" -I"$cutlass" -I"$toolkit" -I"$toolkit/cccl" -c -o witness.o "$ROOT/tests/cuda/cute/witness.cc"
(cd "$ROOT" && eval "$compiler $flags" -c -o "$OLDPWD/lanes.o" tests/cuda/cute/lanes.cu)

# witness TENSOR: of the emulation with that object for its instructions of tensor cores.
witness() {
    others=$(ls "$BUILD"/tests/cuda/emulator/*.o | grep -v '/\(tensor\|products\)\.o$')
    # shellcheck disable=SC2086 # a list of files
    $compiler -rdynamic -o witness lanes.o witness.o "$1" $others -ldl
    ./witness >found
}
witness "$BUILD/tests/cuda/emulator/tensor.o" || { cat found; exit 1; }
[ "$(grep -c ': 0 of ' found)" = 3 ] || { cat found; exit 1; }

# It tells a register in another's place.
sed 's/g + 8 \* (i & 1)\]\[t + h + 8 \* (i >> 1)/g + 8 * (i >> 1)][t + h + 8 * (i \& 1)/' "$ROOT/tests/cuda/emulator/tensor.cc" >tensor.cc
! cmp -s "$ROOT/tests/cuda/emulator/tensor.cc" tensor.cc || { echo "nothing was planted"; exit 1; }
$compiler -std=c++17 -O1 -fPIC -fvisibility=hidden -I"$ROOT" -I"$ROOT/lib" -I"$ROOT/tests/cuda/emulator" -c -o planted.o tensor.cc
if witness planted.o; then
    echo "registers of A in each other's place are not found" && exit 1
fi
grep -q '^mma.sync m16n8k16 bf16: [1-9]' found || { cat found; exit 1; }
