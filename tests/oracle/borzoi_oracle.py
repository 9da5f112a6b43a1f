# SPDX-License-Identifier: MIT
"""Makes tests/data/borzoi with borzoi-pytorch: a small Borzoi and a small Flashzoi with random weights, in folders of that
package, and the tracks that they give one window.   borzoi_oracle.py FOLDER [full]   (needs torch and borzoi-pytorch)
full: of the published sizes, and the tracks in FOLDER/*/tracks.f32, [bins][tracks]"""
import json, math, os, sys, types
import numpy as np
import torch

sys.modules.setdefault("intervaltree", types.SimpleNamespace(IntervalTree=None))  # of genes, which nothing here asks for
from borzoi_pytorch.config_borzoi import BorzoiConfig
from borzoi_pytorch.pytorch_borzoi_model import Borzoi, ConvBlock
from torch import nn


class MHA(nn.Module):
    """What Flashzoi calls of flash-attn, which needs a GPU: heads that share keys in groups, rotary positions."""

    def __init__(self, embed_dim, num_heads, num_heads_kv, softmax_scale, rotary_emb_dim, rotary_emb_base, **others):
        super().__init__()
        self.heads, self.groups, self.size = num_heads, num_heads_kv, embed_dim // num_heads
        self.scale, self.rotated, self.base = softmax_scale, min(rotary_emb_dim, self.size), rotary_emb_base
        self.Wqkv = nn.Linear(embed_dim, (num_heads + 2 * num_heads_kv) * self.size)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def turn(self, x):
        half = self.rotated // 2
        angle = torch.arange(x.shape[1])[:, None] * self.base ** (-torch.arange(half) / half)
        cos, sin = angle.cos()[:, None], angle.sin()[:, None]
        a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1)

    def forward(self, x):
        q, k, v = self.Wqkv(x).unflatten(-1, (-1, self.size)).split([self.heads, self.groups, self.groups], 2)
        q, k = self.turn(q), self.turn(k)
        k, v = (t.repeat_interleave(self.heads // self.groups, 2) for t in (k, v))
        p = (torch.einsum("bihd,bjhd->bhij", q, k) * self.scale).softmax(-1)
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", p, v).flatten(2))


for name in ["flash_attn", "flash_attn.modules", "flash_attn.modules.mha"]:
    sys.modules[name] = types.ModuleType(name)
sys.modules["flash_attn.modules.mha"].MHA = MHA

WIDTHS, JOINED, TRACKS, WINDOW = [8, 10, 12, 14, 16, 18], 20, 5, 4096


def randomise(model):
    generator = torch.Generator().manual_seed(3)
    draw = lambda shape: torch.randn(shape, generator=generator)
    for name, values in model.state_dict().items():
        if name.endswith("running_var"):
            values.copy_(draw(values.shape).abs() + 0.5)
        elif values.dtype == torch.float32:
            size = values[0].numel() if values.dim() > 1 and "rel_" not in name else 16
            centre = 1.0 if values.dim() == 1 and name.endswith("weight") else 0.0
            values.copy_(centre + draw(values.shape) * (1 / math.sqrt(size)))
    return model.eval()


def small(**sizes):
    model = Borzoi(BorzoiConfig(depth=2, bins_to_return=40, **sizes))
    model.conv_dna.conv_layer = nn.Conv1d(4, WIDTHS[0], 15, padding="same")
    for i in range(5):
        model.res_tower[2 * i] = ConvBlock(WIDTHS[i], WIDTHS[i + 1], kernel_size=5)
    model.unet1[1] = ConvBlock(WIDTHS[5], sizes["dim"], kernel_size=5)
    model.horizontal_conv0 = ConvBlock(WIDTHS[5], sizes["dim"], kernel_size=1)
    model.final_joined_convs[0] = ConvBlock(sizes["dim"], JOINED, kernel_size=1)
    model.human_head = nn.Conv1d(JOINED, TRACKS, 1)
    return randomise(model)


def window(length):
    random = np.random.default_rng(2)
    letters = random.integers(0, 4, length)
    letters[100:110] = 4  # N
    return "".join("ACGTN"[i] for i in letters)


def one_hot(text):
    x = torch.zeros(1, 4, len(text))
    for i, letter in enumerate(text):
        if letter != "N":
            x[0, "ACGT".index(letter), i] = 1
    return x


def run(model, text):
    with torch.no_grad():
        return model(one_hot(text))[0].double().numpy()


def write(folder, model, keys, text):
    os.makedirs(folder, exist_ok=True)
    config = dict(model_type="borzoi", architectures=["Borzoi"], **keys)
    json.dump(config, open(f"{folder}/config.json", "w"), indent=1, sort_keys=True)
    torch.save(model.state_dict(), f"{folder}/pytorch_model.bin")
    return run(model, text)


SIZES = {
    "borzoi": dict(dim=24, heads=2, attn_dim_key=8, attn_dim_value=12),
    "flashzoi": dict(dim=24, heads=2, attn_dim_key=8, attn_dim_value=12, flashed=True),
}

def write_full(folder, flashed):
    model = randomise(Borzoi(BorzoiConfig(flashed=flashed)))
    out = write(folder, model, dict(flashed=flashed), window(524288))
    out.T.astype("float32").tofile(f"{folder}/tracks.f32")


if __name__ == "__main__":
    folder, text = sys.argv[1], window(WINDOW)
    if sys.argv[2:] == ["full"]:
        for name in SIZES:
            write_full(f"{folder}/{name}", name == "flashzoi")
        text, SIZES = window(524288), {}
    for name, sizes in SIZES.items():
        out = write(f"{folder}/{name}", small(**sizes), dict(depth=2, bins_to_return=40, input_length=WINDOW, **sizes), text)
        with open(f"{folder}/{name}/expected.tsv", "w") as rows:
            for row in out.T:
                rows.write("\t".join(f"{x:.8g}" for x in row) + "\n")
    # The first one again with a mouse head, whose tracks are the third and the first of human.
    weights = torch.load(f"{folder}/borzoi/pytorch_model.bin", weights_only=True)
    for part in ("weight", "bias"):
        weights[f"mouse_head.{part}"] = weights[f"human_head.{part}"][[2, 0]].clone()
    os.makedirs(f"{folder}/mouse", exist_ok=True)
    torch.save(weights, f"{folder}/mouse/pytorch_model.bin")
    config = json.load(open(f"{folder}/borzoi/config.json"))
    json.dump(dict(config, enable_mouse_head=True), open(f"{folder}/mouse/config.json", "w"), indent=1, sort_keys=True)
    with open(f"{folder}/window.txt", "w") as f:
        f.write(text + "\n")
