#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A genome, a table of a score of each of its single-base changes, and some of these as variants.

usage: make_known.py FOLDER [MILLION_BASES] [MILLION_VARIANTS]

FOLDER/genome.fa has two contigs, FOLDER/table.tsv three rows a base (#CHROM POS REF ALT SCORE, to be compressed and
indexed), FOLDER/in.vcf sorted variants at random places. 10 million bases (30 million rows) and 1 million variants.
"""
import pathlib
import random
import sys

OTHERS = {"A": "CGT", "C": "AGT", "G": "ACT", "T": "ACG"}


def main():
    folder = pathlib.Path(sys.argv[1])
    bases, variants = (int(float(a) * 1e6) for a in (sys.argv[2:] + ["10", "1"][len(sys.argv) - 2 :]))
    rng = random.Random(1)
    scores = [f"{rng.random():.3f}" for _ in range(4096)]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "genome.fa", "w") as fasta, open(folder / "table.tsv", "w") as table, open(folder / "in.vcf", "w") as vcf:
        table.write("#CHROM\tPOS\tREF\tALT\tSCORE\n")
        vcf.write("##fileformat=VCFv4.3\n")
        for contig in "12":
            vcf.write(f"##contig=<ID=chr{contig},length={bases // 2}>\n")
        vcf.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        for contig in "12":
            length = bases // 2
            sequence = "".join(rng.choices("ACGT", k=length))
            fasta.write(f">chr{contig}\n")
            for i in range(0, length, 100):
                fasta.write(sequence[i : i + 100] + "\n")
            asked = {}
            for change in rng.sample(range(3 * length), variants // 2):
                asked.setdefault(change // 3, []).append(change % 3)
            for at, ref in enumerate(sequence):
                drawn = rng.getrandbits(36)
                a, b, c = OTHERS[ref]
                row = f"{contig}\t{at + 1}\t{ref}\t"
                table.write(f"{row}{a}\t{scores[drawn & 4095]}\n{row}{b}\t{scores[drawn >> 12 & 4095]}\n{row}{c}\t{scores[drawn >> 24]}\n")
                for alt in sorted(asked.get(at, ())):
                    vcf.write(f"chr{contig}\t{at + 1}\t.\t{ref}\t{OTHERS[ref][alt]}\t.\t.\t.\n")


main()
