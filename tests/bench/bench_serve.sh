#!/bin/sh
# godwit serve under load: how long 1, 4 and 16 clients of its socket wait for a single-base change each, the model in the box, all
# threads. VARIANTS (600) random changes of GENOME's first 200 kb (yeast's of GODWIT_DATA).
set -eu
: "${GENOME:=$GODWIT_DATA/yeast/R64-1-1.fa.gz}" "${VARIANTS:=600}"
[ -f "$GENOME" ] || {
    echo "set GODWIT_DATA, or GENOME to a genome of yeast"
    exit 0
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
run=
trap 'kill $run 2>/dev/null; rm -rf "$scratch"' EXIT
contig=$(head -1 "$GENOME.fai" | cut -f1)
"$GODWIT" mutate -q -f "$GENOME" -r "$contig:5001-205000" -o "$scratch/all.vcf"
awk -v wanted="$VARIANTS" 'BEGIN { srand(1) } /^#/ { next } { rows++; row[rows] = $0 }
    END { for (i = 0; i < wanted; i++) print row[1 + int(rand() * rows)] }' "$scratch/all.vcf" >"$scratch/some.vcf"
"$GODWIT" serve -q -m yeast -f "$GENOME" --socket "$scratch/socket" &
run=$!
until [ -S "$scratch/socket" ]; do kill -0 $run && sleep 0.1; done
python3 "$ROOT/tests/bench/serve_load.py" "$scratch/socket" "$scratch/some.vcf"
