# SPDX-License-Identifier: MIT
"""The network of `finetune --task bases --stem letters:W+skip+leaky-unit:T@D,...+skip` in torch, trained and rated on the
same set: bases_peer.py SET GENOME.fa.gz OUT --taps 7 --dilations 1,3,9,27,81 --steps N --batch B --rate R

Convolutions, scales, shifts, the optimiser, its schedule and the loss are godwit's, weights and the order of windows are
torch's own. OUT is the table of `godwit eval`, by scikit-learn's average precision. Needs torch, numpy and scikit-learn.
"""
import argparse
import gzip
import time

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch.nn import functional

parser = argparse.ArgumentParser()
parser.add_argument("set")
parser.add_argument("genome")
parser.add_argument("out")
for name, usual in [("taps", 7), ("steps", 2000), ("batch", 3), ("width", 32), ("seed", 1)]:
    parser.add_argument("--" + name, type=int, default=usual)
parser.add_argument("--dilations", default="1,3,9,27,81")
parser.add_argument("--rate", type=float, default=0.003)
options = parser.parse_args()
dilations = [int(d) for d in options.dilations.split(",")]
FLANK = (options.taps - 1) * sum(dilations)
torch.manual_seed(options.seed)
torch.set_num_threads(1)


def lines(path):
    with gzip.open(path, "rt") as file:
        yield from (line.rstrip("\n") for line in file)


genome, name = {}, None
for line in lines(options.genome):
    if line.startswith(">"):
        name = line[1:].split()[0]
        genome[name] = []
    else:
        genome[name].append(line.upper())
codes = np.full(256, 4, np.uint8)
codes[[ord(c) for c in "ACGT"]] = range(4)
genome = {name: codes[np.frombuffer("".join(text).encode(), np.uint8)] for name, text in genome.items()}
classes = ["none"] + [line.split("\t")[0] for line in open(options.set + ".names.tsv")][1:]
label = {strand: {name: np.zeros(len(text), np.uint8) for name, text in genome.items()} for strand in "+-"}
for line in lines(options.set + ".classes.bed.gz"):
    contig, begin, end, kind, _, strand = line.split("\t")
    label[strand][contig][int(begin) : int(end)] = classes.index(kind)
windows = {"train": [], "valid": [], "test": []}
for line in lines(options.set + ".bed.gz"):
    contig, begin, end, split, _, strand = line.split("\t")
    windows[split].append((contig, int(begin), int(end), strand))


def cut(window):
    """One-hot rows [4][bases with flanks], and classes, in the direction of the strand."""
    contig, begin, end, strand = window
    bases = np.full(end - begin + 2 * FLANK, 4, np.uint8)
    first, last = max(begin - FLANK, 0), min(end + FLANK, len(genome[contig]))
    bases[first - begin + FLANK : last - begin + FLANK] = genome[contig][first:last]
    kinds = label[strand][contig][begin:end]
    if strand == "-":
        bases, kinds = np.where(bases < 4, 3 - bases, 4)[::-1], kinds[::-1]
    return (bases[None] == np.arange(4)[:, None]).astype(np.float32), kinds.astype(np.int64)


class Affine(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale, self.shift = torch.nn.Parameter(torch.ones(width, 1)), torch.nn.Parameter(torch.zeros(width, 1))

    def forward(self, x):
        return functional.leaky_relu(x * self.scale + self.shift, 0.1)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        width = options.width
        self.letters, self.first, self.last = (torch.nn.Conv1d(n, width, 1) for n in (4, width, width))
        self.units = torch.nn.ModuleList(
            torch.nn.Sequential(*(layer for _ in range(2) for layer in (Affine(width), torch.nn.Conv1d(
                width, width, options.taps, dilation=d, padding="same")))) for d in dilations)
        self.head = torch.nn.Conv1d(width, len(classes), 1)

    def forward(self, x):
        x = self.letters(x)
        skip = self.first(x)
        for unit in self.units:
            x = x + unit(x)
        return self.head((skip + self.last(x))[:, :, FLANK:-FLANK])


network = Network()
with torch.no_grad():
    for part in network.modules():
        if isinstance(part, torch.nn.Conv1d):
            part.weight.normal_(0, (part.in_channels * part.kernel_size[0]) ** -0.5)
            part.bias.zero_()
    frequency = sum(np.bincount(label[w[3]][w[0]][w[1] : w[2]], minlength=len(classes)) for w in windows["train"])
    network.head.bias.copy_(torch.from_numpy(np.log(np.maximum(frequency / frequency.sum(), 1e-6))))
matrices = [p for p in network.parameters() if p.dim() == 3]
others = [p for p in network.parameters() if p.dim() != 3]
optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}],
                              lr=options.rate, eps=1e-6)
warm = max(options.steps // 10, 1)
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimiser, lambda s: min((s + 1) / warm, (options.steps - s) / max(options.steps - warm, 1)))
draw, order, begun = np.random.default_rng(options.seed), [], time.time()
for step in range(options.steps):
    if len(order) < options.batch:
        order = list(draw.permutation(len(windows["train"])))
    batch = [cut(windows["train"][order.pop()]) for _ in range(options.batch)]
    loss, bases = 0, sum(len(kinds) for _, kinds in batch)
    for length in {len(kinds) for _, kinds in batch}:
        some = [item for item in batch if len(item[1]) == length]
        logits = network(torch.from_numpy(np.stack([x for x, _ in some])))
        loss = loss + functional.cross_entropy(logits, torch.from_numpy(np.stack([y for _, y in some])), reduction="sum") / bases
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1)
    optimiser.step()
    schedule.step()
    if step % 100 == 99:
        print(f"step {step + 1}, loss {float(loss.detach()):.4f}, {time.time() - begun:.0f} s", flush=True)
spent = time.time() - begun
network.eval()
rows, truth = [], []
with torch.no_grad():
    for window in windows["test"]:
        x, kinds = cut(window)
        rows.append(torch.softmax(network(torch.from_numpy(x)[None])[0], 0).numpy().T)
        truth.append(kinds)
rows, truth = np.concatenate(rows), np.concatenate(truth)
with open(options.out, "w") as out:
    out.write(f"# {options.steps} steps in {spent:.0f} s\n")
    for c in range(1, len(classes)):
        is_class, sites = truth == c, int((truth == c).sum())
        called = np.argpartition(rows[:, c], -sites)[-sites:]
        out.write(f"torch\t{classes[c]}\t{len(truth)}\t{sites}\t{average_precision_score(is_class, rows[:, c]):.6f}\t"
                  f"{is_class[called].mean():.6f}\n")
