#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_mixers's encoder in PyTorch, with attention as the papers write it: linear (Katharopoulos et al., 2020), performer with
256 features (Choromanski et al., 2021), nystrom with 64 landmarks and a filter of 35 (Xiong et al., 2021), full. One thread.
  mixers_peer.py NAME [MOST [LEAST [RUNS]]]"""
import math, sys, time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
WIDTH, HEADS, SIZE, FEED_FORWARD, SYMBOLS, CLASSES = 64, 2, 32, 128, 64, 10
FEATURES, LANDMARKS, TAPS, ITERATIONS = 256, 64, 35, 6


def linear(q, k, v, layer):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2).unsqueeze(-1))


def performer(q, k, v, layer):
    q, k = q / SIZE**0.25, k / SIZE**0.25
    features = lambda x: x @ layer.projection.T - (x * x).sum(-1, keepdim=True) / 2
    q, k = features(q), features(k)
    q = torch.exp(q - q.amax(-1, keepdim=True).detach())
    k = torch.exp(k - k.amax((-1, -2), keepdim=True).detach())
    return (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2).unsqueeze(-1))


def nystrom(q, k, v, layer):
    n, scale = q.shape[-2], 1 / math.sqrt(SIZE)
    means = lambda x: x.reshape(1, HEADS, LANDMARKS, n // LANDMARKS, SIZE).mean(-2)
    queries, keys = means(q), means(k)
    a = torch.softmax(scale * queries @ keys.transpose(-1, -2), -1)
    z = a.transpose(-1, -2) / a.sum(-2).amax(-1)[..., None, None]
    one = torch.eye(LANDMARKS)
    for _ in range(ITERATIONS):
        x = a @ z
        z = z @ (13 * one - x @ (15 * one - x @ (7 * one - x))) / 4
    read = torch.softmax(scale * queries @ k.transpose(-1, -2), -1) @ v
    return torch.softmax(scale * q @ keys.transpose(-1, -2), -1) @ (z @ read) + layer.skip(v)


def full(q, k, v, layer):
    return F.scaled_dot_product_attention(q, k, v)


class Layer(nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.attend = attend
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, FEED_FORWARD), nn.Linear(FEED_FORWARD, WIDTH)
        self.skip = nn.Conv2d(HEADS, HEADS, (TAPS, 1), padding=(TAPS // 2, 0), groups=HEADS, bias=False)
        self.register_buffer("projection", torch.randn(FEATURES, SIZE))

    def forward(self, x):
        heads = self.qkv(self.norm1(x)).reshape(1, -1, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4)
        read = self.attend(heads[0], heads[1], heads[2], self)
        x = x + self.out(read.transpose(1, 2).reshape(1, -1, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, attend, tokens):
        super().__init__()
        self.token, self.place = nn.Embedding(SYMBOLS, WIDTH), nn.Parameter(torch.randn(tokens, WIDTH) * 0.02)
        self.layers = nn.ModuleList([Layer(attend) for _ in range(2)])
        self.norm, self.dense, self.logits = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens):
        x = self.token(tokens) + self.place
        for layer in self.layers:
            x = layer(x)
        return self.logits(torch.tanh(self.dense(self.norm(x).mean(1))))


def fastest(call, runs):
    times = []
    for _ in range(runs + 1):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times[1:])


def main():
    name = sys.argv[1]
    most, least, runs = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((2, 65536), (3, 1024), (4, 3)))
    torch.manual_seed(1)
    tokens = least
    while tokens <= most:
        model, label = Model(globals()[name], tokens), torch.tensor([3])
        data = torch.randint(SYMBOLS, (1, tokens))
        with torch.inference_mode():
            forward = fastest(lambda: model(data), runs)
        step = fastest(lambda: F.cross_entropy(model(data), label).backward(), runs)
        print(f"torch {name}\t{tokens}\t{forward:.4f}\t{step:.4f}", flush=True)
        tokens *= 4


main()
