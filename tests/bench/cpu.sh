#!/bin/sh
# godwit beside torch on this machine's processor.   tests/bench/cpu.sh PROGRAM
# FULL=1, TOKENS: see cpu.py. ORACLE_PYTHON names a Python with torch and transformers; without any, godwit is alone.
set -u
GODWIT=$1
export GODWIT
python=$(command -v "${ORACLE_PYTHON:-python3}") || {
    echo "no ${ORACLE_PYTHON:-python3}: no peers"
    exec "$GODWIT" bench
}
exec "$python" "$(dirname "$0")/cpu.py"
