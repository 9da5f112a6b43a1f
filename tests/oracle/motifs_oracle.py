#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`godwit motifs` and the package memelite: the same sites (FIMO) and the same matches (Tomtom without hashed columns).
Where memelite says that a site's p-value is 0, which no site's can be, the program says another, or that there is no site:
the scores of such sites lie above the table of rounded scores. With a folder it also writes what tests/cli/test_motifs.sh reads."""
import gzip
import os
import subprocess
import sys

import numpy as np
from memelite import fimo, tomtom
from memelite.io import read_meme

GODWIT, ROOT = os.environ["GODWIT"], os.environ["ROOT"]
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "."
MOTIFS, QUERIES = 40, 12


def write(path, motifs):
    with open(path, "w", encoding="ascii") as out:
        out.write("MEME version 4\n\nALPHABET= ACGT\n\nstrands: + -\n\nBackground letter frequencies\nA 0.25 C 0.25 G 0.25 T 0.25\n")
        for name, columns in motifs.items():
            out.write(f"\nMOTIF {name}\nletter-probability matrix: alength= 4 w= {len(columns)} nsites= 50 E= 0\n")
            out.writelines(" ".join(f"{p:.6f}" for p in column) + "\n" for column in columns)


draw = np.random.default_rng(70)
known = {f"M{i:02d} name{i}": draw.dirichlet([0.25] * 4, size=width) for i, width in enumerate(draw.integers(4, 24, MOTIFS))}
# Parts of known motifs between columns of chance, on either strand.
queries = {}
for i in range(QUERIES):
    part = list(known.values())[i][draw.integers(0, 2):][:10]
    columns = np.concatenate([draw.dirichlet([1] * 4, size=draw.integers(0, 4)), part, draw.dirichlet([1] * 4, size=draw.integers(0, 4))])
    columns = 0.9 * columns + 0.025
    queries[f"Q{i:02d}"] = columns[::-1, ::-1] if i % 2 else columns
write(f"{FOLDER}/known.meme", known)
write(f"{FOLDER}/query.meme", queries)
known, queries = read_meme(f"{FOLDER}/known.meme"), read_meme(f"{FOLDER}/query.meme")

genome = f"{ROOT}/tests/data/yeast_I.fa.gz"
sequence = "".join(line.strip() for line in gzip.open(genome, "rt") if line[0] != ">").upper()
one_hot = np.array([[c == base for c in sequence] for base in "ACGT"], dtype=np.int8)[None]
expected, zeros = {}, 0
for hits in fimo(known, one_hot):
    for name, _, _, start, end, strand, score, p in hits.itertuples(index=False):
        expected[name.split()[0], start + 1, end, strand] = (score, p)
godwit = subprocess.run([GODWIT, "motifs", "scan", "-q", "--motifs", f"{FOLDER}/known.meme", "-f", genome],
                        check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]
for line in godwit:
    name, _, _, start, end, strand, score, p, _ = line.split("\t")
    theirs = expected.pop((name, int(start), int(end), strand))
    assert abs(float(score) - theirs[0]) < 1e-4, line
    assert theirs[1] == 0 or abs(float(p) / theirs[1] - 1) < 1e-5, (line, theirs)
    zeros += theirs[1] == 0
assert all(p == 0 for _, p in expected.values()), expected
print(f"{len(godwit)} sites, of which memelite gives {zeros} the p-value 0; it has {len(expected)} more of that p-value")

p, score, offset, overlap, strand = tomtom(list(queries.values()), list(known.values()), n_target_bins=None)
godwit = subprocess.run([GODWIT, "motifs", "match", "-q", "--motifs", f"{FOLDER}/known.meme", "--best", str(MOTIFS),
                         f"{FOLDER}/query.meme"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]
assert len(godwit) == MOTIFS * QUERIES
with open(f"{FOLDER}/matches.tsv", "w", encoding="ascii") as out:
    for line in godwit:
        q, _, t, _, *ours = line.split("\t")
        i, j = int(q[1:]), int(t[1:])
        assert abs(float(ours[0]) / p[i, j] - 1) < 1e-5, (line, p[i, j])
        assert (float(ours[2]), int(ours[3]), int(ours[4]), ours[5]) == (score[i, j], offset[i, j], overlap[i, j], "+-"[int(strand[i, j])]), line
        print(q, t, f"{p[i, j]:g}", f"{score[i, j]:g}", int(offset[i, j]), int(overlap[i, j]), "+-"[int(strand[i, j])], sep="\t", file=out)
print(f"{len(godwit)} matches")
with open(f"{FOLDER}/sites.tsv", "w", encoding="ascii") as out:
    for hits in fimo({name: columns for name, columns in known.items() if columns.shape[1] > 7}, one_hot, threshold=1e-5):
        for name, _, _, start, end, side, value, chance in hits.itertuples(index=False):
            if chance > 0:
                print(name.split()[0], start + 1, end, side, f"{value:.4f}", f"{chance:.4g}", sep="\t", file=out)
