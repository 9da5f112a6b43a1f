# Faults planted in kernels are found: else a checker that says nothing looks like a right kernel.
set -u
emulated=$BUILD/tests/emulated
[ -e "$emulated/libgodwit-cuda.so" ] || { echo "no emulation of the CUDA plugin: it needs x86-64 and a C++ compiler with -fsanitize=thread"; exit 77; }
compiler=${CXX:-g++}
# The compiler takes longer than the tests of what it makes.
flags="$(make -s -C "$ROOT" BUILD="$BUILD" CXX="$compiler" checked-flags) -O0"
failed=0
miss() {
    echo "$*"
    failed=1
}

# plant NAME FILE SOURCE SED TEST EXPECTED
plant() {
    rm -rf kernels && mkdir kernels && cp -R "$ROOT/kernels/cuda" kernels/cuda
    sed "$4" "$ROOT/kernels/cuda/$2" >"kernels/cuda/$2"
    cmp -s "$ROOT/kernels/cuda/$2" "kernels/cuda/$2" && { miss "$1: nothing was planted in $2"; return; }
    # the planted file first, then all else from the project
    here=$PWD
    (cd "$ROOT" && eval "$compiler -I$here $flags" -c -o "$here/planted.o" "$here/kernels/cuda/$3.cu") ||
        { miss "$1: does not compile"; return; }
    others=$(ls "$emulated"/*.o | grep -v "/$3\.o$")
    # shellcheck disable=SC2086 # a list of files
    $compiler -shared -o libgodwit-cuda.so planted.o $others "$BUILD"/tests/cuda/emulator/*.o -ldl
    if GODWIT_EMULATED=$PWD/libgodwit-cuda.so "$BUILD/tests/all" --filter "cuda/$5" >log 2>&1; then
        miss "$1: was not found"
    elif ! grep -qE "$6" log; then
        miss "$1: was found otherwise: $(grep -E 'emulator|error' log | head -n 3)"
    fi
}

while IFS='|' read -r name file source script test expected; do
    case $name in '#'*) continue ;; esac
    plant "$name" "$file" "$source" "$script" "$test" "$expected"
done <"$ROOT/tests/cuda/plants.txt"
exit $failed
