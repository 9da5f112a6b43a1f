#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`eval --frozen` against scikit-learn: the features of `godwit embed --pool mean`, StandardScaler and LogisticRegression
at every strength, the one of the least validation loss, its metrics on the test rows; of numbers Ridge likewise."""
import csv
import io
import os
import pathlib
import re
import subprocess

import numpy as np
from scipy.stats import pearsonr, spearmanr
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (accuracy_score, average_precision_score, f1_score, log_loss, matthews_corrcoef, r2_score,
                             roc_auc_score)
from sklearn.preprocessing import StandardScaler

GODWIT = os.environ["GODWIT"]
# Two of the 300 test rows may lie so near to 0.5 that they fall on the other side of it.
BOUNDS = {"accuracy": 2 / 300, "F1": 2 / 300, "MCC": 4 / 300, "AUROC": 2e-4, "AUPRC": 2e-4}
OF_NUMBERS = {"pearson": 1e-4, "spearman": 1e-4, "R2": 1e-4}
SITES = (pathlib.Path(__file__).resolve().parents[2] / "lib/base/random.h").read_text(encoding="ascii")
STRENGTHS = [10.0**power for power in range(-4, 3)]


def godwit(*arguments):
    return subprocess.run([GODWIT, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def draw(name, rows, seed):
    """Windows whose label, and number, lean on what they are made of."""
    random, numbers = np.random.default_rng(seed), []
    with open(f"{name}.tsv", "w", encoding="ascii") as out:
        print("sequence", "label", sep="\t", file=out)
        for _ in range(rows):
            bases = random.choice(list("ACGT"), 60, p=random.dirichlet([8] * 4))
            score = (bases == "A").sum() - (bases == "G").sum() + 4 * random.normal()
            print("".join(bases), int(score > 0), sep="\t", file=out)
            numbers.append(score)
    with open(f"{name}.numbers.tsv", "w", encoding="ascii") as out, open(f"{name}.tsv", encoding="ascii") as lines:
        print("sequence", "number", sep="\t", file=out)
        for row, score in zip(csv.DictReader(lines, delimiter="\t"), numbers):
            print(row["sequence"], f"{score:.6g}", sep="\t", file=out)
    with open(f"{name}.tsv", encoding="ascii") as lines:
        labels = [int(row["label"]) for row in csv.DictReader(lines, delimiter="\t")]
    return np.array(labels), np.array([float(f"{score:.6g}") for score in numbers])


def features(name):
    godwit("embed", "-q", "-m", "yeast", "-d", f"{name}.tsv", "--text", "sequence", "--pool", "mean", "-o", f"{name}.npy")
    return np.load(f"{name}.npy").astype(float)


def philox(counter, key):
    """Philox 4x32-10, which says the rows that a seed leaves out."""
    c, k, mask = list(counter), list(key), 2**32 - 1
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & mask, (p0 >> 32) ^ c[3] ^ k[1], p0 & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def kept_rows(seed, rows):
    """Those whose number below 10 is not 0."""
    site = int(re.search(r"GW_SITE_PROBE = (\d+)", SITES)[1])
    return np.array([philox((0, row, 0, site), (seed, 0))[0] * 10 >> 32 != 0 for row in range(rows)])


def fit(x, y, strength):
    return LogisticRegression(C=1 / (strength * len(y)), max_iter=5000, tol=1e-7).fit(x, y)


def shares(x, labels, seed, has_valid):
    """Features, standardised, and labels of the rows that are fitted, that choose, and that are rated."""
    kept = kept_rows(seed, len(labels["train"]))
    train, y = x["train"][kept], labels["train"][kept]
    held, held_y = (x["valid"], labels["valid"]) if has_valid else (x["train"][~kept], labels["train"][~kept])
    scale = StandardScaler().fit(train)
    return (scale.transform(train), y), (scale.transform(held), held_y), (scale.transform(x["test"]), labels["test"])


def expected_numbers(x, numbers, seed, has_valid):
    (train, y), (held, held_y), (test, test_y) = shares(x, numbers, seed, has_valid)
    fits = [Ridge(alpha=strength * len(y)).fit(train, y) for strength in STRENGTHS]
    losses = [np.mean((held_y - each.predict(held)) ** 2) for each in fits]
    p = fits[int(np.argmin(losses))].predict(test)
    return [pearsonr(test_y, p)[0], spearmanr(test_y, p)[0], r2_score(test_y, p)]


def expected(x, labels, seed, has_valid):
    (train, y), (held, held_y), (test, test_y) = shares(x, labels, seed, has_valid)
    fits = [fit(train, y, strength) for strength in STRENGTHS]
    losses = [log_loss(held_y, each.predict_proba(held)) for each in fits]
    p, y = fits[int(np.argmin(losses))].predict_proba(test)[:, 1], test_y
    return [accuracy_score(y, p >= 0.5), f1_score(y, p >= 0.5), matthews_corrcoef(y, p >= 0.5), roc_auc_score(y, p),
            average_precision_score(y, p)]


def check(x, labels, has_valid, numbers):
    end = ".numbers.tsv" if numbers else ".tsv"
    options = (["--valid", f"valid{end}"] if has_valid else []) + (["--numbers"] if numbers else [])
    table = godwit("eval", "-q", "-m", "yeast", "--frozen", f"train{end}", *options, "-d", f"test{end}")
    found = next(csv.DictReader(io.StringIO(table), delimiter="\t"))
    by = expected_numbers if numbers else expected
    each = np.array([by(x, labels, seed, has_valid) for seed in (1, 2, 3)])
    for i, (name, bound) in enumerate((OF_NUMBERS if numbers else BOUNDS).items()):
        difference = abs(float(found[name]) - each[:, i].mean())
        spread = abs(float(found[f"{name}_sd"]) - each[:, i].std(ddof=1))
        print(f"{'own' if has_valid else 'drawn'} validation rows: {name} differs by {difference:.1e}, its deviation by {spread:.1e}")
        assert difference < bound and spread < 2 * bound, found


def main():
    rows = {"train": 600, "valid": 200, "test": 300}
    drawn = {name: draw(name, count, seed) for seed, (name, count) in enumerate(rows.items())}
    x = {name: features(name) for name in rows}
    for numbers in (False, True):
        for has_valid in (True, False):
            check(x, {name: each[numbers] for name, each in drawn.items()}, has_valid, numbers)


main()
