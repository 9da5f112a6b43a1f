# SPDX-License-Identifier: MIT
"""Embeds the sequences of a FASTA file and says which are most alike:   embed.py MODEL SEQUENCES.fa OUT.npy"""

import sys

import godwit
import numpy as np


def read_fasta(path):
    names, sequences = [], []
    with open(path) as lines:
        for line in lines:
            if line.startswith(">"):
                names.append(line[1:].split()[0])
                sequences.append("")
            else:
                sequences[-1] += line.strip()
    return names, sequences


def main(folder, fasta, out):
    names, sequences = read_fasta(fasta)
    with godwit.Model(folder) as model:
        vectors = model.embed(sequences, pool="mean")
    np.save(out, vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -1)
    for i, j in enumerate(cosine.argmax(axis=1)):
        print(f"{names[i]}\t{names[j]}\t{cosine[i, j]:.4f}")


main(*sys.argv[1:])
