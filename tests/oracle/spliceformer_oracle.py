#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The networks of human-splice as torch layers, and what they say of a piece of BRCA1.

usage: spliceformer_oracle.py STATE_DICTS MODEL_FOLDER

STATE_DICTS is a folder of Spliceformer's spliceai_encoder_10k_*.pt, MODEL_FOLDER what `godwit convert --from
spliceformer --dtype f16` made of it. Writes tests/data/splice/brca1.tsv: of bases of brca1.fa whose whole context lies
in it, on both strands, the probabilities of acceptor and donor by the state dicts as they are (f32), and by the folder's
weights, whose norms are joined with their statistics and whose values are f16.
Needs torch and numpy (checked with torch 2.15).
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

DATA = Path(__file__).resolve().parents[1] / "data/splice"
WIDTH, FLANK = 32, 5000
STAGES = ((11, 1), (11, 4), (21, 10), (41, 25))


class Unit(nn.Module):
    def __init__(self, taps, dilation):
        super().__init__()
        pad = dilation * (taps - 1) // 2
        self.bn1, self.bn2 = nn.BatchNorm1d(WIDTH), nn.BatchNorm1d(WIDTH)
        self.convlayer1 = nn.Conv1d(WIDTH, WIDTH, taps, dilation=dilation, padding=pad)
        self.convlayer2 = nn.Conv1d(WIDTH, WIDTH, taps, dilation=dilation, padding=pad)

    def forward(self, x):
        y = self.convlayer1(torch.relu(self.bn1(x)))
        return x + self.convlayer2(torch.relu(self.bn2(y)))


class Stage(nn.Module):
    def __init__(self, taps, dilation):
        super().__init__()
        self.comboBlock = nn.Sequential(*(Unit(taps, dilation) for _ in range(4)))

    def forward(self, x):
        return self.comboBlock(x)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv_layer_1 = nn.Conv1d(4, WIDTH, 1)
        self.skip_layers = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 1) for _ in range(5))
        self.res_layers = nn.ModuleList(Stage(*s) for s in STAGES)
        self.conv_final = nn.Conv1d(WIDTH, 3, 1)

    def forward(self, x):
        x = self.conv_layer_1(x)
        total = self.skip_layers[0](x)
        for stage, skip in zip(self.res_layers, self.skip_layers[1:]):
            x = stage(x)
            total = total + skip(x)
        return torch.softmax(self.conv_final(total), dim=1)


def from_state_dict(path):
    network = Network()
    state = torch.load(path, map_location="cpu", weights_only=True)
    network.load_state_dict({k.removeprefix("module."): v for k, v in state.items()})
    return network.eval()


def read_safetensors(path):
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    head, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    kinds = {"F16": np.float16, "F32": np.float32}
    return {
        name: np.frombuffer(data[t["data_offsets"][0] : t["data_offsets"][1]], kinds[t["dtype"]]).reshape(t["shape"]).astype(np.float32)
        for name, t in head.items()
        if name != "__metadata__"
    }


def from_folder(tensors, member, letters):
    """A norm of weight a and bias b is a batch norm of mean 0 and variance 1 - epsilon; convolutions lie [taps][out][in]."""
    network, state = Network(), {}
    own = {k.removeprefix(f"members.{member}."): v for k, v in tensors.items() if k.startswith(f"members.{member}.")}
    table = own["splice.embeddings.word_embeddings.weight"]
    state["conv_layer_1.bias"] = table[letters["N"]]
    state["conv_layer_1.weight"] = np.stack([table[letters[c]] - table[letters["N"]] for c in "ACGT"], axis=1)[:, :, None]

    def convolution(name, weight, bias):
        weight = weight if weight.ndim == 3 else weight[None]
        state[f"{name}.weight"], state[f"{name}.bias"] = weight.transpose(1, 2, 0), bias

    part = 0
    for stage in range(5):
        convolution(f"skip_layers.{stage}", own[f"splice.stem.{part}.output.weight"], own[f"splice.stem.{part}.output.bias"])
        part += 1
        for unit in range(4 if stage < 4 else 0):
            for half, (norm, conv) in enumerate((("convolution_norm", "convolution"), ("output_norm", "second_convolution")), 1):
                to = f"res_layers.{stage}.comboBlock.{unit}"
                convolution(f"{to}.convlayer{half}", own[f"splice.stem.{part}.{conv}.weight"], own[f"splice.stem.{part}.{conv}.bias"])
                state[f"{to}.bn{half}.weight"] = own[f"splice.stem.{part}.{norm}.weight"]
                state[f"{to}.bn{half}.bias"] = own[f"splice.stem.{part}.{norm}.bias"]
                state[f"{to}.bn{half}.running_mean"] = np.zeros(WIDTH, np.float32)
                state[f"{to}.bn{half}.running_var"] = np.full(WIDTH, 1 - 1e-5, np.float32)
                state[f"{to}.bn{half}.num_batches_tracked"] = np.array(0)
            part += 1
    convolution("conv_final", own["classifier.weight"], own["classifier.bias"])
    network.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in state.items()})
    return network.eval()


def probabilities(networks, bases):
    """[strand][base][acceptor, donor] of the bases with a whole context."""
    x = torch.zeros(1, 4, len(bases))
    for i, base in enumerate(bases):
        if base in "ACGT":
            x[0, "ACGT".index(base), i] = 1
    with torch.no_grad():
        plus = sum(n(x) for n in networks)[0] / len(networks)
        minus = sum(n(x.flip(1, 2)) for n in networks)[0].flip(1) / len(networks)
    return [p[1:, FLANK:-FLANK].T.numpy() for p in (plus, minus)]


def main():
    dicts, folder = Path(sys.argv[1]), Path(sys.argv[2])
    bases = "".join(line.strip() for line in open(DATA / "brca1.fa") if line[0] != ">").upper()
    tensors = read_safetensors(folder / "model.safetensors")
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    letters = {c: vocabulary[c] for c in "ACGTN"}
    theirs = probabilities([from_state_dict(p) for p in sorted(dicts.glob("*.pt"))], bases)
    stored = probabilities([from_folder(tensors, m, letters) for m in range(5)], bases)
    print("largest difference by f16:", max(float(np.abs(a - b).max()) for a, b in zip(theirs, stored)))
    with open(DATA / "brca1.tsv", "w", encoding="ascii") as out:
        out.write("position\tstrand\tacceptor\tdonor\tacceptor_f16\tdonor_f16\n")
        for strand, a, b in zip("+-", theirs, stored):
            for i in range(len(a)):
                if i % 25 == 0 or a[i].max() > 0.001:
                    out.write(f"{FLANK + i + 1}\t{strand}\t" + "\t".join(f"{v:.7f}" for v in (*a[i], *b[i])) + "\n")


if __name__ == "__main__":
    main()
