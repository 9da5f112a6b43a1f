#!/bin/sh
# ModernBERT, ESM-2 and GPN beside transformers and OpenVINO, in turns (ORACLE_PYTHON names a Python that has torch, transformers and
# openvino); an hour of two cores. families_peers.py says what is compared.
set -eu
"${ORACLE_PYTHON:-python3}" -c 'import torch, transformers, openvino' 2>/dev/null ||
    { echo "${ORACLE_PYTHON:-python3} lacks torch, transformers or openvino: no peers" && exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"${ORACLE_PYTHON:-python3}" "$ROOT/tests/bench/families_peers.py" gpn-512 esm-1024 modernbert-512 modernbert-2048 modernbert-8192
