#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ModernBERT, ESM-2 and GPN beside their peers on one processor, in turns.

    families_peers.py CASE...        modernbert-512 modernbert-2048 modernbert-8192 esm-1024 gpn-512

BUILD names godwit's build folder; ROUNDS runs of each (3), THREADS of each (2). Random weights: ModernBERT-base (22 x 768),
ESM-2's 35M (12 x 480), GPN (25 layers of 512). Sequences are of mixed lengths, three quarters of the longest up to it; GPN's
windows are all of 512 bases. Peers get them padded in one batch, and one by one, and the better one counts: transformers
with sdpa, the same compiled (torch.compile), OpenVINO; of GPN the layers of its package in plain torch, without padding. Medians of
wall and of processor seconds (user and system); on a machine with other work the latter are the figure. Operations are
counted as two for each multiplication of a product, those of attention by the pairs that a layer reads.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS, THREADS = int(os.environ.get("ROUNDS", 3)), int(os.environ.get("THREADS", 2))
CASES = {"modernbert-512": ("modernbert", 512, 4), "modernbert-2048": ("modernbert", 2048, 2),
         "modernbert-8192": ("modernbert", 8192, 1), "esm-1024": ("esm", 1024, 2), "gpn-512": ("gpn", 512, 2)}
PEERS = {"modernbert": ("sdpa", "sdpa one by one", "compiled", "openvino", "openvino one by one"),
         "esm": ("sdpa", "sdpa one by one", "compiled", "openvino", "openvino one by one"),
         "gpn": ("torch", "compiled", "openvino")}


def lengths_of(case):
    family, longest, count = CASES[case]
    if family == "gpn" or count == 1:
        return [longest] * count
    return [int(n) for n in np.linspace(longest * 3 // 4, longest, count)]


def make(family):
    import torch
    import transformers

    torch.manual_seed(0)
    if family == "modernbert":
        config = transformers.ModernBertConfig(attn_implementation="sdpa")
        return transformers.ModernBertModel(config).eval()
    if family == "esm":
        config = transformers.EsmConfig(vocab_size=33, hidden_size=480, num_hidden_layers=12, num_attention_heads=20,
                                        intermediate_size=1920, position_embedding_type="rotary", pad_token_id=1, mask_token_id=32,
                                        token_dropout=True, emb_layer_norm_before=False, attn_implementation="sdpa",
                                        max_position_embeddings=1026)
        return transformers.EsmModel(config, add_pooling_layer=False).eval()
    from torch import nn

    class Turn(nn.Module):
        def forward(self, x):
            return x.transpose(1, 2)

    class Layer(nn.Module):  # of GPN 0.9.0: norms before the sublayers, no biases
        def __init__(self, width, taps, dilation):
            super().__init__()
            self.conv = nn.Sequential(nn.LayerNorm(width, bias=False), Turn(), nn.Conv1d(width, width, taps, padding="same",
                                      dilation=dilation, bias=False), Turn(), nn.GELU(), nn.Linear(width, width, bias=False))
            self.ffn = nn.Sequential(nn.LayerNorm(width, bias=False), nn.Linear(width, 4 * width, bias=False), nn.GELU(),
                                     nn.Linear(4 * width, width, bias=False))

        def forward(self, x):
            x = x + self.conv(x)
            return x + self.ffn(x)

    class Network(nn.Module):
        def __init__(self, layers=25, width=512):
            super().__init__()
            self.width = width
            self.layer = nn.Sequential(*(Layer(width, 9 if i == 0 else 5, 2 ** (i % 8)) for i in range(layers)))
            self.ln_f = nn.LayerNorm(width, bias=False)

        def forward(self, input_ids):
            return self.ln_f(self.layer(nn.functional.one_hot(input_ids, self.width).float()))

    return Network().eval()


def write_folder(family, folder):
    import torch
    from safetensors.torch import save_file

    model = make(family)
    if family != "gpn":
        model.save_pretrained(folder)
        return
    os.makedirs(folder, exist_ok=True)
    names = {name.replace("layer.", "encoder.layer.", 1): value for name, value in model.state_dict().items()}
    save_file({name: value.contiguous() for name, value in names.items()}, f"{folder}/model.safetensors")
    with open(f"{folder}/config.json", "w", encoding="ascii") as out:
        out.write('{"model_type": "GPN", "architectures": ["GPNModel"]}')


def operations(case):
    """Operations of all sequences without padding."""
    family, total = CASES[case][0], 0
    for n in lengths_of(case):
        if family == "modernbert":
            linear = 22 * (4 * 768 * 768 + 3 * 768 * 1152)
            pairs = 8 * n * n + 14 * sum(min(n, i + 65) - max(0, i - 64) for i in range(n))
            total += 2 * n * linear + 4 * 768 * pairs
        elif family == "esm":
            total += 2 * n * 12 * 12 * 480 * 480 + 4 * 480 * 12 * n * n
        else:
            total += 2 * n * (512 * 512 * (9 + 24 * 5) + 25 * 512 * 512 * (1 + 8))
    return total


def batches(case, one_by_one):
    """Token ids, and masks, as a peer takes them."""
    import torch

    family, lengths = CASES[case][0], lengths_of(case)
    vocabulary, pad = {"modernbert": (50000, 50283), "esm": (24, 1), "gpn": (7, 0)}[family]
    rows = [torch.tensor([(i * 7919 + s * 31) % (vocabulary - 4) + (4 if family == "esm" else 0) for i in range(n)])
            for s, n in enumerate(lengths)]
    if one_by_one:
        return [(row[None], torch.ones(1, len(row), dtype=torch.long)) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    mask = torch.zeros_like(ids)
    for row, n in enumerate(lengths):
        mask[row, :n] = 1
    return [(ids, mask)]


def peer(case, name):
    """A function that computes all of the case's hidden states once."""
    import torch

    torch.set_num_threads(THREADS)
    family = CASES[case][0]
    model, inputs = make(family), batches(case, "one by one" in name)
    whole = all(bool(mask.all()) for _, mask in inputs)

    def call(network, ids, mask):
        return network(ids) if family == "gpn" else network(ids, attention_mask=None if whole else mask)

    if "openvino" in name:
        import openvino

        example = inputs[0][0] if family == "gpn" else {"input_ids": inputs[0][0], "attention_mask": inputs[0][1]}
        with torch.no_grad():
            converted = openvino.convert_model(model, example_input=example)
        compiled = openvino.Core().compile_model(converted, "CPU", {"INFERENCE_NUM_THREADS": THREADS, "PERFORMANCE_HINT": "LATENCY",
                                                                     "INFERENCE_PRECISION_HINT": "f32"})
        request = compiled.create_infer_request()
        return lambda: [request.infer([ids.numpy()] if family == "gpn" else [ids.numpy(), mask.numpy()]) for ids, mask in inputs]
    if "compiled" in name:
        model = torch.compile(model)

    def run():
        with torch.inference_mode():
            for ids, mask in inputs:
                call(model, ids, mask)

    return run


def serve(case, name):
    """A peer in a process of its own: a run for each line."""
    run = peer(case, name)
    for _ in sys.stdin:
        begin, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        run()
        now = resource.getrusage(resource.RUSAGE_SELF)
        print(f"{time.perf_counter() - begin:.4f} {now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime:.4f}", flush=True)


class Engine:
    def __init__(self, name, command):
        self.name, self.wall, self.used = name, [], []
        environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "passive"}
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)

    def run(self, counts):
        """A run; False where the engine fails."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline().split()
        except BrokenPipeError:
            line = []
        while line and len(line) != 2:  # what a package prints
            line = self.process.stdout.readline().split()
        if len(line) != 2:
            return False
        if counts:
            self.wall.append(float(line[0]))
            self.used.append(float(line[1]))
        return True


def measure(case):
    folder, lengths, total = f"{CASES[case][0]}-folder", lengths_of(case), operations(case)
    if not os.path.exists(f"{folder}/model.safetensors"):
        subprocess.run([sys.executable, __file__, "--make", CASES[case][0], folder], check=True, stdout=subprocess.DEVNULL)
    chosen = os.environ.get("PEERS", "").split(",") if os.environ.get("PEERS") else PEERS[CASES[case][0]]
    names = [name for name in chosen if name in PEERS[CASES[case][0]] and not (len(lengths) == 1 and "one by one" in name)]
    engines = [Engine("godwit", [BENCH, folder, THREADS, max(lengths[-1], 2048), *lengths])]
    engines += [Engine(name, [sys.executable, __file__, "--serve", case, name]) for name in names]
    for turn in range(-1, ROUNDS):
        for engine in [e for e in engines if e.process]:
            if not engine.run(turn >= 0):
                print(f"{case}\t{engine.name}\tfails", flush=True)
                engine.process = None
    for engine in engines:
        if not engine.used:
            continue
        used, wall = statistics.median(engine.used), statistics.median(engine.wall)
        ratio = used / statistics.median(engines[0].used)
        print(f"{case}\t{engine.name}\t{sum(lengths)} tokens\twall {wall:.2f} s\tprocessors {used:.2f} s\t{total / used / 1e9:.1f} GFLOP/s"
              f" of processors\t{ratio:.2f} of godwit's", flush=True)
        if engine.process:
            engine.process.stdin.close()
            engine.process.wait()


if __name__ == "__main__":
    if sys.argv[1] == "--make":
        write_folder(*sys.argv[2:])
    elif sys.argv[1] == "--serve":
        serve(*sys.argv[2:])
    else:
        BENCH = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "bench/bench_families"
        for each in sys.argv[1:]:
            measure(each)
