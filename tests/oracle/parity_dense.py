# SPDX-License-Identifier: MIT
"""Encoders stated as dense attention in double precision, for what no package computes: parity_oracle.py.

A sparse row lists key blocks with multiplicity m, and a key that is listed m times adds ln m to its score; so every
sparse pattern is a matrix of multiplicities, from blocks to blocks. Keys past the end of an input have no weight.
"""
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional
from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention

FIXED = (1024, 3072, 4096)  # tokens for which the paper's plan draws; google-research/bigbird has 2,048 too


@dataclass
class Encoder:
    """What differs between encoders of the BERT kind."""
    heads: int
    layers: int
    block: int = 64
    random: int = 3
    positions: int = 4096
    epsilon: float = 1e-12
    activation: str = "tanh"  # of GELU; "none": its exact form
    pre_norm: bool = False
    last_norm: bool = False
    rotary: bool = False  # positions by rotation of the leading dimensions of a head, not learnt


def random_blocks(encoder, config, blocks, layer, google):
    """[heads][blocks - 2][random]: drawn by transformers' own functions, which are google's; the cases differ."""
    draw = BigBirdBlockSparseAttention(config, layer).train()
    block, r, tokens = encoder.block, encoder.random, blocks * encoder.block
    np.random.seed(layer)
    if tokens in FIXED or (google and tokens == 2048):
        longest = 4096 if google else encoder.positions
        tables = [draw._bigbird_block_rand_mask(longest, longest, block, block, r, last_idx=1024)[: blocks - 2]
                  for _ in range(encoder.heads)]
        return np.stack(tables)
    lengths, counts = draw._get_rand_attn_plan(tokens, block, r)
    return np.stack(draw._bigbird_block_rand_mask_with_head(
        from_seq_length=tokens, to_seq_length=tokens, from_block_size=block, to_block_size=block,
        num_heads=encoder.heads, plan_from_length=lengths, plan_num_rand_blocks=counts))


def multiplicities(encoder, config, mode, tokens, layer):
    """[heads][n][n]: how often row block i lists key block j of a padded input; None where attention is full."""
    n = -(-tokens // encoder.block)
    most_full = 512 if mode == "google" else (5 + 2 * encoder.random) * encoder.block
    if mode == "full" or tokens <= most_full:
        return None
    drawn = random_blocks(encoder, config, n, layer, mode == "google")
    count = np.zeros((encoder.heads, n, n))
    count[:, [0, n - 1]] = 1
    for h in range(encoder.heads):
        for i in range(1, n - 1):
            for j in {0, i - 1, i, i + 1, n - 1}:
                count[h, i, j] = 1
            for j in drawn[h, i - 1] if mode != "hf-eval" else [0] * encoder.random:
                count[h, i, j] += 1
    return np.minimum(count, 1) if mode == "set" else count


def deepspeed_layout(encoder, seed):
    """[layers][heads][n][n] as DeepSpeed's BigBird draws it: a window of 3, the first 2 blocks global, 3 random."""
    draw, n = np.random.default_rng(seed), encoder.positions // encoder.block
    layout = np.zeros((encoder.layers, encoder.heads, n, n), np.int64)
    layout[:, :, :2] = layout[:, :, :, :2] = 1
    for table in layout.reshape(-1, n, n):
        for i in range(n):
            table[i, max(0, i - 1) : i + 2] = 1
            table[i, draw.choice(n, encoder.random, replace=False)] = 1
    return layout


def linear(p, name, x):
    return functional.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def norm(p, name, x, epsilon):
    return functional.layer_norm(x, x.shape[-1:], p[f"{name}.weight"], p[f"{name}.bias"], epsilon)


def rotate(x, frequencies):
    """Pairs (x[k], x[k + dims / 2]) of position t turn by t / 10000^(2k / dims), an angle that GENA-LM's code rounds to
    single precision, as are its frequencies: at position 4,096 that is more than this comparison's bound."""
    dims = 2 * len(frequencies)
    angle = (torch.arange(x.shape[-2])[:, None].float() * frequencies.float()).double()
    sine, cosine = angle.sin(), angle.cos()
    first, second = x[..., : dims // 2], x[..., dims // 2 : dims]
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine, x[..., dims:]), -1)


def attention(p, at, encoder, x, count):
    tokens, width = x.shape
    q, k, v = (linear(p, f"{at}.{name}", x).view(tokens, encoder.heads, -1).transpose(0, 1)
               for name in ("query", "key", "value"))
    if encoder.rotary:
        frequencies = p[f"{at}.rotary_emb.inv_freq"]
        q, k = rotate(q, frequencies), rotate(k, frequencies)
    score = q @ k.transpose(-1, -2) / math.sqrt(width // encoder.heads)
    if count is not None:
        expanded = torch.tensor(count).repeat_interleave(encoder.block, 1).repeat_interleave(encoder.block, 2)
        score = score + expanded[:, :tokens, :tokens].log()
    return (torch.softmax(score, -1) @ v).transpose(0, 1).reshape(tokens, width)


def hidden_states(p, encoder, ids, segments, counts, prefix="bert."):
    """[layers + 1] states [tokens][width]; p: tensors by name, in double; counts: multiplicities of each layer."""
    at = f"{prefix}embeddings"
    x = p[f"{at}.word_embeddings.weight"][ids] + p[f"{at}.token_type_embeddings.weight"][segments]
    if not encoder.rotary:
        x = x + p[f"{at}.position_embeddings.weight"][: len(ids)]
    states = [norm(p, f"{at}.LayerNorm", x, encoder.epsilon)]
    for i in range(encoder.layers):
        x, at = states[-1], f"{prefix}encoder.layer.{i}"
        y = norm(p, f"{at}.pre_attention_ln", x, encoder.epsilon) if encoder.pre_norm else x
        x = x + linear(p, f"{at}.attention.output.dense", attention(p, f"{at}.attention.self", encoder, y, counts[i]))
        x = x if encoder.pre_norm else norm(p, f"{at}.attention.output.LayerNorm", x, encoder.epsilon)
        y = norm(p, f"{at}.post_attention_ln", x, encoder.epsilon) if encoder.pre_norm else x
        y = functional.gelu(linear(p, f"{at}.intermediate.dense", y), approximate=encoder.activation)
        x = x + linear(p, f"{at}.output.dense", y)
        states.append(x if encoder.pre_norm else norm(p, f"{at}.output.LayerNorm", x, encoder.epsilon))
    if encoder.last_norm:
        states[-1] = norm(p, f"{prefix}encoder.last_layer_ln", states[-1], encoder.epsilon)
    return states


def pretraining_logits(p, encoder, hidden):
    """MLM [tokens][V] and NSP [2] of BERT's heads; BigBird's pooler has no ".dense"."""
    at = "cls.predictions"
    y = functional.gelu(linear(p, f"{at}.transform.dense", hidden), approximate=encoder.activation)
    y = norm(p, f"{at}.transform.LayerNorm", y, encoder.epsilon)
    pooler = "bert.pooler.dense" if "bert.pooler.dense.weight" in p else "bert.pooler"
    pair = linear(p, "cls.seq_relationship", torch.tanh(linear(p, pooler, hidden[0])))
    return y @ p["bert.embeddings.word_embeddings.weight"].T + p[f"{at}.bias"], pair


def gena_tensors(encoder, vocabulary, width, inner):
    """Empty tensors under the names of a GENA-LM checkpoint with BERT's pretraining heads."""
    linears = {"bert.pooler.dense": (width, width), "cls.predictions.transform.dense": (width, width),
               "cls.seq_relationship": (2, width)}
    norms = ["bert.embeddings.LayerNorm", "cls.predictions.transform.LayerNorm"]
    norms += ["bert.encoder.last_layer_ln"] if encoder.last_norm else []
    for i in range(encoder.layers):
        at = f"bert.encoder.layer.{i}"
        norms += [f"{at}.pre_attention_ln", f"{at}.post_attention_ln"]
        linears.update({f"{at}.attention.{name}": (width, width)
                        for name in ("self.query", "self.key", "self.value", "output.dense")})
        linears.update({f"{at}.intermediate.dense": (inner, width), f"{at}.output.dense": (width, inner)})
    p = {"bert.embeddings.word_embeddings.weight": torch.empty(vocabulary, width),
         "bert.embeddings.token_type_embeddings.weight": torch.empty(2, width),
         "cls.predictions.bias": torch.empty(vocabulary)}
    for name, shape in linears.items():
        p.update({f"{name}.weight": torch.empty(shape), f"{name}.bias": torch.empty(shape[0])})
    for name in norms:
        p.update({f"{name}.weight": torch.empty(width), f"{name}.bias": torch.empty(width)})
    return p
