#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What stands beside Long Range Arena's tasks: the most frequent class; for pictures a logistic regression on pixels and a small
convolutional network (24 channels, residual 3 x 3 layers with dilations 1, 2, 4, 8 twice), in PyTorch, one thread.
  arena_baselines.py FOLDER [SECONDS [ROWS]]      (of each training; 120, all rows)"""
import gzip, sys, time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
CHANNELS, BATCH = 24, 64


def read(path, rows, pixels):
    texts, labels = [], []
    with gzip.open(path, "rt") as table:
        next(table)
        for line in table:
            fields = line.rstrip("\n").split("\t")
            labels.append(int(fields[-1]))
            if pixels:
                texts.append(torch.tensor(list(map(int, fields[0].split())), dtype=torch.uint8))
            if len(labels) == rows:
                break
    return torch.stack(texts) if pixels else None, torch.tensor(labels)


class Residual(nn.Module):
    def __init__(self, dilation):
        super().__init__()
        self.norm = nn.BatchNorm2d(CHANNELS)
        self.layer = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=dilation, dilation=dilation)

    def forward(self, x):
        return x + self.layer(F.relu(self.norm(x)))


class Pool(nn.Module):
    def forward(self, x):
        return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def network(classes):
    body = [nn.Conv2d(1, CHANNELS, 3, padding=1)] + [Residual(2 ** (i % 4)) for i in range(8)]
    return nn.Sequential(*body, nn.BatchNorm2d(CHANNELS), nn.ReLU(), Pool(), nn.Linear(2 * CHANNELS, classes))


def accuracy(model, x, y, shape):
    model.eval()
    with torch.inference_mode():
        right = sum((model(x[i : i + 256].float().div(255).reshape(shape)).argmax(1) == y[i : i + 256]).sum() for i in range(0, len(y), 256))
    model.train()
    return right.item() / len(y)


def train(name, model, data, shape, seconds, rate):
    (x, y), (test_x, test_y) = data
    optimiser = torch.optim.AdamW(model.parameters(), rate)
    began, steps = time.process_time(), 0
    while (spent := time.process_time() - began) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - spent / seconds)
        rows = torch.randint(len(y), (BATCH,))
        optimiser.zero_grad()
        F.cross_entropy(model(x[rows].float().div(255).reshape(shape)), y[rows]).backward()
        optimiser.step()
        steps += 1
    print(f"{name}\t{steps} steps of {BATCH}\t{seconds:.0f} s\ttest accuracy {accuracy(model, test_x, test_y, shape):.4f}", flush=True)


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 120
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else -1
    with gzip.open(f"{folder}/train.tsv.gz", "rt") as table:
        pixels = len(next(table).split("\t")) == 2 and all(v.isdigit() for v in next(table).split("\t")[0].split())
    torch.manual_seed(1)
    data = [read(f"{folder}/{split}.tsv.gz", rows, pixels) for split in ("train", "test")]
    counts = torch.bincount(data[0][1])
    print(f"most frequent class\t\t\ttest accuracy {(data[1][1] == counts.argmax()).float().mean():.4f}", flush=True)
    if not pixels:
        return
    classes = len(counts)
    train("logistic regression", nn.Linear(1024, classes), data, (-1, 1024), min(seconds, 20), 1e-2)
    train("convolutions", network(classes), data, (-1, 1, 32, 32), seconds, 3e-3)


main()
