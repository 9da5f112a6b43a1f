#!/bin/sh
# Encoding and learning on one pass of worm documents, beside the `tokenizers` and `tiktoken` packages with the same
# merges (ORACLE_PYTHON names a Python that has them; without it only godwit is measured).
#   BENCH_MEGABASES: bases to learn from (default 20; 100 is the whole genome, for which the package takes 6.6 GB)
set -eu
genome="${GODWIT_DATA:-}/worm/ce10.fa.gz"
[ -e "$genome" ] || { echo "skipped: no $genome" && exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$GODWIT" corpus -q -n 1 -f "$genome" 2>/dev/null | head -c "${BENCH_MEGABASES:-20}000000" | sed '$d' >"$scratch/documents.txt"
"${ORACLE_PYTHON:-python3}" "$ROOT/tests/bench/tokenizer_peers.py" "$scratch"
