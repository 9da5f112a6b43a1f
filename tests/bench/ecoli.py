#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measured promoters of E. coli: the tables that docs/lab/ecoli-promoters.md trains and tests on.

  ecoli.py tables MEASURED/ecoli OUT   OUT/{all,train,valid,test}.tsv: sequence, level (log2 of expression, at least 1/8), active
                                       (expression 1 or more) and rank (normal score of level's rank among the rows that
                                       train), the authors' split; of their training rows the last tenth by place validates,
                                       without what overlaps the rows before it; `all` are both
  ecoli.py folds MEASURED/ecoli OUT    OUT/{36N,Pr,Pl}.{0..4}.{train,valid,test}.tsv: five folds of clusters of mutated
                                       promoters, those that differ at so few places (single linkage) that they stand together
  ecoli.py rate COLUMN OUT/test.tsv PREDICTIONS.tsv...
                                       of `godwit predict -d OUT/test.tsv`: AUROC and average precision of active by that column
                                       of each, and by the mean of their standardised values
  ecoli.py bases GENES.gff.gz REGIONS.bed
                                       BED of a 180th of the regions' coding bases, by lot, for `godwit mutate -R`
  ecoli.py classes SCORED.vcf          AUROC of -GW_LLR of each class of changes (`godwit score --consequence`) beside synonymous
                                       ones, and the middle 95 % of 300 draws of blocks of 20 kb
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
SHARE_OF_BASES, BLOCK, DRAWS = 180, 20000, 300
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


def auroc(values, active):
    """Ties count a half."""
    order = sorted(values)
    ranks = [(bisect.bisect_left(order, value) + bisect.bisect_right(order, value) + 1) / 2 for value in values]
    positives = sum(active)
    above = sum(rank for rank, is_active in zip(ranks, active) if is_active) - positives * (positives + 1) / 2
    return above / (positives * (len(active) - positives))


def average_precision(values, active):
    hits, total = 0, 0.0
    for place, (_, is_active) in enumerate(sorted(zip(values, active), key=lambda pair: -pair[0]), 1):
        hits += is_active
        total += is_active * hits / place
    return total / hits


def read_column(path, column):
    with open(path) as lines:
        return [float(row[column]) for row in csv.DictReader(lines, delimiter="\t")]


def standardised(values):
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    return [(value - mean) / deviation for value in values]


def rate(column, table, paths):
    active = [int(value) for value in read_column(table, "active")]
    said = {path: read_column(path, column) for path in paths}
    said["mean"] = [sum(values) for values in zip(*map(standardised, said.values()))]
    for name, values in said.items():
        print(f"{name}\t{auroc(values, active):.4f}\t{average_precision(values, active):.4f}")


def draw_bases(genes, regions):
    """1-based places of coding bases within (contig, begin, end)."""
    coding = set()
    with gzip.open(genes, "rt") as lines:
        for fields in (line.split("\t") for line in lines if line[0] != "#"):
            for contig, begin, end in regions:
                if fields[0] == contig and fields[2] == "CDS":
                    coding.update((contig, place) for place in range(max(int(fields[3]), begin + 1), min(int(fields[4]), end) + 1))
    lot = random.Random(1)
    for contig, place in sorted(coding):
        if lot.randrange(SHARE_OF_BASES) == 0:
            print(f"{contig}\t{place - 1}\t{place}")


def read_bed(path):
    with open(path) as lines:
        return [(name, int(begin), int(end)) for name, begin, end in (line.split()[:3] for line in lines)]


def read_changes(path):
    """(block, class, -GW_LLR) of each change that has both."""
    with open(path) as lines:
        for contig, place, *_, info in (line.rstrip("\n").split("\t") for line in lines if line[0] != "#"):
            values = dict(item.split("=", 1) for item in info.split(";") if "=" in item)
            if "GW_LLR" in values and "GW_BCSQ" in values:
                yield (contig, int(place) // BLOCK), values["GW_BCSQ"].split("|")[0].split("&")[0], -float(values["GW_LLR"])


def rate_classes(path):
    blocks = {}
    for block, kind, value in read_changes(path):
        blocks.setdefault(block, []).append((kind, value))
    lot = random.Random(1)
    for wanted in ("stop_gained", "missense", "start_lost"):

        def of(drawn):
            kept = [(value, kind == wanted) for block in drawn for kind, value in blocks[block] if kind in (wanted, "synonymous")]
            values, told = zip(*kept)
            return (auroc(values, told) if any(told) and not all(told) else math.nan), sum(told), len(told) - sum(told)

        value, count, beside = of(list(blocks))
        draws = sorted(of(lot.choices(list(blocks), k=len(blocks)))[0] for _ in range(DRAWS))
        print(f"{wanted}\t{count}\tsynonymous {beside}\t{value:.3f}\t{draws[DRAWS // 40]:.3f}\t{draws[-1 - DRAWS // 40]:.3f}")


def main():
    if len(sys.argv) > 4 and sys.argv[1] == "rate":
        return rate(sys.argv[2], sys.argv[3], sys.argv[4:])
    if len(sys.argv) == 4 and sys.argv[1] == "bases":
        return draw_bases(sys.argv[2], read_bed(sys.argv[3]))
    if len(sys.argv) == 3 and sys.argv[1] == "classes":
        return rate_classes(sys.argv[2])
    makers = {"tables": make_tables, "folds": make_folds}
    if len(sys.argv) != 4 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    makers[sys.argv[1]](pathlib.Path(sys.argv[2]), out)


main()
