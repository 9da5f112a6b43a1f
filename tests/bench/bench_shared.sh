#!/bin/sh
# Processor time of `godwit score` of changes of a promoter's window, as ALTs share REF's layers and as each window runs
# whole (--plain), in turn, three pairs: seconds of user and system time less those of an empty file, and what two whole
# windows an ALT would take, twice that of --plain, which runs one. Models of random weights, `window:3`, windows of 1,000
# and 4,000 bases of lambda; scores must be the same bytes.
# Usage: bench_shared.sh [SIZE:BASES:CHANGES ...]
set -eu
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
gzip -dc "$ROOT/tests/data/lambda.fa.gz" >g.fa
printf 'lambda\t20000\t20001\tsite\t0\t+\n' >site.bed
for at in 6000 12000 26000 32000 38000; do printf 'lambda\t%d\t%d\ts%d\t0\t+\n' $at $((at + 1)) $at; done >sites.bed

# spent OPTION...: seconds of processors
spent() {
    /usr/bin/time -o time -f '%U %S' "$GODWIT" score -@ 1 -m model -f g.fa --sites site.bed "$@" 2>log || { cat log >&2 && exit 1; }
    awk '{ print $1 + $2 }' time
}

measure() { # SIZE BASES CHANGES
    rm -rf model
    "$GODWIT" promoters -q -f g.fa --upstream $(($2 / 2)) --downstream $(($2 / 2)) --negatives shuffle -o set.tsv.gz sites.bed
    "$GODWIT" finetune -q --from-scratch --size "$1" -p window:3 --length $(($2 + 2)) --task promoter -d set.tsv.gz --steps 1 --batch 2 -o model
    "$GODWIT" mutate -q -f g.fa -r "lambda:$((20001 - $2 / 2 + 2))-$((20001 + $2 / 2 - 2))" -o all.vcf
    grep '^#' all.vcf >none.vcf
    awk -v of="$3" '/^#/ { print; next } { line[n++] = $0 } END { for (i = 0; i < of && i < n; i++) print line[int(i * n / of)] }' all.vcf >in.vcf
    spent -o none.tsv none.vcf >none
    for _ in 1 2 3; do
        spent -o shared.vcf in.vcf >>shared
        spent --plain -o plain.vcf in.vcf >>plain
        grep -v '^##' shared.vcf >a && grep -v '^##' plain.vcf | cmp -s - a || echo "scores differ" >&2
    done
    paste shared plain | awk -v none="$(cat none)" -v name="$1, $2 bases" -v n="$3" '{ s[NR] = $1 - none; p[NR] = $2 - none; r[NR] = p[NR] / s[NR] }
        function middle(x) { return x[1] > x[2] ? (x[2] > x[3] ? x[2] : (x[1] > x[3] ? x[3] : x[1])) : (x[1] > x[3] ? x[1] : (x[2] > x[3] ? x[3] : x[2])) }
        END { printf "%s\t%d changes\t%.2f s shared\t%.2f s plain\t%.1f times\ttwo windows an ALT: %.1f times\n", name, n, middle(s), middle(p),
            middle(r), 2 * middle(r) }'
    rm -f shared plain
}

[ $# -gt 0 ] || set -- dna-mini:1000:600 dna-tiny:1000:300 dna-mini:4000:300 dna-tiny:4000:100
for of; do
    # shellcheck disable=SC2046 # three words
    measure $(echo "$of" | tr ':' ' ')
done
