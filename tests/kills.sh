#!/bin/sh
# kill -9 at many moments of the long commands: what stands there afterwards is nothing, the old, or what the same command goes on from, and
# gone on with it ends with the bytes of a run that nobody stopped.
#   tests/kills.sh GODWIT [TIMES [COMMAND...]]     TIMES of each command (100); takes minutes, so it is not part of `make test`
set -eu
GODWIT=$(realpath "$1") times=${2:-100}
shift
[ $# -eq 0 ] || shift
commands=${*:-pretrain finetune score predict embed corpus}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
export GODWIT ROOT OMP_WAIT_POLICY=passive
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-kills.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
. "$ROOT/tests/cli/lib.sh"
prepared small
# Enough for a second or two.
i=0
while [ $i -lt 1000 ]; do sed "/^#/d; s/\$/\t/" in.vcf | cut -f 1-8 && i=$((i + 1)); done >many
{ grep '^#' in.vcf && sort -k2,2n many; } >many.vcf
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "c1\t%d\t%d\tr%d\t0\t+\n", 500 + i % 2000, 501 + i % 2000, i }' >many.bed
genome 200 60 many >many.fa

# there: the output is, as far as other commands can tell: a folder that is no model yet may have begun.
there() {
    [ -e "$output" ] && { [ ! -d "$output" ] || [ -e "$output/config.json" ]; }
}

# stopped OUTPUT COMMAND...: writes OUTPUT; --resume is added where there is something to go on from.
stopped() {
    output=$1
    shift
    case " $commands " in *" $1 "*) ;; *) return 0 ;; esac
    rm -rf "$output" "$output".*
    begin=$(date +%s%N)
    "$GODWIT" "$@" >/dev/null 2>err || die "fails without a reason: $* ($(cat err))"
    took=$((($(date +%s%N) - begin) / 1000))
    rm -rf expected && mv "$output" expected
    n=0 early=0
    while [ $n -lt "$times" ]; do
        n=$((n + 1))
        rm -rf "$output" "$output".*
        "$GODWIT" "$@" >/dev/null 2>err &
        run=$!
        # A moment of the run, one after the other.
        sleep "$(awk -v t="$took" -v n="$n" -v all="$times" 'BEGIN { printf "%.6f", t * n / (all + 1) / 1e6 }')"
        kill -9 $run 2>/dev/null && early=$((early + 1)) || :
        wait $run 2>/dev/null || :
        resume=
        case $1 in
        pretrain) # each save has a whole model of that step
            ! there || "$GODWIT" embed -q -m "$output" --pool mean -o /dev/null g.fa || die "$n: $output cannot be read"
            [ ! -e "$output.checkpoints" ] || resume=--resume
            ;;
        finetune) there || [ ! -e "$output.checkpoints" ] || resume=--resume ;;
        esac
        [ "$1" = pretrain ] || ! there || diff -r -x metrics.jsonl -x 'loss.png*' -I '"command":' "$output" expected >diff ||
            die "$n: a part of $output is there: $* ($(cat diff))"
        if [ -n "$resume" ] || ! there; then
            "$GODWIT" "$@" $resume >/dev/null 2>err || die "$n: cannot go on: $* $resume ($(cat err))"
        fi
        diff -r -x metrics.jsonl -x 'loss.png*' -I '"command":' "$output" expected >diff || die "$n: gone on, but not the same: $* ($(head -c 300 diff))"
        left=$(find . -maxdepth 1 -name "$output.*" ! -name "$output.checkpoints")
        [ -z "$left" ] || die "$n: left $left: $*"
    done
    echo "$1: stopped $early times of $times, over $((took / 1000)) ms"
}

stopped model2 pretrain -q -d sh -c config.json --steps 400 --save-every 20 --batch-tokens 512 -@ 1 -o model2
stopped tuned finetune -q -m model --task promoter -d set.tsv --epochs 2000 --patience 0 -@ 1 -o tuned
stopped scored.vcf.gz score -q -m model --window 60 -f g.fa -O z -@ 1 -o scored.vcf.gz many.vcf
stopped table.tsv predict -q -m promoter -f g.fa -R many.bed -@ 1 -o table.tsv
stopped vectors.npy embed -q -m model --pool mean -@ 1 -o vectors.npy many.fa
stopped text.txt corpus -q -f g.fa -n 12000 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o text.txt
