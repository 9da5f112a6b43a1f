#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds models with ETC to a dense statement of etcmodel's layers in torch, in double precision.

Written from the description (Ainslie et al., 2020; docs/reference/patterns.md): two streams, which are computed apart. Long
queries have one softmax over the long keys, -10,000 added to those beyond the radius, and all global ones; global
queries one over global and long keys, -10,000 added to those outside of their segments where the mask is hard. The ids
of all pairs are looked up in the stream's own tables. A BERT of random weights is converted with --to etc, which is a
test of that, and gets tables of random numbers. Hidden states agree within 2e-5, gradients of the loss of masked
tokens within 1e-4 of each tensor's length.
"""
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

from compiled import compile_program

GODWIT = os.environ["GODWIT"]
LAYERS, HEADS, WIDTH, WIDE, WORDS, POSITIONS = 2, 4, 32, 48, 90, 1024
CASES = [  # pattern, lengths of the sequences of a batch
    ("etc:84", [600, 33]),
    ("etc:84+hard", [1024]),
    ("etc:20+segment:27+distance:5", [300, 1, 129]),
    ("etc:7+segment:16+globals:9+distance:1+hard", [400, 64, 5]),
    ("etc:169+segment:100+distance:42+block:32", [700]),
    ("etc:20+hard+two-outputs", [300, 40]),
    ("etc:84+segment:20+two-feed-forwards", [500]),
    ("etc:9+segment:16+distance:3+hard+two-outputs+two-feed-forwards", [200, 1, 77]),
]


def numbers(pattern):
    parts = dict((part.split(":") + ["1"])[:2] for part in pattern.split("+"))
    usual = {"etc": 84, "segment": 32, "globals": 256, "distance": 12}
    return {**{name: int(parts.get(name, value)) for name, value in usual.items()}, "hard": "hard" in parts}


def own_layers(pattern):
    return "".join("+" + word for word in ("two-outputs", "two-feed-forwards") if word in pattern.split("+"))


def make_bert(folder):
    torch.manual_seed(1)
    shapes = {"embeddings.word_embeddings.weight": (WORDS, WIDTH), "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
              "embeddings.token_type_embeddings.weight": (2, WIDTH), "embeddings.LayerNorm": None}
    for layer in range(LAYERS):
        before = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[before + name + ".weight"] = (WIDTH, WIDTH)
        shapes[before + "intermediate.dense.weight"] = (WIDE, WIDTH)
        shapes[before + "output.dense.weight"] = (WIDTH, WIDE)
        shapes[before + "attention.output.LayerNorm"] = shapes[before + "output.LayerNorm"] = None
    tensors = {}
    for name, shape in shapes.items():
        if shape is None:
            tensors[f"bert.{name}.weight"] = 1 + 0.2 * torch.randn(WIDTH)
            tensors[f"bert.{name}.bias"] = 0.2 * torch.randn(WIDTH)
            continue
        tensors["bert." + name] = torch.randn(shape) * (1 if "embeddings" in name else 1 / math.sqrt(shape[1]))
        if "embeddings" not in name:
            tensors["bert." + name.replace(".weight", ".bias")] = 0.2 * torch.randn(shape[0])
    head = "cls.predictions."
    tensors[head + "transform.dense.weight"] = torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH)
    tensors[head + "transform.dense.bias"] = 0.2 * torch.randn(WIDTH)
    tensors[head + "transform.LayerNorm.weight"] = 1 + 0.2 * torch.randn(WIDTH)
    tensors[head + "transform.LayerNorm.bias"] = 0.2 * torch.randn(WIDTH)
    tensors[head + "bias"] = 0.2 * torch.randn(WORDS)
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"word{i}" for i in range(5, WORDS)]
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in words))
    (folder / "config.json").write_text(json.dumps(
        {"architectures": ["BertForMaskedLM"], "model_type": "bert", "vocab_size": WORDS, "hidden_size": WIDTH,
         "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": WIDE, "hidden_act": "gelu",
         "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0,
         "sep_token_id": 3, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}))


def give_pattern(folder, pattern):
    """Another pattern, tables of random numbers that fit it, and layers of global tokens that are no copies any more."""
    config = json.loads((folder / "config.json").read_text())
    assert config["godwit"]["pattern"] == "etc:84+hard" + own_layers(pattern), config
    config["godwit"]["pattern"] = pattern
    (folder / "config.json").write_text(json.dumps(config))
    tensors = load_file(folder / "model.safetensors")
    ids = 2 * numbers(pattern)["distance"] + 4
    torch.manual_seed(2)
    for layer in range(LAYERS):
        name = f"bert.encoder.layer.{layer}.attention.self.relative_"
        assert not tensors[name + "embedding.weight"].any() and not tensors[name + "bias.weight"].any()
        tensors[name + "embedding.weight"] = torch.randn(2 * ids, WIDTH)
        tensors[name + "bias.weight"] = torch.randn(2 * ids, HEADS)
    for name in tensors:
        if "beside." in name:
            assert torch.equal(tensors[name], tensors[name.replace("beside.", "")]), name
            tensors[name] = tensors[name] + 0.3 * tensors[name].std() * torch.randn(tensors[name].shape) + 0.01
    assert any("beside." in name for name in tensors) == bool(own_layers(pattern))
    save_file(tensors, folder / "model.safetensors")


def distance_ids(count, most):
    apart = torch.arange(count)[None, :] - torch.arange(count)[:, None]
    return torch.where(apart >= 0, apart.clamp(max=most), most + (-apart).clamp(max=most))


class Statement:
    def __init__(self, tensors, pattern):
        self.weight = {name: value.double().requires_grad_() for name, value in tensors.items()}
        self.of = numbers(pattern)

    def linear(self, name, x):
        return functional.linear(x, self.weight[name + ".weight"], self.weight[name + ".bias"])

    def norm(self, name, x):
        return functional.layer_norm(x, (WIDTH,), self.weight[name + ".weight"], self.weight[name + ".bias"], 1e-12)

    def own(self, before, name):
        """A layer of global tokens, where these have it."""
        beside = before + "beside." + name
        return beside if beside + ".weight" in self.weight else before + name

    def embed(self, tokens, positions, name="bert.embeddings.LayerNorm"):
        table = [self.weight[f"bert.embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
        return self.norm(name, table[0][tokens] + table[1][positions] + table[2][0])

    def heads(self, name, x):
        return self.linear(name, x).view(len(x), HEADS, -1).transpose(0, 1)

    def read(self, layer, table, query, keys, values, ids, mask):
        """Scores of content and place, both divided by the root of the head's size; then the mask is added."""
        name = f"bert.encoder.layer.{layer}.attention.self.relative_"
        size, rows = WIDTH // HEADS, 2 * self.of["distance"] + 4
        embedding = self.weight[name + "embedding.weight"].view(2, rows, HEADS, size)[table]
        bias = self.weight[name + "bias.weight"].view(2, rows, HEADS)[table]
        place = torch.einsum("hqd,rhd->hqr", query, embedding) + bias.T[:, None]
        place = torch.gather(place, 2, ids[None].expand(HEADS, *ids.shape))
        score = (query @ keys.transpose(1, 2) + place) / math.sqrt(size) - 10000.0 * (1 - mask.double())
        out = torch.softmax(score, 2) @ values
        return out.transpose(0, 1).reshape(query.shape[1], WIDTH)

    def attend(self, layer, text, globals_, owner):
        before, of = f"bert.encoder.layer.{layer}.attention.self.", self.of
        q, k, v = ([self.heads(before + part, x) for x in (text, globals_)] for part in ("query", "key", "value"))
        n, g, m = len(text), len(globals_), of["distance"]
        own = owner[:, None] == torch.arange(g)[None]
        apart = (torch.arange(n)[None] - torch.arange(n)[:, None]).abs()
        long_mask = torch.cat([apart <= of["etc"], torch.ones(n, g, dtype=torch.bool)], 1)
        long_ids = torch.cat([distance_ids(n, m), 2 * m + 1 + own.long()], 1)
        global_mask = torch.cat([torch.ones(g, g, dtype=torch.bool), own.T if of["hard"] else torch.ones(g, n, dtype=torch.bool)], 1)
        global_ids = torch.cat([distance_ids(g, m), 2 * m + 1 + own.T.long()], 1)
        return (self.read(layer, 0, q[0], torch.cat([k[0], k[1]], 1), torch.cat([v[0], v[1]], 1), long_ids, long_mask),
                self.read(layer, 1, q[1], torch.cat([k[1], k[0]], 1), torch.cat([v[1], v[0]], 1), global_ids, global_mask))

    def encode(self, tokens):
        n = len(tokens)
        each = max(self.of["segment"], -(-n // self.of["globals"]))
        owner, first = torch.arange(n) // each, torch.arange(0, n, each)
        streams = [self.embed(tokens, torch.arange(n)),
                   self.embed(torch.full_like(first, 3), first, self.own("bert.embeddings.", "LayerNorm"))]
        for layer in range(LAYERS):
            before = f"bert.encoder.layer.{layer}."
            read = self.attend(layer, *streams, owner)
            for i in range(2):
                name = lambda part: self.own(before, part) if i == 1 else before + part
                x = self.norm(name("attention.output.LayerNorm"),
                              streams[i] + self.linear(name("attention.output.dense"), read[i]))
                y = self.linear(name("output.dense"), functional.gelu(self.linear(name("intermediate.dense"), x)))
                streams[i] = self.norm(name("output.LayerNorm"), x + y)
        return streams[0]

    def loss(self, hidden, rows, labels):
        head = "cls.predictions."
        x = functional.gelu(self.linear(head + "transform.dense", hidden[rows]))
        x = self.norm(head + "transform.LayerNorm", x)
        logits = x @ self.weight["bert.embeddings.word_embeddings.weight"].T + self.weight[head + "bias"]
        return functional.cross_entropy(logits, labels, reduction="sum")


def run(program, folder, fields):
    request, out = pathlib.Path("request"), pathlib.Path("out")
    request.write_text("".join(f"{name} {len(values)}\n{' '.join(map(str, values))}\n" for name, values in fields.items()))
    lines = subprocess.check_output([program, folder, request, out], text=True).split("\n")
    values, found, at = np.fromfile(out, np.float32), {}, 0
    for name, count in (line.split() for line in lines if line):
        found[name] = values[at:at + int(count)]
        at += int(count)
    return found


def compare(program, pattern, lengths):
    folder = pathlib.Path("model")
    subprocess.run(["rm", "-rf", folder], check=True)
    subprocess.run([GODWIT, "convert", "-q", "-m", "bert", "-o", folder, "--to", "etc", "-p",
                    "etc:84+hard" + own_layers(pattern), "--positions", str(POSITIONS)], check=True)
    give_pattern(folder, pattern)
    draw = np.random.default_rng(3)
    tokens = [draw.integers(5, WORDS, length) for length in lengths]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.sort(draw.choice(starts[-1], min(20, starts[-1]), replace=False))
    labels = draw.integers(0, WORDS, len(rows))
    found = run(program, folder, {"scale": [0.1, 0, 0], "start": starts, "token": np.concatenate(tokens),
                                  "masked_row": rows, "masked_label": labels})
    stated = Statement(load_file(folder / "model.safetensors"), pattern)
    hidden = torch.cat([stated.encode(torch.tensor(t)) for t in tokens])
    (0.1 * stated.loss(hidden, torch.tensor(rows), torch.tensor(labels))).backward()
    off = np.abs(found["hidden"].reshape(-1, WIDTH) - hidden.detach().numpy()).max()
    worst, where = 0, ""
    for name, weight in stated.weight.items():
        if weight.grad is None or name.endswith("self.key.bias"):  # moves all scores of a query alike: no gradient
            continue
        wanted = weight.grad.numpy().ravel()
        error = np.linalg.norm(found[name] - wanted) / max(np.linalg.norm(wanted), 1e-3)
        if error > worst:
            worst, where = error, name
    compared = sum("relative_" in name for name in found)
    print(f"{pattern} {lengths}: hidden states {off:.1e}, gradients {worst:.1e} ({where})")
    return off < 2e-5 and worst < 1e-4 and compared == 2 * LAYERS


def main():
    program = pathlib.Path("parity_dump").absolute()
    compile_program("parity_dump.c", program)
    make_bert(pathlib.Path("bert"))
    return all([compare(program, pattern, lengths) for pattern, lengths in CASES])


sys.exit(not main())
