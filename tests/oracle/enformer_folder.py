# SPDX-License-Identifier: MIT
"""Makes tests/data/enformer: a small folder of enformer-pytorch with random weights, whose config.json does not say use_tf_gamma.
enformer_folder.py FOLDER   (needs torch and enformer-pytorch)"""
import json, math, os, sys
import torch
from enformer_pytorch import Enformer, EnformerConfig

folder = sys.argv[1]
torch.manual_seed(5)
sizes = dict(dim=12, heads=2, depth=1, num_downsamples=3, target_length=8, dim_divisible_by=2, attn_dim_key=4, output_heads=dict(human=3, mouse=2))
model = Enformer(EnformerConfig(**sizes)).eval()
for name, values in model.named_parameters():
    scale = 0.6 / math.sqrt(values.shape[1]) if values.dim() > 1 else 0.1
    values.data = torch.randn_like(values) * scale + (1 if name.endswith("0.weight") and values.dim() == 1 else 0)
os.makedirs(folder, exist_ok=True)
kept = {name: values for name, values in model.state_dict().items() if not name.startswith("_trunk") and "num_batches" not in name}
torch.save(kept, f"{folder}/pytorch_model.bin")
with open(f"{folder}/config.json", "w") as out:
    json.dump(dict(model_type="enformer", input_length=1024, **sizes), out, indent=1)
