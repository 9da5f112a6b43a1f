# SPDX-License-Identifier: MIT
"""Scores the variants of a region as a table:   score.py MODEL GENOME.fa VARIANTS.vcf[.gz] CONTIG:BEGIN-END [WINDOW]

The columns are those of the INFO that `godwit score` writes.
"""

import gzip
import sys

import godwit


def read_variants(path, region):
    """(contig, position, REF, ALT) of each ALT whose POS lies in the region."""
    contig, span = region.rsplit(":", 1)
    begin, end = map(int, span.split("-"))
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, position, _, ref, alts = line.rstrip("\n").split("\t")[:5]
            if name == contig and begin <= int(position) <= end:
                yield from ((name, int(position), ref, alt) for alt in alts.split(","))


def main(folder, fasta, vcf, region, window="0"):
    with godwit.Model(folder) as model, model.scorer(fasta, window=int(window)) as scorer:
        table = scorer.score(read_variants(vcf, region))
    print(*table, sep="\t")
    for row in zip(*table.values()):
        print(*(f"{value:.6g}" if value.dtype.kind == "f" else value for value in row), sep="\t")


main(*sys.argv[1:])
