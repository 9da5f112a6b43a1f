#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""APARENT2 as torch layers, and what it says of signals that variants change.

usage: aparent_oracle.py WEIGHTS.h5

Writes tests/data/polya/entries.tsv: of each variant of variants.vcf and each signal of human-polya that it changes, on
either strand of genome.fa, the signal's six bases and log odds with REF and with ALT. Both sequences are built whole,
windows are cut from them, and the network is that of the Keras file. The rule by which a signal of one allele has a place in the
other is that of docs/reference/scores.md, stated here in coordinates that are read along the strand.
Needs torch, numpy and h5py (checked with torch 2.15).
"""
import sys
from pathlib import Path

import h5py
import numpy as np
import torch
from torch.nn import functional as F

DATA = Path(__file__).resolve().parents[1] / "data/polya"
SIGNALS = "AATAAA ATTAAA AGTAAA ACTAAA TATAAA CATAAA GATAAA AATATA AATACA AATAGA AATGAA AAGAAA".split()
WINDOW, AT, FROM, TO, LIBRARY = 205, 70, 77, 127, 11
TURNED = str.maketrans("ACGTN", "TGCAN")


class Network:
    def __init__(self, path):
        with h5py.File(path) as stored:
            self.tensors = {}
            stored["model_weights"].visititems(
                lambda name, of: self.tensors.update({name.split("/", 1)[1]: torch.tensor(of[()]).double()})
                if isinstance(of, h5py.Dataset) else None)

    def of(self, layer, field):
        return self.tensors[f"{layer}/{field}:0"]

    def convolve(self, x, layer, dilation=1):
        kernel = self.of(layer, "kernel")[0].permute(2, 1, 0)
        return F.conv1d(x, kernel, self.of(layer, "bias"), dilation=dilation, padding=(kernel.shape[2] // 2) * dilation)

    def normalise(self, x, layer):
        return F.batch_norm(x, self.of(layer, "moving_mean"), self.of(layer, "moving_variance"), self.of(layer, "gamma"),
                            self.of(layer, "beta"), eps=1e-3)

    def odds(self, sequences):
        x = torch.zeros(len(sequences), 4, WINDOW, dtype=torch.double)
        for row, bases in enumerate(sequences):
            for place, base in enumerate(bases):
                x[row, :, place] = torch.tensor([0.25 if base == "N" else float(base == c) for c in "ACGT"])
        x, total = self.convolve(x, "aparent_conv_0"), 0
        for group, dilation in enumerate((1, 2, 4, 8, 4, 2, 1)):
            total = total + self.convolve(x, f"aparent_skip_conv_{group}")
            for unit in range(4):
                y = x
                for half in range(2):
                    name = f"aparent_resblock_{group}_{unit}_"
                    y = torch.relu(self.normalise(y, f"{name}batch_norm_{half}"))
                    y = self.convolve(y, f"{name}conv_{half}", dilation)
                x = x + y
        total = total + self.convolve(x, "aparent_last_block_conv")
        logits = F.pad(self.convolve(total, "aparent_final_conv")[:, 0], (0, 1))
        logits = logits + self.of("aparent_lib_conv", "kernel")[:, LIBRARY, 0] + self.of("aparent_lib_conv", "bias")[0, :, 0]
        share = torch.softmax(logits, 1)[:, FROM:TO].sum(1)
        return torch.log(share / (1 - share)).tolist()


def other_place(at, begin, count, other_count, other):
    """Where a signal at `at` of one allele, whose bases [begin, begin + count) differ, stands in the other one."""
    end, behind = begin + count, at + other_count - count
    if at + 6 <= begin:
        return at
    if at >= end:
        return behind
    for place in (at, behind):
        if other[place:place + 6] in SIGNALS:
            return place
    return at if at < begin else begin + min(at - begin, other_count)


def changed_signals(contig, position, ref, alt):
    """Pairs of windows of a variant (0-based): strand, the first base read (in REF, from POS), both windows."""
    start = 0
    while len(ref) > 1 and len(alt) > 1 and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while start < min(len(ref), len(alt)) and ref[start] == alt[start]:
        start += 1
    begin, ref, alt = position + start, ref[start:], alt[start:]
    pad = "N" * 2 * WINDOW
    whole = [pad + contig[:begin] + allele + contig[begin + len(ref):] + pad for allele in (ref, alt)]
    for strand in "+-":
        alleles, first = whole, begin + len(pad)
        if strand == "-":
            alleles = [bases[::-1].translate(TURNED) for bases in whole]
            first = len(whole[0]) - first - len(ref)
        counts, pairs = (len(ref), len(alt)), set()
        for i in range(2):
            for at in range(AT, len(alleles[i]) - WINDOW):
                if alleles[i][at:at + 6] in SIGNALS:
                    to = other_place(at, first, counts[i], counts[1 - i], alleles[1 - i])
                    pairs.add((at, to) if i == 0 else (to, at))
        for pair in sorted(pairs):
            windows = [bases[at - AT:at - AT + WINDOW] for bases, at in zip(alleles, pair)]
            if windows[0] != windows[1]:
                forward = pair[0] if strand == "+" else len(whole[0]) - 1 - pair[0]
                yield strand, forward - len(pad) - position, windows


def main():
    network = Network(sys.argv[1])
    lines = (DATA / "genome.fa").read_text().split("\n")
    contig = "".join(line for line in lines if not line.startswith(">"))
    with open(DATA / "entries.tsv", "w") as out:
        print("id\tstrand\tat\tref\talt\tref_odds\talt_odds", file=out)
        for line in (DATA / "variants.vcf").read_text().splitlines():
            if line.startswith("#"):
                continue
            _, position, name, ref, alt = line.split("\t")[:5]
            for strand, at, windows in changed_signals(contig, int(position) - 1, ref, alt):
                odds = network.odds(windows)
                hexamers = [window[AT:AT + 6] for window in windows]
                print(name, strand, at, *hexamers, *(f"{value:.7f}" for value in odds), sep="\t", file=out)


main()
