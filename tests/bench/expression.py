#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measured promoters of yeast: the tables that docs/lab/yeast-expression.md trains and tests on, and what predictions say of
natural variants.

  expression.py tables MEASURED GENOME.fa.gz GODWIT OUT    OUT/{train,valid,test,snv,dream,natural}.tsv
  expression.py mutants TRAIN.tsv N                        N changed sequences of the training set: every third with one base
                                                           changed, of the others each base with probability 0.05
  expression.py taught TRAIN.tsv MUTANTS.tsv PREDICTIONS.tsv...
                                                           the training set, and behind it the mutants with the mean of what
                                                           several models say of them (`godwit predict -d MUTANTS.tsv`), NA
                                                           in columns of which they say nothing
  expression.py natural PREDICTIONS.tsv OUT/natural.tsv    of `godwit predict -d OUT/natural.tsv`: AUROC of causal variants by
                                                           the size of the predicted change, with bootstrap intervals
  expression.py shared PREDICTIONS.tsv TABLE.tsv COLUMN OVERLAPS.tsv
                                                           Pearson, and its square, of rows that `godwit overlaps --overlaps`
                                                           names, and of the others
Columns of sequences: tiles (tiles of native promoters, and random promoters of the same assay), complex and defined (random,
designed and drifted promoters in two media), NA where it was not measured. Flanks that are alike are cut off. Rows that share
31 bases with the measured single-base changes, and those that stand in DREAM's test set, leave training; chromosomes VII and
XIII test, XI validates.
"""
import csv
import gzip
import pathlib
import random
import subprocess
import sys

LEFT, RIGHT = "TGCATTTTTTTCACATC", "GGTTACGGCTGTT"
COLUMNS = ["sequence", "tiles", "complex", "defined"]
WINDOW, PLACES = 80, (15, 27, 40, 52, 65)
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def read_table(path):
    with gzip.open(path, "rt") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def read_genome(path):
    contigs, name = {}, None
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.startswith(">"):
                name = line[1:].split()[0]
                contigs[name] = []
            else:
                contigs[name].append(line.strip().upper())
    return {name: "".join(parts) for name, parts in contigs.items()}


def reverse(sequence):
    return sequence[::-1].translate(COMPLEMENT)


def write(path, columns, rows):
    with open(path, "w") as out:
        for row in [columns, *rows]:
            out.write("\t".join(map(str, row)) + "\n")


def insert(sequence):
    """What stands between the flanks; None where these are not whole."""
    begin, end = sequence.find(LEFT), sequence.rfind(RIGHT)
    return sequence[begin + len(LEFT) : end] if begin >= 0 and end >= begin + len(LEFT) else None


def native_tiles(measured, genome):
    """Rows of the tiles with both replicates by set, in the order of the file, as BED lines and as sequences."""
    sets = {"train": [], "valid": [], "test": []}
    for row in read_table(measured / "native_tiles_R64.tsv.gz"):
        chromosome = row["#chrom"]
        if "NA" in (row["rep1"], row["rep2"]) or chromosome == "Mito":
            continue
        sequence = genome[chromosome][int(row["start"]) : int(row["end"])]
        name = "test" if chromosome in ("VII", "XIII") else "valid" if chromosome == "XI" else "train"
        sets[name].append([reverse(sequence) if row["strand"] == "-" else sequence, row["expression"], "NA", "NA"])
    return sets


def made_promoters(measured):
    made = {}
    for column, medium in ((1, "complex"), (2, "defined")):
        for kind in ("random", "designed", "drifted"):
            for row in read_table(measured / f"{kind}_{medium}.tsv.gz"):
                sequence = insert(row["sequence"])
                if sequence:
                    made.setdefault(sequence, ["NA"] * 3)[column] = row["expression"]
    for row in read_table(measured / "random_native_flanked.tsv.gz"):
        if row["EL.combined"] != "NA":
            made.setdefault(insert(row["seq"]), ["NA"] * 3)[0] = row["EL.combined"]
    return [[sequence, *values] for sequence, values in made.items()]


def without_shared(godwit, rows, other, out):
    """Rows without those that share 31 bases in a row with the table `other`."""
    write(out / "all.tsv", COLUMNS, rows)
    subprocess.run([godwit, "overlaps", "-q", "-d", out / "all.tsv", "--with", other, "--clean", out / "kept.tsv"], check=True)
    with open(out / "kept.tsv") as lines:
        kept = [line.rstrip("\n").split("\t") for line in lines][1:]
    (out / "all.tsv").unlink()
    (out / "kept.tsv").unlink()
    return kept


def natural_windows(measured, genome):
    """Of each natural variant, by its smallest P, the window with REF and with ALT at five places."""
    best = {}
    for row in read_table(measured / "natural_promoter_variants.tsv.gz"):
        key = row["chr"], row["pos"], row["ref"], row["alt"]
        if key not in best or float(row["P.Value"]) < float(best[key]["P.Value"]):
            best[key] = row
    for row in best.values():
        contig, at = genome[row["chr"][3:]], int(row["pos"]) - 1
        causal = float(row["adj.P.Val"]) < 0.05
        if not causal and float(row["P.Value"]) <= 0.2:
            continue
        for place in PLACES:
            before, after = contig[at - place : at], contig[at + len(row["ref"]) : at + WINDOW]
            for allele in (row["ref"], row["alt"]):
                window = (before + allele + after)[:WINDOW]
                yield [reverse(window) if row["strand"] == "-" else window, row["variantID"], int(row["SNP"] == "True"),
                       int(causal), row["logFC"]]


def make_tables(measured, genome_path, godwit, out):
    out.mkdir(parents=True, exist_ok=True)
    genome = read_genome(genome_path)
    changes = read_table(measured / "native_snv_sequences.tsv.gz")
    write(out / "snv.tsv", [*COLUMNS, "element"],
          [[insert(row["sequence"]), "NA", row["expression_complex"] or "NA", row["expression_defined"] or "NA",
            row["element"]] for row in changes])
    dream = [[insert(row["sequence"]) or row["sequence"], "NA", row["expression"], "NA"]
             for row in read_table(measured / "dream2022_public.tsv.gz")]
    write(out / "dream.tsv", COLUMNS, dream)
    tested = {row[0] for row in dream}
    tiles = native_tiles(measured, genome)
    rows = without_shared(godwit, tiles["train"] + made_promoters(measured), out / "snv.tsv", out)
    write(out / "train.tsv", COLUMNS, [row for row in rows if row[0] not in tested])
    for name in ("valid", "test"):
        write(out / f"{name}.tsv", COLUMNS, tiles[name])
    write(out / "natural.tsv", ["sequence", "variant", "snv", "causal", "logFC"], natural_windows(measured, genome))


def change(generator, sequence, single):
    letters = list(sequence)
    if single:
        places = [generator.randrange(len(letters))]
    else:
        places = [place for place in range(len(letters)) if generator.random() < 0.05]
    for place in places:
        letters[place] = generator.choice([base for base in "ACGT" if base != letters[place]])
    return "".join(letters)


def print_mutants(train, count):
    generator = random.Random(7)
    with open(train) as lines:
        sequences = [line.split("\t")[0] for line in lines][1:]
    print("sequence")
    for number in range(count):
        print(change(generator, generator.choice(sequences), number % 3 == 0))


def read_predictions(path):
    with open(path) as lines:
        return [{label: float(value) for label, value in row.items() if label != "row"}
                for row in csv.DictReader(lines, delimiter="\t")]


def print_taught(train, mutants, predictions):
    said = [read_predictions(path) for path in predictions]
    with open(train) as lines:
        columns = lines.readline().split()[1:]
        lines.seek(0)
        sys.stdout.writelines(lines)
    with open(mutants) as lines:
        sequences = lines.read().split()[1:]
    for sequence, *rows in zip(sequences, *said, strict=True):
        means = (f"{sum(row[column] for row in rows) / len(rows):.4f}" if column in rows[0] else "NA" for column in columns)
        print(sequence, *means, sep="\t")


def auroc(scored):
    """Of (score, label) by ranks; ties count a half."""
    scored = sorted(scored)
    above, index = 0.0, 0
    while index < len(scored):
        end = index
        while end < len(scored) and scored[end][0] == scored[index][0]:
            end += 1
        above += sum(label for _, label in scored[index:end]) * (index + end + 1) / 2
        index = end
    positives = sum(label for _, label in scored)
    return (above - positives * (positives + 1) / 2) / (positives * (len(scored) - positives))


def interval(scored, draws=1000):
    generator = random.Random(1)
    values = []
    for _ in range(draws):
        sample = generator.choices(scored, k=len(scored))
        if 0 < sum(label for _, label in sample) < len(sample):
            values.append(auroc(sample))
    values.sort()
    return values[int(0.025 * len(values))], values[int(0.975 * len(values)) - 1]


def rate_natural(predictions, table):
    with open(table) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    levels = [row["tiles"] for row in read_predictions(predictions)]
    assert len(levels) == len(rows), (len(levels), len(rows))
    step = 2 * len(PLACES)
    for snv in (1, 0):
        scored, right, causal = [], 0, 0
        for first in range(0, len(rows), step):
            row = rows[first]
            if int(row["snv"]) != snv:
                continue
            change = sum(levels[first + 1 : first + step : 2]) - sum(levels[first : first + step : 2])
            scored.append((abs(change), int(row["causal"])))
            if int(row["causal"]):
                causal += 1
                right += (change > 0) == (float(row["logFC"]) > 0)
        low, high = interval(scored)
        print(f"{'SNVs' if snv else 'indels'}\t{causal} causal, {len(scored) - causal} others\tAUROC {auroc(scored):.3f} "
              f"({low:.3f} to {high:.3f})\tright direction {right / causal:.3f}")


def pearson(pairs):
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs))
    shared = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    return shared / (sum((x - mean_x) ** 2 for x, _ in pairs) * sum((y - mean_y) ** 2 for _, y in pairs)) ** 0.5


def rate_shared(predictions, table, column, overlaps, draws=300):
    with open(table) as lines:
        truth = [row[column] for row in csv.DictReader(lines, delimiter="\t")]
    with open(overlaps) as lines:
        shared = {int(row["row"]) for row in csv.DictReader(lines, delimiter="\t")}
    said = [row[column] for row in read_predictions(predictions)]
    rows = [(number in shared, (value, float(known)))
            for number, (value, known) in enumerate(zip(said, truth, strict=True), 1) if known != "NA"]
    for name, kept in (("all", (True, False)), ("share", (True,)), ("share nothing", (False,))):
        pairs = [pair for is_shared, pair in rows if is_shared in kept]
        if len(pairs) < 3:
            print(f"{name}\t{len(pairs)} rows")
            continue
        generator = random.Random(1)
        values = sorted(pearson(generator.choices(pairs, k=len(pairs))) for _ in range(draws))
        low, middle, high = values[int(0.025 * draws)], pearson(pairs), values[int(0.975 * draws) - 1]
        print(f"{name}\t{len(pairs)} rows\tPearson {middle:.3f} ({low:.3f} to {high:.3f})\tsquared {middle**2:.3f} "
              f"({low**2:.3f} to {high**2:.3f})")


def main():
    if len(sys.argv) == 6 and sys.argv[1] == "tables":
        make_tables(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4], pathlib.Path(sys.argv[5]))
    elif len(sys.argv) == 4 and sys.argv[1] == "mutants":
        print_mutants(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) > 4 and sys.argv[1] == "taught":
        print_taught(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif len(sys.argv) == 4 and sys.argv[1] == "natural":
        rate_natural(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 6 and sys.argv[1] == "shared":
        rate_shared(*sys.argv[2:])
    else:
        sys.exit(__doc__)


main()
