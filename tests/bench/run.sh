#!/bin/sh
# Runs every benchmark: the compiled ones, then the scripts.   tests/bench/run.sh BUILD
# Scripts find the program in GODWIT, real data in GODWIT_DATA, and peers through ORACLE_PYTHON; what is absent is said.
set -u
BUILD=$(cd "$1" && pwd)
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
GODWIT="$BUILD/godwit"
GODWIT_DATA=$(cd "${GODWIT_DATA:-$ROOT/../shared/data}" 2>/dev/null && pwd)
export BUILD ROOT GODWIT GODWIT_DATA
status=0
for program in "$BUILD"/bench/*; do
    [ -x "$program" ] || continue
    echo "== $(basename "$program")"
    "$program" || status=1
done
for script in "$ROOT"/tests/bench/bench_*.sh; do
    [ -e "$script" ] || continue
    echo "== $(basename "$script" .sh)"
    sh "$script" || status=1
done
exit $status
