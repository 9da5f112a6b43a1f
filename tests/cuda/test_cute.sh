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

# witness NAME OBJECT: of the emulation with that object for its source of that name.
witness() {
    others=$(ls "$BUILD"/tests/cuda/emulator/*.o | grep -v "/\($1\|products\)\.o$")
    # shellcheck disable=SC2086 # a list of files
    $compiler -rdynamic -o witness lanes.o witness.o "$2" $others -ldl
    ./witness >found
}
witness tensor "$BUILD/tests/cuda/emulator/tensor.o" || { cat found; exit 1; }
[ "$(grep -c ': 0 of ' found)" = 16 ] || { cat found; exit 1; }

# It tells what is in another's place: plant NAME SOURCE SED FOUND.
plant() {
    sed "$3" "$ROOT/tests/cuda/emulator/$2.cc" >"$2.cc"
    ! cmp -s "$ROOT/tests/cuda/emulator/$2.cc" "$2.cc" || { echo "$1: nothing was planted"; exit 1; }
    $compiler -std=c++17 -O1 -fPIC -fvisibility=hidden -I"$ROOT" -I"$ROOT/lib" -I"$ROOT/tests/cuda/emulator" -c -o planted.o "$2.cc"
    ! witness "$2" planted.o || { echo "$1: was not found"; exit 1; }
    grep -q "^$4: [1-9]" found || { echo "$1: was found otherwise"; cat found; exit 1; }
}
plant "registers of A" tensor 's/g + 8 \* (i & 1)\]\[t + h + 8 \* (i >> 1)/g + 8 * (i >> 1)][t + h + 8 * (i \& 1)/' 'mma.sync m16n8k16 bf16'
plant "registers of a warpgroup's A" warpgroups 's/8 \* (i & 1)\]\[2/8 * (i >> 1)][2/;s/h + 8 \* (i >> 1)\] =/h + 8 * (i \& 1)] =/' 'wgmma m64n64k16, MN-major, 128 bytes'
plant "leading and stride of columns" warpgroups 's/r \/ 8 \* m.stride + c \/ parts \* m.leading/r \/ 8 * m.leading + c \/ parts * m.stride/' 'wgmma m64n128k16, MN-major, 128 bytes'
plant "rows that exchange nothing" warpgroups 's/at ^= .*;/;/' 'wgmma m64n64k16, K-major, 128 bytes'
plant "boxes that exchange nothing" phases 's/ ^ (at >> 7 & uint32_t(mask)) << 4//' 'cp.async.bulk.tensor, 64 bytes'
