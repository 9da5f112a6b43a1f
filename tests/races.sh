#!/bin/sh
# The program as ThreadSanitizer sees it (make test-races): training and scoring on three threads, by every mixer and kind of model, hold no
# data race.   tests/races.sh GODWIT, built with SAN=thread
set -eu
GODWIT=$(realpath "$1")
ROOT=$(cd "$(dirname "$0")/.." && pwd)
export GODWIT ROOT TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}"
nm "$GODWIT" | grep -q __tsan_init || { echo "$GODWIT was built without SAN=thread"; exit 1; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-races.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
. "$ROOT/tests/cli/lib.sh"
prepared small

runs=0
clean() { # COMMAND...
    "$GODWIT" "$@" -@ 3 >out 2>err || die "$*: $(grep -A 30 'WARNING: ThreadSanitizer' err || cat err)"
    runs=$((runs + 1))
}
# What is trained has rows enough for several threads.
"$GODWIT" corpus -q -f g.fa -n 20 --sentences 3-5 --sentence-length 60-100 --max-offset 10 -o longer.txt
"$GODWIT" encode -q -m tok.json -o longer longer.txt
sizes='"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128, "max_position_embeddings": 512'
trained() { # NAME TYPE [OPTIONS...]
    name=$1
    echo "{\"model_type\": \"$2\", $sizes, \"block_size\": 16}" >"$name.json"
    shift 2
    clean pretrain -q -d longer -o "$name" -c "$name.json" --steps 2 --batch-tokens 2048 --save-every 1 "$@"
    clean eval -q -m "$name" -d longer
    clean score -q -m "$name" -f g.fa --window 60 -o - in.vcf
}
for type in big_bird roberta esm modernbert; do trained $type $type; done
for mixer in window:3 linear performer:32 linformer:16 nystrom:8 etc:7+segment:8+distance:3 sbm:8 reformer:16x2; do
    trained "mixer.$mixer" big_bird -p "$mixer"
done
trained bf16 big_bird --dtype bf16
clean finetune -q -m big_bird --task promoter -d set.tsv -o classifier --steps 2 --optimiser lamb
clean predict -q -m classifier -d set.tsv
clean finetune -q -m big_bird --task profiles -d prof -f g.fa -o labels --steps 2
clean score -q -m labels -f g.fa -o - in.vcf
clean finetune -q --from-scratch --size dna-mini --task promoter -d set.tsv -o stem --steps 2
clean predict -q -m stem -d set.tsv
clean embed -q -m big_bird --pool mean -o e.npy g.fa
clean generate -q -m "$ROOT/tests/data/generate" --ids -b 2 --max-length 12 "$ROOT/tests/data/generate/texts.txt"
awk "$DRAW"'BEGIN { seed = 5; print ">c\n" bases(600) }' >genes.fa
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nA\tc\t+\t200\t500\t200,400,\t320,500,\n' >genes.txt
"$GODWIT" mutate -q -f genes.fa -r c:251-256 -o splice.vcf
clean score -q -m "$ROOT/tests/data/splice" -f genes.fa --genes genes.txt -D 20 -o - splice.vcf
echo "no race in $runs runs"
