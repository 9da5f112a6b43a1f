#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A plain CNN in PyTorch (0.9 million weights) on the tables of expression.py, which docs/lab/yeast-expression.md sets godwit's
networks beside.

  expression_peer.py TABLES [EPOCHS [SEED]]        TABLES/{train,valid,test,snv}.tsv; 7 epochs, seed 1

One-hot of 80 bases, a convolution of 15 taps to 128 channels, two residual blocks of 7 taps (dilations 1 and 2), pooling by 2,
two of 5, pooling by 2, one of 5, flattened, a dense layer of 128, and a number for each column. Squared errors of standardised
numbers, NA left out; AdamW, one cycle to 2e-3, weight decay 0.02, dropout 0.3 and 0.2, batches of 128; the last weights.
Pearson of tiles, of the changes' levels in each medium, and within their elements.
"""
import csv
import sys
import time

import numpy as np
import torch
from torch import nn

COLUMNS, WINDOW, CHANNELS, BATCH = ("tiles", "complex", "defined"), 80, 128, 128


def read(path):
    with open(path) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    letters = np.zeros((len(rows), 4, WINDOW), np.float32)
    for number, row in enumerate(rows):
        for place, letter in enumerate(row["sequence"][:WINDOW]):
            if letter in "ACGT":
                letters[number, "ACGT".index(letter), place] = 1
    values = np.array([[float("nan") if row[name] == "NA" else float(row[name]) for name in COLUMNS] for row in rows], np.float32)
    return torch.from_numpy(letters), values, [row.get("element") for row in rows]


class Residual(nn.Module):
    def __init__(self, taps, dilation):
        super().__init__()
        self.layers = nn.Sequential(nn.BatchNorm1d(CHANNELS), nn.GELU(), nn.Conv1d(CHANNELS, CHANNELS, taps, padding="same", dilation=dilation),
                                    nn.BatchNorm1d(CHANNELS), nn.GELU(), nn.Conv1d(CHANNELS, CHANNELS, 1))

    def forward(self, x):
        return x + self.layers(x)


def network():
    return nn.Sequential(nn.Conv1d(4, CHANNELS, 15, padding="same"), Residual(7, 1), Residual(7, 2), nn.MaxPool1d(2), Residual(5, 1),
                         Residual(5, 1), nn.MaxPool1d(2), Residual(5, 1), nn.BatchNorm1d(CHANNELS), nn.GELU(), nn.Flatten(), nn.Dropout(0.3),
                         nn.Linear(CHANNELS * WINDOW // 4, 128), nn.GELU(), nn.Dropout(0.2), nn.Linear(128, len(COLUMNS)))


def train(model, letters, values, epochs):
    """Standardised by the training rows' means and deviations, which are returned."""
    mean, deviation = np.nanmean(values, 0), np.nanstd(values, 0)
    wanted = torch.from_numpy((values - mean) / deviation)
    steps = epochs * (len(letters) // BATCH)
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps)
    model.train()
    for _ in range(epochs):
        order = torch.randperm(len(letters))
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[begin : begin + BATCH]
            known = ~wanted[rows].isnan()
            error = (model(letters[rows]) - wanted[rows])[known].square().mean()
            optimiser.zero_grad()
            error.backward()
            optimiser.step()
            schedule.step()
    return mean, deviation


def predict(model, letters):
    model.eval()
    with torch.inference_mode():
        return torch.cat([model(part) for part in letters.split(1024)]).numpy()


def pearson(a, b):
    return np.corrcoef(a, b)[0, 1]


def within(a, b, groups):
    """One Pearson of both less their means over the group."""
    for group in set(groups):
        rows = np.array([one == group for one in groups])
        a[rows] -= a[rows].mean()
        b[rows] -= b[rows].mean()
    return pearson(a, b)


def main():
    folder, epochs, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = network()
    print(f"{sum(p.numel() for p in model.parameters()):,} weights", flush=True)
    began = time.process_time()
    train(model, *read(f"{folder}/train.tsv")[:2], epochs)
    print(f"{time.process_time() - began:.0f} s of a processor", flush=True)
    for name in ("valid", "test", "snv"):
        letters, values, groups = read(f"{folder}/{name}.tsv")
        said = predict(model, letters)
        for output, column in ((o, c) for c in range(len(COLUMNS)) for o in range(len(COLUMNS))):
            rows = ~np.isnan(values[:, column])
            if not rows.any() or (name != "snv" and output != column):
                continue
            line = f"{name}\t{COLUMNS[column]} by {COLUMNS[output]}\t{rows.sum()}\t{pearson(said[rows, output], values[rows, column]):.4f}"
            if name == "snv":
                kept = [group for group, row in zip(groups, rows) if row]
                line += f"\t{within(said[rows, output].copy(), values[rows, column].copy(), kept):.4f}"
            print(line, flush=True)


main()
