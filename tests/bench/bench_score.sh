#!/bin/sh
# Variants an hour of `godwit score`.
#
# 1. Classifiers beside a plain script with transformers (score_peer.py, allocator tuned): one folder with a BigBird-base
#    of random weights and GENA-LM's vocabulary, the first variants of a 1000 Genomes file, REF and ALT on both strands,
#    windows of 1 and 8 kb, f32 and bf16. godwit's figure is of the whole command but for starting (an empty file takes
#    that long), the script's is of its loop alone. The last lines are the ratios, and how far scores lie apart: in f32
#    godwit's from the script's (at 8 kb the script pads, which moves its blocks), in bf16 each from godwit's in f32.
#    ORACLE_PYTHON names a Python with transformers; without it or the data godwit is not compared.
# 2. Pretrained models of three sizes, windows of 1,000 bp of single-base tokens, one ALT a site (two runs of the window
#    each: both strands, REF and ALT share them). GFLOP/s counts the matrix products alone, 24 layers width^2 a token:
#    compare with `bench kernels`.
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
    "$GODWIT" pretrain -q -d data -o "$1" --size "$1" --length 1024 --steps 1 --batch-tokens 1024 --save-every 0
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

genome="${GODWIT_DATA:-}/human/chr20_1M-2M.fa.gz" tokenizer="${GODWIT_DATA:-}/tokenizer/gena_human_BPE_32k.tokenizer.json"
python="${ORACLE_PYTHON:-/opt/oracle/bin/python}"
[ -e "$genome" ] && [ -e "$tokenizer" ] || { echo "no real data: not compared with transformers" && exit 0; }
"$python" -c 'import torch, transformers' 2>/dev/null || { echo "no transformers: not compared with it" && exit 0; }
peer() {
    MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=8589934592 MALLOC_TOP_PAD_=1073741824 \
        "$python" "$ROOT/tests/bench/score_peer.py" "$@" 2>peer.log || { cat peer.log >&2 && return 1; }
}
peer make "$tokenizer" base-classifier
gzip -dc "${genome%.fa.gz}.1000G.vcf.gz" >all.vcf

# variants COUNT: plain alleles, where windows of 8 kb do not leave the contig
variants() {
    awk -F '\t' -v most="$1" '/^#/ || ($2 > 5000 && $4 $5 ~ /^[ACGT]+$/ && n++ < most)' all.vcf
}
# The least of three runs: the first may have to wait for memory that the system has given away.
seconds_of() {
    for _ in 1 2 3; do
        start=$(date +%s%N)
        "$GODWIT" score -q -m base-classifier -f "$genome" --attention hf-eval "$@"
        echo "$start $(date +%s%N)"
    done | awk '{ s = ($2 - $1) / 1e9; if (NR == 1 || s < least) least = s } END { print least }'
}
differences() {
    sed -n 's/.*;GW_DIFF=\([^;]*\).*/\1/p' out.vcf | head -n "$1"
}
# compare WINDOW DTYPE VARIANTS VARIANTS-OF-PEER: f32 before bf16
compare() {
    variants 0 >none.vcf
    variants "$3" >in.vcf
    variants "$4" >few.vcf
    idle=$(seconds_of --window "$1" --dtype "$2" -o out.vcf none.vcf)
    echo "$1 bp $2: starting, loading the model and the digests of the header take $idle s"
    busy=$(seconds_of --window "$1" --dtype "$2" -o out.vcf in.vcf)
    rate=$(peer score base-classifier "$genome" few.vcf "$1" "$2" peer.txt)
    differences "$4" >godwit.txt
    [ "$2" != f32 ] || { f32_rate=$rate && cp godwit.txt f32.txt; }
    paste godwit.txt peer.txt f32.txt | awk -v name="$1 bp $2" -v n="$3" -v s="$busy" -v idle="$idle" -v peer="$rate" \
        -v f32="$f32_rate" -v bf16="$([ "$2" != bf16 ] || echo 1)" '
        function far(x, y) { return x > y ? x - y : y - x }
        NF == 3 { if (far($1, $3) > ours) ours = far($1, $3)
                  if (far($2, $3) > theirs) theirs = far($2, $3) }
        END { rate = n / (s - idle) * 3600
              printf "%-12s godwit %6.0f variants an hour, transformers %6.0f: ratio %.2f", name, rate, peer, rate / peer
              if (bf16) printf ", to its f32 %.2f; from f32 godwit %.1e, transformers %.1e\n", rate / f32, ours, theirs
              else printf "; scores %.1e apart\n", theirs }' >>ratios
}
compare 1000 f32 48 16
compare 1000 bf16 48 16
compare 8000 f32 4 2
compare 8000 bf16 8 4
cat ratios
