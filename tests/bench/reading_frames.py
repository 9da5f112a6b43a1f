#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Open reading frames of a genome without annotation, as BED: what docs/lab/yeast-bits.md trains a model of coding sequence on.

  reading_frames.py GENOME.fa [LEAST]      of at least so many bases (600), from the first ATG behind a stop to the next stop,
                                           on both strands; one of which half lies in longer ones is left out
"""
import sys

STOPS = ("TAA", "TAG", "TGA")


def sequences(path):
    name, lines = None, []
    with open(path) as fasta:
        for line in fasta:
            if line.startswith(">"):
                if name:
                    yield name, "".join(lines)
                name, lines = line[1:].split()[0], []
            else:
                lines.append(line.strip().upper())
    if name:
        yield name, "".join(lines)


def frames(sequence, least):
    for frame in range(3):
        start = None
        for at in range(frame, len(sequence) - 2, 3):
            codon = sequence[at:at + 3]
            if codon in STOPS:
                if start is not None and at + 3 - start >= least:
                    yield start, at + 3
                start = None
            elif codon == "ATG" and start is None:
                start = at


def of_both_strands(sequence, least):
    turned = sequence.translate(str.maketrans("ACGTN", "TGCAN"))[::-1]
    return [*frames(sequence, least), *((len(turned) - end, len(turned) - begin) for begin, end in frames(turned, least))]


def longest_first(found, length):
    taken, used = [], bytearray(length)
    for begin, end in sorted(found, key=lambda frame: frame[0] - frame[1]):
        if sum(used[begin:end]) * 2 <= end - begin:
            used[begin:end] = b"\1" * (end - begin)
            taken.append((begin, end))
    return sorted(taken)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    for name, sequence in sequences(sys.argv[1]):
        for begin, end in longest_first(of_both_strands(sequence, least), len(sequence)):
            print(name, begin, end, sep="\t")


main()
