#!/bin/sh
# Wall and processor time of `godwit score` and of `openspliceai variant` on the same records, in turn, twice.
# Usage: bench_splicing.sh GODWIT MODEL OPENSPLICEAI STATE_DICTS GENOME.fa GENES.txt IN.vcf [BATCH]
# MODEL is what `godwit convert --from openspliceai -m STATE_DICTS` wrote; networks of 10,000 nt.
set -eu
[ $# -ge 7 ] || { sed -n '2,4s/^# //p' "$0" && exit 0; }
godwit=$1 model=$2 peer=$3 weights=$4 genome=$5 genes=$6 records=$7 batch=${8:-8}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
alleles=$(grep -v '^#' "$records" | cut -f 5 | tr ',' '\n' | grep -c .)

timed() { # NAME COMMAND...
    name=$1
    shift
    /usr/bin/time -o "$out/time" -f '%e %U %S' "$@" >/dev/null 2>"$out/log" || { cat "$out/log" >&2 && exit 1; }
    awk -v name="$name" -v n="$alleles" '{ printf "%s\t%d alleles\t%.1f s\t%.1f s of processors\t%.0f an hour\n", name, n, $1,
        $2 + $3, n / $1 * 3600 }' "$out/time"
}

for _ in 1 2; do
    timed godwit "$godwit" score -q -m "$model" -f "$genome" --genes "$genes" -o "$out/godwit.vcf" "$records"
    timed openspliceai "$peer" variant -R "$genome" -A "$genes" -m "$weights" -f 10000 -t pytorch -D 50 -b "$batch" -I "$records" \
        -O "$out/peer.vcf"
done
