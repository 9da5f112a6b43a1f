#!/bin/sh
# Compares godwit with the real packages of the field: runs every *_oracle.py here.   tests/oracle/run.sh
# GODWIT is the program, BUILD its folder; ORACLE_PYTHON names a Python that has the packages, otherwise a virtual
# environment is made in BUILD/oracle. An oracle that ends with 77 was skipped (its last line says why).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(cd "${BUILD:-$root/build}" && pwd)
GODWIT="$BUILD/godwit"
ROOT="$root"
GODWIT_DATA=$(cd "${GODWIT_DATA:-$root/../shared/data}" 2>/dev/null && pwd)
export BUILD GODWIT ROOT GODWIT_DATA
packages="numpy tokenizers tiktoken transformers safetensors scikit-learn torch sentencepiece protobuf CrossMap pyliftover pyBigWig rouge-score scipy h5py sentence-transformers memelite"
if [ -z "${ORACLE_PYTHON:-}" ]; then
    ORACLE_PYTHON="$BUILD/oracle/bin/python"
    if [ ! -e "$BUILD/oracle/complete" ]; then
        # shellcheck disable=SC2086 # a list of words
        python3 -m venv "$BUILD/oracle" && "$ORACLE_PYTHON" -m pip install -q $packages &&
            touch "$BUILD/oracle/complete" || exit 1
    fi
fi
export ORACLE_PYTHON
failed=0
for script in "$root"/tests/oracle/*_oracle.py; do
    name=$(basename "$script" .py)
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-$name.XXXXXX")
    (cd "$scratch" && "$ORACLE_PYTHON" "$script")
    case $? in
    0) echo "ok      $name" ;;
    77) echo "skipped $name" ;;
    *) failed=$((failed + 1)) && echo "FAILED  $name" ;;
    esac
    rm -rf "$scratch"
done
exit $((failed > 0))
