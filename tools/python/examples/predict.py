# SPDX-License-Identifier: MIT
"""Predicts the labels of the sequences in a table's first column:   predict.py MODEL TABLE.tsv

Writes the table of `godwit predict --both-strands`.
"""

import sys

import godwit


def main(folder, table):
    with open(table) as lines:
        next(lines)  # names of the columns
        sequences = [line.split("\t")[0].strip() for line in lines]
    with godwit.Model(folder) as model:
        probability = model.predict(sequences, strands="both")
        print("row", *model.labels, sep="\t")
    for i, row in enumerate(probability):
        print(i + 1, *(f"{p:.7g}" for p in row), sep="\t")


main(*sys.argv[1:])
