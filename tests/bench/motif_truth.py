#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the seqlets of a model name the factor that ChIP-exo sees in a region?   motif_truth.py MODEL TARGET genome.fa.gz peaks.bed.gz FILE.meme
Regions of 80 bp around peaks of five yeast factors, at most MOST a factor (the first ones of a seeded shuffle), and as many random places of
the same chromosomes, none within 200 bp of a peak of the factor. `explain` computes all of them in one run, so that all seqlets have one
null. A region counts where the factor's motif is among the ten best matches (Tomtom) of one of its seqlets. GODWIT is the program; MOST (200) and
METHOD (ism) change the run. Of 193 motifs chance alone has one among the ten best of every 19th seqlet."""
import gzip
import os
import random
import subprocess
import sys
import tempfile

GODWIT = os.environ["GODWIT"]
FACTORS, MOST, WIDTH, BEST = ("Reb1", "Abf1", "Rap1", "Cbf1", "Mcm1"), int(os.environ.get("MOST", "200")), 80, 10
METHOD = os.environ.get("METHOD", "ism")
model, target, genome, peaks, meme = sys.argv[1:]
random.seed(70)


def opened(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="ascii")


length, sequence = {}, {}
for line in opened(genome):
    if line[0] == ">":
        name = line[1:].split()[0]
        sequence[name] = []
    else:
        sequence[name].append(line.strip())
sequence = {name: "".join(parts).upper() for name, parts in sequence.items()}

regions = []  # contig, begin; the name: factor, peak or random, number
for factor in FACTORS:
    at = sorted({(row[0], int(row[1])) for row in (line.split() for line in opened(peaks)) if row[3] == factor and row[0] in sequence})
    near = {(contig, place // 200 + k) for contig, place in at for k in (-1, 0, 1)}
    for number, (contig, place) in enumerate(random.sample(at, min(MOST, len(at)))):
        if not 1000 < place < len(sequence[contig]) - 1000:
            continue
        regions.append((contig, place - WIDTH // 2, f"{factor}_peak_{number}"))
        while True:
            other = random.randrange(1000, len(sequence[contig]) - 1000)
            if (contig, other // 200) not in near:
                break
        regions.append((contig, other - WIDTH // 2, f"{factor}_random_{number}"))

with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/regions.bed", "w", encoding="ascii") as out:
        for contig, begin, name in regions:
            out.write(f"{contig}\t{begin}\t{begin + WIDTH}\t{name}\n")
    subprocess.run([GODWIT, "explain", "-q", "-m", model, "-t", target, "--method", METHOD, "-f", genome, "-R", f"{folder}/regions.bed",
                    "--pictures", "0", "-o", f"{folder}/out"], check=True)
    value = {}
    for line in opened(f"{folder}/out/contributions.bedgraph.gz"):
        if line[0] in "#t":
            continue
        name, begin, end, number = line.split()
        for i in range(int(begin), int(end)):
            value[name, i] = float(number)
    # A column is sure of its base as far as its contribution is near the seqlet's largest, else uniform.
    seqlets = {}
    with open(f"{folder}/seqlets.meme", "w", encoding="ascii") as out:
        out.write("MEME version 4\n\nALPHABET= ACGT\n")
        for number, line in enumerate(open(f"{folder}/out/seqlets.bed", encoding="ascii")):
            name, begin, end, _, _, _, total, _, bases = line.rstrip("\n").split("\t")
            sign = -1 if float(total) < 0 else 1
            size = [max(0.0, sign * value.get((name, i), 0.0)) for i in range(int(begin), int(end))]
            seqlets[f"s{number}"] = [r for c, at, r in regions if c == name and at <= int(begin) and int(end) <= at + WIDTH]
            out.write(f"\nMOTIF s{number}\nletter-probability matrix: w= {len(bases)}\n")
            for base, part in zip(bases, size):
                sure = part / max(size)
                out.write(" ".join(f"{0.25 * (1 - sure) + sure * (base == letter):.5f}" for letter in "ACGT") + "\n")
    matches = subprocess.run([GODWIT, "motifs", "match", "-q", "--motifs", meme, "--best", str(BEST), f"{folder}/seqlets.meme"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]
found, counts = {}, {}
for line in matches:
    query, _, _, motif, p, *_ = line.split("\t")
    for name in seqlets[query]:
        found.setdefault(name, set()).add(motif.upper())
for names in seqlets.values():
    for name in names:
        counts[name] = counts.get(name, 0) + 1
print("factor\tpeaks\tseqlets\tnamed\trandom\tseqlets\tnamed")
for factor in FACTORS:
    row = [factor]
    for kind in ("peak", "random"):
        names = [name for _, _, name in regions if name.startswith(f"{factor}_{kind}_")]
        row += [len(names), sum(counts.get(name, 0) for name in names), sum(factor.upper() in found.get(name, ()) for name in names)]
    print(*row, sep="\t")
