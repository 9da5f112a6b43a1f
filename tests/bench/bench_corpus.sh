#!/bin/sh
# Output of `godwit corpus` in MB/s on one core, beside two ways to get such text today: a short Python script with the
# same rule, and samtools faidx cutting the sentences of one repeat from a list of regions.
# The genome is GODWIT_DATA/worm/ce10.fa.gz (100 Mb, BGZF), else phage lambda, which is too small to say much.
set -eu
genome="${GODWIT_DATA:-}/worm/ce10.fa.gz"
[ -e "$genome" ] || genome="$ROOT/tests/data/lambda.fa.gz"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
one_core() { if command -v taskset >/dev/null 2>&1; then taskset -c 0 "$@"; else "$@"; fi; }

# measure NAME COMMAND...: MB of standard output, seconds, MB/s; best of three.
measure() {
    name=$1
    shift
    best=
    for _ in 1 2 3; do
        start=$(date +%s%N)
        one_core "$@" >"$scratch/out" 2>/dev/null
        end=$(date +%s%N)
        took=$((end - start))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    bytes=$(wc -c <"$scratch/out")
    awk -v n="$name" -v b="$bytes" -v t="$best" \
        'BEGIN {printf "%-44s %8.1f MB %8.2f s %9.1f MB/s\n", n, b / 1e6, t / 1e9, b / 1e6 / (t / 1e9)}'
}

cat >"$scratch/peer.py" <<'EOF'
import gzip, random, sys
def contigs(path):
    pieces = []
    for line in gzip.open(path, "rt"):
        if line[0] == ">":
            if pieces: yield "".join(pieces).upper()
            pieces = []
        else: pieces.append(line.rstrip())
    yield "".join(pieces).upper()
write = sys.stdout.write
for bases in contigs(sys.argv[1]):
    for _ in range(int(sys.argv[2])):
        at = random.randint(0, 5000)
        while at < len(bases):
            for _ in range(random.randint(50, 100)):
                end = at + random.randint(500, 1000)
                write(bases[at:end] + "\n")
                at = end
            write("\n")
EOF

echo "genome: $(basename "$genome"), written to a file in $(dirname "$scratch")"
measure "godwit corpus -n 10" "$GODWIT" corpus -q -f "$genome" -n 10
measure "godwit corpus -n 1" "$GODWIT" corpus -q -f "$genome" -n 1
measure "godwit corpus -n 5 --both-strands" "$GODWIT" corpus -q -f "$genome" -n 5 --both-strands
if command -v python3 >/dev/null 2>&1; then
    measure "python3, the same rule, 10 repeats" python3 "$scratch/peer.py" "$genome" 10
    measure "python3, the same rule, 1 repeat" python3 "$scratch/peer.py" "$genome" 1
else
    echo "python3 is not installed: no peer by that name"
fi
if command -v samtools >/dev/null 2>&1; then
    cp "$genome" "$scratch/genome.fa.gz"
    samtools faidx "$scratch/genome.fa.gz"
    "$GODWIT" corpus -q -f "$genome" -n 1 -o /dev/null --positions "$scratch/sentences.bed"
    awk '{print $1 ":" $2 + 1 "-" $3}' "$scratch/sentences.bed" >"$scratch/regions"
    measure "samtools faidx -r, the sentences of 1 repeat" samtools faidx -n 0 -r "$scratch/regions" "$scratch/genome.fa.gz"
else
    echo "samtools is not installed: no peer by that name"
fi
