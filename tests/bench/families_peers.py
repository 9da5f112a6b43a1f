#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ModernBERT, ESM-2 and GPN beside their peers on one processor, in turns.

    families_peers.py CASE...        modernbert-512 modernbert-2048 modernbert-8192 esm-1024 gpn-512

BUILD names godwit's build folder; ROUNDS runs of each (3), THREADS of each (2), DTYPE f32 or bf16, PEERS those of a list
with commas. Random weights: ModernBERT-base (22 x 768), ESM-2's 35M (12 x 480), GPN (25 layers of 512). Sequences are of mixed
lengths, three quarters of the longest up to it; GPN's windows are all of 512 bases. What is asked for is what `score` asks of
a variant: of each sequence the logits of one token, in its middle (OUTPUT=masked), or the hidden states of all (OUTPUT=hidden).
Peers get the sequences padded in one batch, and one by one, and the better one counts: transformers with sdpa, the same compiled
(torch.compile), OpenVINO; of GPN the layers of its package in plain torch, without padding. Peers make logits of the asked
tokens alone, too. Medians of wall and of processor seconds (user and system); on a machine with other work the latter are the
figure. Operations are counted as two for each multiplication of a product, of all rows of all layers, those of attention by the
pairs that a layer reads.
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
DTYPE, OUTPUT = os.environ.get("DTYPE", "f32"), os.environ.get("OUTPUT", "masked")
CASES = {"modernbert-512": ("modernbert", 512, 4), "modernbert-2048": ("modernbert", 2048, 2),
         "modernbert-8192": ("modernbert", 8192, 1), "esm-1024": ("esm", 1024, 2), "gpn-512": ("gpn", 512, 8)}
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
        return transformers.ModernBertForMaskedLM(config).eval()
    if family == "esm":
        config = transformers.EsmConfig(vocab_size=33, hidden_size=480, num_hidden_layers=12, num_attention_heads=20,
                                        intermediate_size=1920, position_embedding_type="rotary", pad_token_id=1, mask_token_id=32,
                                        token_dropout=True, emb_layer_norm_before=False, attn_implementation="sdpa",
                                        max_position_embeddings=1026)
        return transformers.EsmForMaskedLM(config).eval()
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

    class Body(nn.Module):
        def __init__(self, layers=25, width=512):
            super().__init__()
            self.width = width
            self.layer = nn.Sequential(*(Layer(width, 9 if i == 0 else 5, 2 ** (i % 8)) for i in range(layers)))
            self.ln_f = nn.LayerNorm(width, bias=False)

        def forward(self, input_ids):
            return self.ln_f(self.layer(nn.functional.one_hot(input_ids, self.width).to(self.ln_f.weight.dtype)))

    class Head(nn.Module):
        def __init__(self, width=512, vocabulary=7):
            super().__init__()
            self.transform = nn.Sequential(nn.Linear(width, width, bias=False), nn.GELU(), nn.LayerNorm(width, bias=False))
            self.decoder = nn.Linear(width, vocabulary, bias=False)

        def forward(self, x):
            return self.decoder(self.transform(x))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.model, self.cls = Body(), Head()

    return Network().eval()


def asked_of(family):
    """The model as a peer runs it: what OUTPUT asks for."""
    import torch

    model = make(family)
    if DTYPE == "bf16":
        model = model.to(torch.bfloat16)
    body = model.esm if family == "esm" else model.model
    head = (lambda x: model.decoder(model.head(x))) if family == "modernbert" else model.lm_head if family == "esm" else model.cls

    class Asked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = model

        def forward(self, input_ids, attention_mask, place):
            if family == "gpn":
                x = body(input_ids)
            else:
                x = body(input_ids, attention_mask=attention_mask).last_hidden_state
            return x if OUTPUT == "hidden" else head(x[torch.arange(len(input_ids)), place])

    return Asked().eval()


def write_folder(family, folder):
    import torch
    from safetensors.torch import save_file

    model = make(family)
    if family != "gpn":
        model.save_pretrained(folder)
        return
    os.makedirs(folder, exist_ok=True)
    names = {name.replace(".layer.", ".encoder.layer.", 1): value for name, value in model.state_dict().items()}
    save_file({name: value.contiguous() for name, value in names.items()}, f"{folder}/model.safetensors")
    with open(f"{folder}/config.json", "w", encoding="ascii") as out:
        out.write('{"model_type": "GPN", "architectures": ["GPNForMaskedLM"]}')


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
    """Token ids, masks and asked places, as a peer takes them; no mask where nothing is padded."""
    import torch

    family, lengths = CASES[case][0], lengths_of(case)
    vocabulary, pad = {"modernbert": (50000, 50283), "esm": (24, 1), "gpn": (7, 0)}[family]
    rows = [torch.tensor([(i * 7919 + s * 31) % (vocabulary - 4) + (4 if family == "esm" else 0) for i in range(n)])
            for s, n in enumerate(lengths)]
    places = [torch.tensor([n // 2]) for n in lengths]
    if one_by_one:
        return [(row[None], torch.ones(1, len(row), dtype=torch.long), place) for row, place in zip(rows, places)]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    mask = torch.zeros_like(ids)
    for row, n in enumerate(lengths):
        mask[row, :n] = 1
    return [(ids, mask, torch.cat(places))]


def openvino_run(model, inputs):
    import openvino
    import torch

    with torch.no_grad():
        converted = openvino.convert_model(model, example_input=inputs[0])
    compiled = openvino.Core().compile_model(converted, "CPU", {"INFERENCE_NUM_THREADS": THREADS, "PERFORMANCE_HINT": "LATENCY",
                                                                 "INFERENCE_PRECISION_HINT": DTYPE})
    request = compiled.create_infer_request()
    feeds = [{name: value.numpy() for name, value in zip(("input_ids", "attention_mask", "place"), values)} for values in inputs]
    names = {each.get_any_name() for each in compiled.inputs}
    feeds = [{name: value for name, value in feed.items() if name in names} for feed in feeds]
    return lambda: [request.infer(feed) for feed in feeds]


def peer(case, name):
    """A function that computes all that is asked of the case once."""
    import torch

    torch.set_num_threads(THREADS)
    inputs = batches(case, "one by one" in name)
    if "openvino" in name:
        global DTYPE
        asked, DTYPE = DTYPE, "f32"  # converted from f32, and rounded by it
        model, DTYPE = asked_of(CASES[case][0]), asked
        return openvino_run(model, inputs)
    model = asked_of(CASES[case][0])
    if "compiled" in name:
        model = torch.compile(model)
    inputs = [(ids, None if bool(mask.all()) else mask, place) for ids, mask, place in inputs]

    def run():
        with torch.inference_mode():
            for values in inputs:
                model(*values)

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
    engines = [Engine("godwit", [BENCH, folder, DTYPE, OUTPUT, THREADS, max(lengths[-1], 8192), *lengths])]
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
