# Random weights as OpenSpliceAI's networks of 80 nt have them, as safetensors, for the workflows' tests.
#   python3 pipelines/splice_weights.py OUT.safetensors
import json
import random
import struct
import sys

draw = random.Random(1)
shapes = {}


def add(layer, out, inputs, taps):
    shapes[f"{layer}.weight"], shapes[f"{layer}.bias"] = [out, inputs, taps], [out]


add("initial_conv", 32, 4, 1)
add("initial_skip.conv", 32, 32, 1)
for unit in range(4):
    for half in "12":
        for field in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"residual_units.{unit}.batchnorm{half}.{field}"] = [32]
        add(f"residual_units.{unit}.conv{half}", 32, 32, 11)
add("residual_units.4.conv", 32, 32, 1)
add("final_conv", 3, 32, 1)

header, data = {}, b""
for name, shape in shapes.items():
    count = 1
    for size in shape:
        count *= size
    low, high = (0.5, 1.5) if name.endswith("running_var") else (-0.1, 0.1)
    values = struct.pack(f"<{count}f", *(draw.uniform(low, high) for _ in range(count)))
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + data)
