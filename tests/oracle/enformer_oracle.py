# SPDX-License-Identifier: MIT
"""Makes a folder of enformer-pytorch whose values are those of tests/model/made_dict.h, runs it over a window, writes its tracks before
softplus to FOLDER/tracks.f32, and prints the rows that tests/model/test_enformer.c has.
enformer_oracle.py FOLDER [full]   (needs torch and enformer-pytorch; full: the published size)"""
import json, math, os, sys
import torch
from enformer_pytorch import Enformer, EnformerConfig

folder, full = sys.argv[1], sys.argv[2:] == ["full"]
os.makedirs(folder, exist_ok=True)
sizes = {} if full else dict(dim=48, depth=2, heads=2, output_heads=dict(human=5, mouse=3), target_length=8, attn_dim_key=4, num_downsamples=3, dim_divisible_by=4)
window = 196608 if full else 128
config = EnformerConfig(**sizes)
model = Enformer(config).eval()
tensors = dict(model.named_parameters()) | dict(model.named_buffers())
number = 0


def put(name, scale, offset):
    global number
    t = tensors[name]
    i = torch.arange(t.numel(), dtype=torch.float64)
    t.data = (offset + scale * torch.sin(0.7 * i * (1 + 0.013 * number) + number)).float().reshape(t.shape)
    number += 1


def pair(name, bias=True):
    put(name + ".weight", 1.4 / math.sqrt(tensors[name + ".weight"][0].numel()), 0)
    if bias:
        put(name + ".bias", 0.1, 0)


def norm(name, statistics):
    put(name + ".weight", 0.2, 1)
    put(name + ".bias", 0.2, 0)
    if statistics:
        put(name + ".running_mean", 0.3, 0)
        put(name + ".running_var", 0.3, 1)


def block(name):
    norm(name + ".0", True)
    pair(name + ".2")


pair("stem.0")
block("stem.1.fn")
pair("stem.2.to_attn_logits", False)
for i in range(config.num_downsamples - 1):
    block(f"conv_tower.{i}.0")
    block(f"conv_tower.{i}.1.fn")
    pair(f"conv_tower.{i}.2.to_attn_logits", False)
for i in range(config.depth):
    attention, forward = f"transformer.{i}.0.fn", f"transformer.{i}.1.fn"
    norm(attention + ".0", False)
    for name in ["to_q", "to_k", "to_v", "to_rel_k"]:
        pair(f"{attention}.1.{name}", False)
    put(attention + ".1.rel_content_bias", 0.3, 0)
    put(attention + ".1.rel_pos_bias", 0.3, 0)
    pair(attention + ".1.to_out")
    norm(forward + ".0", False)
    pair(forward + ".1")
    pair(forward + ".4")
block("final_pointwise.1")
for head in config.output_heads:
    pair(f"_heads.{head}.0")

torch.save(model.state_dict(), f"{folder}/pytorch_model.bin")
with open(f"{folder}/config.json", "w") as out:
    json.dump({"model_type": "enformer", "input_length": window} | {k: getattr(config, k) for k in ["dim", "depth", "heads", "output_heads", "target_length", "attn_dim_key", "num_downsamples", "dim_divisible_by"]}, out)
letters = torch.tensor([[(i * i + i // 3) % 4 for i in range(window)]])
letters[0, 50] = 4  # N
with torch.no_grad():
    x = model(letters, return_only_embeddings=True)
    tracks = torch.cat([model._heads[head][0](x) for head in config.output_heads], -1)[0]
tracks.numpy().tofile(f"{folder}/tracks.f32")
for row in [0, 3, 7]:
    print("{" + ", ".join(f"{v:.8g}F" for v in tracks[row][:8]) + "},")
