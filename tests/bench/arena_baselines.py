#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What stands beside Long Range Arena's tasks: the most frequent class; for pictures a logistic regression on pixels and a small
residual convolutional network (pictures turned and mirrored by lot, bf16), in PyTorch, one thread.

  arena_baselines.py [EASIER:SECONDS ...] FOLDER[:SECONDS]

SECONDS: of the network's training (120). It learns easier pictures first, each folder with those before it; all else is of the last folder."""
import gzip
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
CHANNELS, BLOCKS, BATCH = 32, 8, 64
WARMUP = 30  # seconds


def read(path, pixels):
    texts, labels = [], []
    with gzip.open(path, "rt") as table:
        next(table)
        for line in table:
            fields = line.rstrip("\n").split("\t")
            labels.append(int(fields[-1]))
            if pixels:
                texts.append(torch.tensor(list(map(int, fields[0].split())), dtype=torch.uint8))
    return torch.stack(texts).reshape(-1, 1, 32, 32) if pixels else None, torch.tensor(labels)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [(nn.BatchNorm2d(CHANNELS), nn.ReLU(), nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)) for _ in range(2)]
        self.layers = nn.Sequential(*layers[0], *layers[1])

    def forward(self, x):
        return x + self.layers(x)


class Pool(nn.Module):
    def forward(self, x):
        return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def network(classes):
    stem = [nn.Conv2d(1, CHANNELS, 5, padding=2, bias=False), nn.BatchNorm2d(CHANNELS), nn.ReLU(),
            nn.Conv2d(CHANNELS, CHANNELS, 3, stride=2, padding=1, bias=False)]
    body = [Residual() for _ in range(BLOCKS)]
    return nn.Sequential(*stem, *body, nn.BatchNorm2d(CHANNELS), nn.ReLU(), Pool(), nn.Linear(2 * CHANNELS, classes))


def logits(model, pictures):
    x = pictures.float().div(255).contiguous(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        return model(x).float()


def turned(pictures):
    """By one of the square's eight symmetries."""
    way = int(torch.randint(8, (1,)))
    pictures = torch.rot90(pictures, way % 4, (2, 3))
    return pictures.transpose(2, 3) if way >= 4 else pictures


def accuracy(model, pictures, labels):
    model.eval()
    with torch.inference_mode():
        right = sum((logits(model, pictures[i : i + 256]).argmax(1) == labels[i : i + 256]).sum() for i in range(0, len(labels), 256))
    model.train()
    return right.item() / len(labels)


def train(model, optimiser, sets, seconds, rate, view):
    """The steps that the time held; the rate rises for half a minute and then falls to a tenth. Every second step, and its share of the
    others, is of the last set."""
    began, steps = time.process_time(), 0
    while (spent := time.process_time() - began) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, spent / WARMUP) * (1 - 0.9 * spent / seconds)
        pictures, labels = sets[-1 if steps % 2 else int(torch.randint(len(sets), (1,)))]
        rows = torch.randint(len(labels), (BATCH,))
        loss = F.cross_entropy(logits(model, view(pictures[rows])), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        steps += 1
    return steps


def has_pixels(folder):
    with gzip.open(f"{folder}/train.tsv.gz", "rt") as table:
        next(table)
        fields = next(table).split("\t")
    return len(fields) == 2 and len(fields[0].split()) == 1024 and all(word.isdigit() for word in fields[0].split())


def compare(stages):
    """The network through all stages; the others on the last one."""
    folder, pixels = stages[-1][0], has_pixels(stages[-1][0])
    task, test = (read(f"{folder}/{split}.tsv.gz", pixels) for split in ("train", "test"))
    counts = torch.bincount(task[1])
    print(f"most frequent class\t\t\ttest accuracy {(test[1] == counts.argmax()).float().mean():.4f}", flush=True)
    if not pixels:
        return
    torch.manual_seed(1)
    linear = nn.Sequential(nn.Flatten(), nn.Linear(1024, len(counts)))
    optimiser = torch.optim.AdamW(linear.parameters())
    steps = train(linear, optimiser, [task], 60, 1e-2, lambda pictures: pictures)
    print(f"logistic regression\t{steps} steps of {BATCH}\t60 s\ttest accuracy {accuracy(linear, *test):.4f}", flush=True)
    model = network(len(counts)).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(model.parameters())
    sets = []
    for place, seconds in stages:
        sets.append(task if place == folder else read(f"{place}/train.tsv.gz", True))
        steps = train(model, optimiser, sets, seconds, 1e-3 if sets[1:] else 2e-3, turned)
        right = accuracy(model, *read(f"{place}/test.tsv.gz", True))
        print(f"convolutions, {place}\t{steps} steps of {BATCH}\t{seconds:.0f} s\ttest accuracy {right:.4f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    stages = [(*text.split(":"), "120")[:2] for text in sys.argv[1:]]
    compare([(folder, float(seconds)) for folder, seconds in stages])


main()
