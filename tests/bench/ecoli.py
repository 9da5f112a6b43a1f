#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measured promoters of E. coli: the tables that docs/lab/ecoli-promoters.md trains and tests on.

  ecoli.py tables MEASURED/ecoli OUT   OUT/{all,train,valid,test}.tsv: sequence, level (log2 of expression, at least 1/8), active
                                       (expression 1 or more) and rank (normal score of level's rank among the rows that
                                       train), the authors' split; of their training rows the last tenth by place validates,
                                       without what overlaps the rows before it; `all` are both
  ecoli.py folds MEASURED/ecoli OUT    OUT/{36N,Pr,Pl}.{0..4}.{train,valid,test}.tsv: five folds of clusters of mutated
                                       promoters, those that differ at so few places (single linkage) that they stand together
Needs NumPy for folds.
"""
import bisect
import csv
import gzip
import math
import pathlib
import random
import statistics
import sys

# Of a set of mutated promoters: the column that was measured, the differences that link two, and the bases that vary.
MUTATED = {"36N": ("estimate_bin", 8, slice(20, 100)), "Pr": ("Median", 2, slice(0, 100)), "Pl": ("Median", 2, slice(0, 100))}
FOLDS, VALID_SHARE, LARGE_CLUSTER = 5, 0.08, 200
TRAINED = 11806  # rows by place that come before those that validate


def write(path, columns, rows):
    with open(path, "w") as out:
        for row in [columns, *rows]:
            out.write("\t".join(map(str, row)) + "\n")


def read_promoters(path):
    with gzip.open(path, "rt") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return sorted(rows, key=lambda row: int(row["start"]))


def level_of(promoter):
    return float(f"{math.log2(max(float(promoter['expression']), 1 / 8)):.6g}")


def normal_score(levels, level):
    """Of a level among others, which ascend."""
    rank = (bisect.bisect_left(levels, level) + bisect.bisect_right(levels, level)) / 2 + 0.5
    share = min(max(rank / (len(levels) + 1), 0.0005), 0.9995)
    return statistics.NormalDist().inv_cdf(share)


def row_of(promoter, levels):
    level = level_of(promoter)
    active = int(float(promoter["expression"]) >= 1)
    return [promoter["sequence"].upper(), f"{level:.6g}", active, f"{normal_score(levels, level):.4f}"]


def make_tables(measured, out):
    rows = read_promoters(measured / "promoters_train.tsv.gz")
    train, rest = rows[:TRAINED], rows[TRAINED:]
    end = max(int(row["end"]) for row in train)
    valid = [row for row in rest if int(row["start"]) >= end]
    sets = {"train": train, "valid": valid, "all": train + valid,
            "test": read_promoters(measured / "promoters_test.tsv.gz")}
    levels = sorted(map(level_of, train))
    for name, promoters in sets.items():
        write(out / f"{name}.tsv", ["sequence", "level", "active", "rank"], [row_of(row, levels) for row in promoters])


def clusters_of(sequences, most):
    """Lists of rows that are linked by pairs of one length that differ at `most` places at most."""
    import numpy as np

    parent = list(range(len(sequences)))

    def find(row):
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for length in set(map(len, sequences)):
        rows = [row for row, sequence in enumerate(sequences) if len(sequence) == length]
        letters = np.array([list(sequences[row].encode()) for row in rows], dtype=np.uint8)
        for first in range(len(rows)):
            differ = (letters[first + 1:] != letters[first]).sum(axis=1)
            for other in np.nonzero(differ <= most)[0]:
                parent[find(rows[first])] = find(rows[first + 1 + other])
    clusters = {}
    for row in range(len(sequences)):
        clusters.setdefault(find(row), []).append(row)
    return list(clusters.values())


def fold_clusters(clusters):
    """The clusters, large ones first, each into the fold that has the fewest rows."""
    random.Random(1).shuffle(clusters)
    clusters.sort(key=len, reverse=True)
    folds = [[] for _ in range(FOLDS)]
    for cluster in clusters:
        min(folds, key=lambda fold: sum(map(len, fold))).append(cluster)
    return folds


def make_folds(measured, out):
    for name, (column, most, part) in MUTATED.items():
        with gzip.open(measured / f"{name}_constitutive.csv.gz", "rt") as lines:
            rows = list(csv.DictReader(lines))
        sequences = [row["sequence"].upper() for row in rows]
        folds = fold_clusters(clusters_of(sequences, most))
        for number, test in enumerate(folds):
            rest = [cluster for fold in folds if fold is not test for cluster in fold]
            random.Random(number).shuffle(rest)
            sets = {"train": [], "valid": [], "test": sum(test, [])}
            for cluster in rest:
                validates = len(sets["valid"]) < VALID_SHARE * len(rows) and len(cluster) < LARGE_CLUSTER
                sets["valid" if validates else "train"].extend(cluster)
            for split, members in sets.items():
                write(out / f"{name}.{number}.{split}.tsv", ["sequence", "level"],
                      [[sequences[row][part], rows[row][column]] for row in sorted(members)])


def main():
    makers = {"tables": make_tables, "folds": make_folds}
    if len(sys.argv) != 4 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    makers[sys.argv[1]](pathlib.Path(sys.argv[2]), out)


main()
