#!/bin/sh
# Variants an hour of `godwit score` with pretrained models of three sizes on windows of 1,000 bp, single-base tokens,
# one ALT a site (two runs of the window each: both strands, REF and ALT share them). Loading and reading of the genome
# are part of it. GFLOP/s counts the matrix products alone, 24 layers width^2 a token: compare with `bench kernels`.
set -eu
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
gzip -dc "$ROOT/tests/data/lambda.fa.gz" >g.fa
"$GODWIT" corpus -q -f g.fa -n 1 --sentences 5-10 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o t.json corpus.txt
"$GODWIT" encode -q -m t.json -o data corpus.txt
"$GODWIT" mutate -q -f g.fa -r lambda:10001-10200 | awk '/^#/ || $2 != last { print; last = $2 }' >sites.vcf

# measure SIZE LAYERS WIDTH SITES
measure() {
    "$GODWIT" pretrain -q -d data -o "$1" --size "$1" --length 1024 --steps 1 --tokens-per-batch 1024 --save-every 0
    { grep '^#' sites.vcf && grep -v '^#' sites.vcf | head -n "$4"; } >in.vcf
    start=$(date +%s%N)
    "$GODWIT" score -q -m "$1" -f g.fa --window 1000 -o out.vcf in.vcf
    end=$(date +%s%N)
    awk -v name="$1" -v n="$4" -v t=$((end - start)) -v l="$2" -v e="$3" 'BEGIN {
        s = t / 1e9
        printf "%-8s %4d variants %8.2f s %10.0f variants an hour %8.1f GFLOP/s\n", name, n, s, n / s * 3600,
            n * 2 * 1002 * 24 * l * e * e / s / 1e9 }'
}
measure tiny 4 128 100
measure small 6 384 30
measure base 12 768 5
