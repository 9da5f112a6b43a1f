#!/bin/sh
# The main job on a small genome: from FASTA to an annotated VCF and pictures.
#   GODWIT=build/godwit pipelines/demo.sh GENOME FOLDER
#
# The last sixth of the genome's first contig is held out: the model never sees it, and is evaluated on it. Sentences and
# documents are scaled down from BigBird's sizes to a genome of 48 kb. From so short a genome single bases learn best;
# longer ones deserve a real vocabulary. Sizes can be set: STEPS, VOCABULARY, REGION, CORES.
set -eu
genome=$1 out=$2
steps=${STEPS:-1200} vocabulary=${VOCABULARY:-10} cores=${CORES:-2}

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    echo "\$ godwit $*" >&2
    "$GODWIT" "$@"
}

[ -e "$genome" ] || {
    echo "demo: there is no $genome" >&2
    exit 1
}
rm -rf "$out"
mkdir -p "$out"
contig=$(gzip -dcf "$genome" | sed -n '1s/^>\([^[:space:]]*\).*/\1/p')
length=$(gzip -dcf "$genome" | awk '/^>/ {if (n++) exit; next} {bases += length($0)} END {print bases}')
border=$((length / 6 * 5))
region=${REGION:-$contig:$((border + 500))-$((border + 559))}
sizes="--sentences 10-20 --sentence-length 100-200 --max-offset 500"

say "1. Documents (held out: $contig:$((border + 1))-$length)"
# shellcheck disable=SC2086 # a list of options
run corpus -f "$genome" -r "$contig:1-$border" -n 10 $sizes --both-strands -o "$out/train.txt"
# shellcheck disable=SC2086
run corpus -f "$genome" -r "$contig:$((border + 1))-$length" -n 1 $sizes --max-offset 0 -o "$out/test.txt"

say "2. Tokens (byte-pair encoding for a look, then the vocabulary that the model uses)"
run bpe -v 512 -o "$out/tokenizer512.json" "$out/train.txt"
run encode -m "$out/tokenizer512.json" "$out/test.txt" >"$out/test512.txt"
echo "  the first sentence: $(head -n 1 "$out/test.txt" | cut -c 1-40)... is $(head -n 1 "$out/test512.txt" | cut -c 1-40)..."
run bpe -v "$vocabulary" -o "$out/tokenizer.json" "$out/train.txt"
run encode -m "$out/tokenizer.json" -o "$out/train" "$out/train.txt"
run encode -m "$out/tokenizer.json" -o "$out/test" "$out/test.txt"

say "3. Pretraining (masked language model and next sentence)"
run pretrain -d "$out/train" -o "$out/model" --size tiny --length 256 --steps "$steps" --batch-tokens 2048 \
    --lr 1e-3 --dropout 0 --checkpoints "$out/checkpoints" -@ "$cores"

say "4. Evaluation on the part that was held out"
run eval -m "$out/model" -d "$out/test" --baseline "$out/train" -@ "$cores" >"$out/eval.tsv"
cat "$out/eval.tsv"
awk -F '\t' 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "bits_per_base") bits = i}
    $1 == "model" {model = $bits} $1 ~ /^markov/ && (chain == "" || $bits < chain) {chain = $bits}
    END {if (model >= chain) printf "  The best chain is %.3f bits better: so little sequence and so short a run teach no more (7 shows one that wins).\n", model - chain}' \
    "$out/eval.tsv"

say "5. Every single-base change of $region, scored"
run mutate -f "$genome" -r "$region" -o "$out/mutations.vcf"
run score -m "$out/model" -f "$genome" --window 200 --map "$out/mutations.png" -O z --write-index -o "$out/mutations.vcf.gz" \
    -@ "$cores" "$out/mutations.vcf"
run graph -p itc -n 4096 -o "$out/pattern.png" >"$out/pattern.tsv"

say "6. A model from the box on real yeast: 33 codons of CDC19, where a change can make a stop"
here=$(dirname "$0")
yeast=$here/../tests/data/yeast_I.fa.gz
run models
run mutate -f "$yeast" -r "${YEAST_REGION:-I:72083-72181}" -o "$out/yeast.vcf"
awk -v start=71786 -v marks="$out/stops.bed" -f "$here/codons.awk" "$out/yeast.vcf"
run score -m yeast -f "$yeast" --map "$out/yeast.png" --mark "$out/stops.bed" -O z --write-index -o "$out/yeast.vcf.gz" \
    -@ "$cores" "$out/yeast.vcf"
gzip -dc "$out/yeast.vcf.gz" | awk -v start=71786 -f "$here/codons.awk"

say "7. Its bits per base beside Markov chains, on 10 kb of yeast I"
printf 'I\t150000\t160000\n' >"$out/yeast.test.bed"
printf 'I\t1000\t150000\nI\t160000\t229000\n' >"$out/yeast.train.bed"
run eval -m yeast -f "$yeast" -R "$out/yeast.test.bed" --baseline "$out/yeast.train.bed" -@ "$cores" >"$out/yeast.eval.tsv"
awk '$2 == "part" || $2 == "all"' "$out/yeast.eval.tsv"
echo "  The chains are counted on the rest of I, which the model was trained on among others. Of VII and XIII, which it never saw,"
echo "  its card says, beside chains of the whole training genome:"
awk -F '|' '/^\| this model/ || /^\| Markov chains, two-sided/ {printf "   %s:%sbits per base\n", $2, $3}' \
    "$here/../share/godwit/models/yeast/README.md"

say "Made in $out"
cat <<EOF
  train.txt, test.txt        documents: a sentence a line                less $out/train.txt
  tokenizer.json             a Hugging Face tokenizer                    tokenizers.Tokenizer.from_file("$out/tokenizer.json")
  train.bin, train.idx       token shards (Megatron's indexed dataset)   godwit decode $out/train | less
  model/                     a Hugging Face model folder                 transformers.AutoModel.from_pretrained("$out/model")
  model/loss.png             the loss while it learnt                    xdg-open $out/model/loss.png
  eval.tsv                   bits per base beside Markov chains          column -t $out/eval.tsv
  mutations.vcf.gz           every change with its GW_LLR                bcftools view $out/mutations.vcf.gz | less
  mutations.png              the same as a map                           xdg-open $out/mutations.png
  yeast.vcf.gz, yeast.png    the same of 33 codons, stops marked         xdg-open $out/yeast.png
  yeast.eval.tsv             bits per base of the model in the box       column -t $out/yeast.eval.tsv
  pattern.png, pattern.tsv   BigBird's attention and its measures        xdg-open $out/pattern.png
EOF
