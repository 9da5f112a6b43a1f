#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`eval --frozen` against scikit-learn: the features of `godwit embed --pool mean`, StandardScaler and LogisticRegression
at every strength, the one of the least validation loss, its metrics on the test rows."""
import csv
import io
import os
import subprocess

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (accuracy_score, average_precision_score, f1_score, log_loss, matthews_corrcoef,
                             roc_auc_score)
from sklearn.preprocessing import StandardScaler

GODWIT = os.environ["GODWIT"]
# Two of the 300 test rows may lie so near to 0.5 that they fall on the other side of it.
BOUNDS = {"accuracy": 2 / 300, "F1": 2 / 300, "MCC": 4 / 300, "AUROC": 2e-4, "AUPRC": 2e-4}
STRENGTHS = [10.0**power for power in range(-4, 3)]


def godwit(*arguments):
    return subprocess.run([GODWIT, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def draw(name, rows, seed):
    """Windows whose label leans on what they are made of."""
    random = np.random.default_rng(seed)
    with open(f"{name}.tsv", "w", encoding="ascii") as out:
        print("sequence", "label", sep="\t", file=out)
        for _ in range(rows):
            bases = random.choice(list("ACGT"), 60, p=random.dirichlet([8] * 4))
            score = (bases == "A").sum() - (bases == "G").sum() + 4 * random.normal()
            print("".join(bases), int(score > 0), sep="\t", file=out)
    with open(f"{name}.tsv", encoding="ascii") as lines:
        return np.array([int(row["label"]) for row in csv.DictReader(lines, delimiter="\t")])


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


def kept_rows(seed, rows, site=10):
    """Those whose number below 10 is not 0."""
    return np.array([philox((0, row, 0, site), (seed, 0))[0] * 10 >> 32 != 0 for row in range(rows)])


def fit(x, y, strength):
    return LogisticRegression(C=1 / (strength * len(y)), max_iter=5000, tol=1e-7).fit(x, y)


def expected(x, labels, seed, has_valid):
    kept = kept_rows(seed, len(labels["train"]))
    train, y = x["train"][kept], labels["train"][kept]
    held, held_y = (x["valid"], labels["valid"]) if has_valid else (x["train"][~kept], labels["train"][~kept])
    scale = StandardScaler().fit(train)
    fits = [fit(scale.transform(train), y, strength) for strength in STRENGTHS]
    losses = [log_loss(held_y, each.predict_proba(scale.transform(held))) for each in fits]
    p, y = fits[int(np.argmin(losses))].predict_proba(scale.transform(x["test"]))[:, 1], labels["test"]
    return [accuracy_score(y, p >= 0.5), f1_score(y, p >= 0.5), matthews_corrcoef(y, p >= 0.5), roc_auc_score(y, p),
            average_precision_score(y, p)]


def check(x, labels, has_valid):
    valid = ["--valid", "valid.tsv"] if has_valid else []
    table = godwit("eval", "-q", "-m", "yeast", "--frozen", "train.tsv", *valid, "-d", "test.tsv")
    found = next(csv.DictReader(io.StringIO(table), delimiter="\t"))
    each = np.array([expected(x, labels, seed, has_valid) for seed in (1, 2, 3)])
    for i, (name, bound) in enumerate(BOUNDS.items()):
        difference = abs(float(found[name]) - each[:, i].mean())
        spread = abs(float(found[f"{name}_sd"]) - each[:, i].std(ddof=1))
        print(f"{'own' if has_valid else 'drawn'} validation rows: {name} differs by {difference:.1e}, its deviation by {spread:.1e}")
        assert difference < bound and spread < 2 * bound, found


def main():
    rows = {"train": 600, "valid": 200, "test": 300}
    labels = {name: draw(name, count, seed) for seed, (name, count) in enumerate(rows.items())}
    x = {name: features(name) for name in rows}
    for has_valid in (True, False):
        check(x, labels, has_valid)


main()
