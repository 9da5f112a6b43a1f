#!/bin/sh
# What `openspliceai variant` says of the records of records.py, with its five networks of 10,000 nt and six digits, in
# pieces, for SECONDS or until all are answered; another call goes on. One thread answers some 30 records a minute.
# Usage: GODWIT_DATA=DATA answers.sh OPENSPLICEAI FOLDER [SECONDS]
# FOLDER/answers.tsv: contig, POS, REF, ALT, the entries of the record in the order of the table.
set -eu
peer=$1 folder=$2 end=$(($(date +%s) + ${3:-100000})) piece=48
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
[ -e "$folder/near.vcf" ] || python3 "$here/records.py" "$folder"
gzip -dc "$GODWIT_DATA/human/chr20_1M-2M.fa.gz" >"$folder/chr20.fa"
gzip -dc "$GODWIT_DATA/human/chr17_42425000-43600000.fa.gz" >"$folder/chr17.fa"

# answer SET SLICE: its next piece
answer() {
    done=$(cat "$folder/$1.done" 2>/dev/null || echo 0)
    grep '^#' "$folder/$1.vcf" >"$folder/piece.vcf"
    grep -v '^#' "$folder/$1.vcf" | tail -n "+$((done + 1))" | head -n $piece >>"$folder/piece.vcf"
    tail -n 1 "$folder/piece.vcf" | grep -qv '^#' || return 0
    "$peer" variant -R "$folder/$2.fa" -A "$GODWIT_DATA/splice/genes_$2_slice.txt" -m "$GODWIT_DATA/splice/openspliceai-mane-10000nt" \
        -f 10000 -t pytorch -D 50 -b 8 --precision 6 -I "$folder/piece.vcf" -O "$folder/piece.out" >"$folder/log" 2>&1
    grep -v '^#' "$folder/piece.out" | sed -n 's/^\([^\t]*\)\t\([^\t]*\)\t[^\t]*\t\([^\t]*\)\t\([^\t]*\)\t.*OpenSpliceAI=\([^;\t]*\).*/\1\t\2\t\3\t\4\t\5/p' \
        >>"$folder/answers.tsv"
    echo $((done + piece)) >"$folder/$1.done"
    more=yes
}

more=yes
while [ -n "$more" ]; do
    more=
    for set in "near chr20" "random20 chr20" "near chr20" "random17 chr17"; do
        [ "$(date +%s)" -lt "$end" ] || exit 0
        # shellcheck disable=SC2086 # two words
        answer $set
    done
done
