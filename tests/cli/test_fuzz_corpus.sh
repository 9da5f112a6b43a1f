# Every fuzz target survives the inputs kept for it. A finding of `make fuzz` becomes a file of its corpus.
. "$ROOT/tests/cli/lib.sh"

targets=0
for source in "$ROOT"/tests/fuzz/fuzz_*.c; do
    name=${source##*/fuzz_}
    name=${name%.c}
    [ -d "$ROOT/tests/fuzz/corpus/$name" ] || die "tests/fuzz/corpus/$name is missing"
    "$BUILD/tests/replay_$name" "$ROOT/tests/fuzz/corpus/$name"/* >out 2>err || die "$name: $(cat out err)"
    targets=$((targets + 1))
done
[ "$targets" -gt 0 ] || die "no fuzz targets"
