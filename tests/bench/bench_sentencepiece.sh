#!/bin/sh
# Encoding with the real SentencePiece models, English and DNA, beside the `sentencepiece` package (ORACLE_PYTHON names a
# Python that has it; without it only godwit is measured).
set -eu
genome="${GODWIT_DATA:-}/worm/ce10.fa.gz"
[ -e "$genome" ] || { echo "skipped: no $genome" && exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$GODWIT" corpus -q -n 1 -f "$genome" 2>/dev/null | head -c 5000000 | sed '$d' >"$scratch/dna.txt"
"${ORACLE_PYTHON:-python3}" "$ROOT/tests/bench/sentencepiece_peers.py" "$scratch"
