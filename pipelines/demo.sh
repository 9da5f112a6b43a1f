#!/bin/sh
# What godwit does, in some minutes of a processor: scores human variants, maps a yeast gene, and trains a model that beats counting.
#   GODWIT=build/godwit pipelines/demo.sh FOLDER
set -eu
out=$1
here=$(dirname "$0") data=$(dirname "$0")/../tests/data
yeast=$data/yeast_I.fa.gz cores=${CORES:-2}

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    echo "\$ godwit $*" >&2
    "$GODWIT" "$@"
}

rm -rf "$out"
mkdir -p "$out"

# The shipped piece of chromosome 17 at its place, N around it.
printf '>chr17\n' >"$out/chr17.fa"
{
    head -c 43098999 /dev/zero | tr '\0' N
    sed 1d "$data/splice/brca1.fa" | tr -d '\n'
    head -c 40147392 /dev/zero | tr '\0' N
    echo
} >>"$out/chr17.fa"

say "1. Human variants that break a splice site of BRCA1, by a model that is part of godwit (c.302-3C>G, c.441+1G>A, one in the intron)"
run score -q -m human-splice -f "$out/chr17.fa" --variants chr17:43104264:G:C,chr17:43104121:C:T,chr17:43104499:T:C \
    --table "$out/human.tsv" -o "$out/human.vcf.gz" -@ "$cores"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["SYMBOL"] == "-" {
    printf "  %s GW_SPLICE=%.2f: %s common variants of 100 have less\n", $at["ID"], $at["GW_SPLICE"], $at["GW_PCT"] }' "$out/human.tsv"

say "2. A yeast gene, CDC19: every change of 20 codons, where a change can make a stop"
run mutate -q -f "$yeast" -r I:72083-72142 -o "$out/yeast.vcf"
awk -v start=71786 -v marks="$out/stops.bed" -f "$here/codons.awk" "$out/yeast.vcf"
run score -q -m yeast -f "$yeast" --map "$out/yeast.png" --mark "$out/stops.bed" -o "$out/yeast.vcf.gz" -@ "$cores" "$out/yeast.vcf"
gzip -dc "$out/yeast.vcf.gz" | awk -v start=71786 -f "$here/codons.awk"

say "3. Training: is a window of yeast read along its gene, or against it? Genes behind I:180000 are for validation"
gzip -dc "$yeast" | awk -v border=180000 -v train="$out/train.tsv" -v valid="$out/valid.tsv" -f "$here/frames.awk"
run finetune -m yeast --task profiles --one-strand --positive-weight 1 --baseline kmer -d "$out/train.tsv" --valid "$out/valid.tsv" \
    --steps 40 --batch 16 --lr 6e-4 --warmup 4 -o "$out/genes" -@ "$cores"
run predict -q -m "$out/genes" -d "$out/valid.tsv" -o "$out/predicted.tsv" -@ "$cores"

say "Made in $out"
cat <<EOF
  human.vcf.gz, human.tsv    splicing scores of variants                 bcftools view $out/human.vcf.gz
  yeast.vcf.gz, yeast.png    scores of every change, stops marked        xdg-open $out/yeast.png
  genes/                     a Hugging Face model folder                 transformers.AutoModel.from_pretrained("$out/genes")
  genes/loss.png             its loss while it learnt                    xdg-open $out/genes/loss.png
  predicted.tsv              its probabilities                           column -t $out/predicted.tsv
EOF
