#!/bin/sh
# Runs every test: the compiled ones (Criterion), then each script of tests/cli and tests/real in a scratch folder.
#   tests/run.sh BUILD [NAME...]     NAME: only the scripts of these names (without .sh)
# A script passes with exit status 0; 77 means skipped (it says why on its last line).
set -u
# Two test programs run at a time, each on all cores: threads that wait for others sleep rather than spin.
export OMP_WAIT_POLICY=passive
build=$(cd "$1" && pwd) && shift
root=$(cd "$(dirname "$0")/.." && pwd)
GODWIT="$build/godwit" ROOT="$root" BUILD="$build"
GODWIT_DATA=$(cd "${GODWIT_DATA:-$root/../shared/data}" 2>/dev/null && pwd)
export GODWIT ROOT BUILD GODWIT_DATA

passed=0 failed=0 skipped=0
if [ $# -eq 0 ]; then
    if "$build/tests/all" -j2 >"$build/tests/log" 2>&1; then
        grep Synthesis "$build/tests/log"
    else
        cat "$build/tests/log"
        failed=1
    fi
    passed=$(sed -n 's/.*Passing: *\([0-9]*\).*/\1/p' "$build/tests/log" | tail -n 1)
    passed=${passed:-0}
fi

run_script() {
    name=$(basename "$1" .sh)
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-$name.XXXXXX")
    (cd "$scratch" && sh -eu "$1") >"$scratch.log" 2>&1
    case $? in
    0) passed=$((passed + 1)) && echo "ok      $name" ;;
    77) skipped=$((skipped + 1)) && echo "skipped $name: $(tail -n 1 "$scratch.log")" ;;
    *) failed=$((failed + 1)) && echo "FAILED  $name" && tail -n 60 "$scratch.log" | sed 's/^/    /' ;;
    esac
    rm -rf "$scratch" "$scratch.log"
}

for script in "$root"/tests/cli/test_*.sh "$root"/tests/real/test_*.sh; do
    [ -e "$script" ] || continue
    if [ $# -gt 0 ]; then
        case " $* " in *" $(basename "$script" .sh) "*) ;; *) continue ;; esac
    fi
    run_script "$script"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
