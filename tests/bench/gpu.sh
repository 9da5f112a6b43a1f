#!/bin/sh
# godwit beside torch on an NVIDIA GPU.   tests/bench/gpu.sh PROGRAM
# See gpu.py, which says what it needs where that is missing. The rows also go into bench-gpu.tsv beside the program.
# ORACLE_PYTHON names a Python with torch (CUDA) and transformers; GODWIT_DATA the folder of the data sets, for scoring;
# SECTIONS what to measure.
set -u
GODWIT=$1
export GODWIT
python=$(command -v "${ORACLE_PYTHON:-python3}") || {
    echo "no ${ORACLE_PYTHON:-python3}: the benchmark is a Python script"
    exit 0
}
exec "$python" -u "$(dirname "$0")/gpu.py" --tsv "$(dirname "$GODWIT")/bench-gpu.tsv"
