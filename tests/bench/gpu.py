#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make bench-gpu`: godwit beside its peers in torch (torch_peers.py, score_peer.py) on one NVIDIA GPU, in one run.

What is missing is said at the start: without kernels for a GPU in the CUDA plugin only the peers run, and without torch
for CUDA nothing does; both end with status 0. Environment: GODWIT the program; GODWIT_DATA the folder of
the data sets, for scoring; SECTIONS of attention, training, scoring and length (all). Attention counts the cells of the
graph's blocks alone, 4 FLOPs a cell and head dimension, 10 in the backward pass; the matrix rate is that of torch's
product of bf16 squares in the same run.
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import cpu
from cpu import GODWIT, LAYERS, memory, note, peer, ratio, seconds

SECTIONS = os.environ.get("SECTIONS", "attention training scoring length").split()
BLOCK, KEPT, WIDTH, SQUARE = 64, 8, 768, 8192
LENGTHS, ROWS = (4096, 16384, 65536), 1 << 18  # in attention alone; tokens of a batch, to fill a GPU
DATA = pathlib.Path(os.environ.get("GODWIT_DATA") or ".")
FASTA, VARIANTS = DATA / "human/chr20_1M-2M.fa.gz", DATA / "human/chr20_1M-2M.1000G.vcf.gz"
TOKENIZER = DATA / "tokenizer/gena_human_BPE_32k.tokenizer.json"
ON_GPU = ("--device", "cuda")
QUEUED = (*ON_GPU, "--queue", "20")
DTYPE = "bf16"


def smi(what):
    """A figure of the first GPU as nvidia-smi gives it, or None."""
    try:
        found = subprocess.run(["nvidia-smi", "-i", "0", f"--query-gpu={what}", "--format=csv,noheader,nounits"],
                               capture_output=True, text=True, check=True)
        return float(found.stdout.split()[0])
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError):
        return None


class Watch:
    """The share of samples in which the GPU was busy, and the most memory in use (GB), while the block runs."""

    def __enter__(self):
        self.busy, self.memory, self.done = [], 0.0, threading.Event()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        return self

    def sample(self):
        while not self.done.wait(0.1):
            busy, used = smi("utilization.gpu"), smi("memory.used")
            if busy is not None and used is not None:
                self.busy.append(busy)
                self.memory = max(self.memory, used * 1.048576e-3)

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def share(self):
        return sum(self.busy) / max(1, len(self.busy))


def needs():
    """What godwit, the peers and scoring need and is not here."""
    state = [line for line in cpu.run([GODWIT, "--version"])[0] if line.startswith("cuda")]
    print("\n".join(state))
    about, has_plugin = "".join(state[:1]), "; plugin for " in "".join(state[:1])
    check = "import torch, transformers; assert torch.cuda.is_available(), 'torch %s sees no GPU' % torch.__version__"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    why = "".join(found.stderr.strip().splitlines()[-1:])
    return {
        "godwit": [text for text, here in (
            ("the CUDA plugin (make CUDA=1)", has_plugin),
            ("an NVIDIA GPU with its driver", len(state) > 1),
            ("kernels in the CUDA plugin", has_plugin and "without kernels" not in about),
            ("nvidia-smi, for memory and the share of time that the GPU is busy", shutil.which("nvidia-smi"))) if not here],
        "peers": [f"torch for CUDA and transformers in {sys.executable}: {why}"] * (found.returncode != 0),
        "scoring": [f"{file} in GODWIT_DATA" for file in (FASTA, VARIANTS, TOKENIZER) if not file.exists()],
    }


def attention_work(tokens, batch):
    """FLOPs of one layer's attention, forward."""
    blocks = tokens // BLOCK
    return 4 * WIDTH * BLOCK * BLOCK * (2 * blocks + (blocks - 2) * KEPT) * batch


def godwit(name, *parts, **more):
    """Its rows, under a name of its own, with the memory of the GPU."""
    with Watch() as watch:
        cpu.godwit(*ON_GPU, "--dtype", DTYPE, *parts, suffix=name, **more)
    for part in parts if watch.memory > 0 else ():
        memory["godwit", DTYPE, part + name] = watch.memory


def share_of_matmul(text, key, work, goal):
    rate = seconds.get(("dense", DTYPE, "matmul"))
    if rate and key in seconds:
        print(f"{text:<66}{100 * work / seconds[key] / (2 * SQUARE ** 3 / rate):7.1f} %   goal {goal}")


def attention(own):
    peer("dense", DTYPE, False, "matmul", tokens=BLOCK, options=QUEUED)
    for tokens in LENGTHS:
        batch, name = max(1, ROWS // tokens), f" {tokens}"
        if own:  # first: compiling the peers may outlast a short loan of the GPU
            godwit(name, "attention", "attention_backward", tokens=tokens, batch=batch)
        for who in ("flex", "dense"):
            peer(who, DTYPE, False, "attention", "attention_both", tokens=tokens, batch=batch, suffix=name, options=QUEUED)
            both, forward = ((who, DTYPE, job + name) for job in ("attention_both", "attention"))
            if both in seconds and forward in seconds:
                note((who, DTYPE, "attention_backward" + name), seconds[both] - seconds[forward], "the difference")
        for part, factor, goals in (("attention", 1, ("1.3", "50 %")), ("attention_backward", 2.5, ("1.2", "40 %"))):
            key = ("godwit", DTYPE, part + name)
            if key in seconds:
                seconds[key] /= LAYERS
            ratio(f"flex / godwit, {part}{name}", seconds, ("flex", DTYPE, part + name), key, goals[0])
            ratio(f"dense / godwit, {part}{name}", seconds, ("dense", DTYPE, part + name), key, "-")
            for who in ("godwit", "flex"):
                share_of_matmul(f"{who}, {part}{name}: share of the matrix rate", (who, DTYPE, part + name),
                                factor * attention_work(tokens, batch), goals[1])


def step_work(tokens, batch):
    """FLOPs of a training step: three times the products of the encoder and of attention's blocks; heads left out."""
    products = 2 * 12 * WIDTH * WIDTH * LAYERS * tokens * batch
    return 3 * products + 3.5 * LAYERS * attention_work(tokens, batch)


def training(own):
    tokens, batch = 4096, 4
    best = None
    if own:
        godwit("", "step", tokens=tokens, batch=batch)
    for mode in ("", "default", "max-autotune"):
        name = f" compiled {mode}" if mode else ""
        peer("transformers", DTYPE, False, "step", tokens=tokens, batch=batch, suffix=name,
             options=(*ON_GPU, "--autocast", "--compile", mode))
        key = ("transformers", DTYPE, "step" + name)
        best = key if key in seconds and (best is None or seconds[key] < seconds[best]) else best
    mine = ("godwit", DTYPE, "step")
    if best:
        ratio(f"{best[0]} / godwit, {best[2]}", seconds, best, mine, "4")
        ratio(f"{best[0]} / godwit, memory of {best[2]}", memory, best, mine, "-")
    share_of_matmul("step: share of the matrix rate", mine, step_work(tokens, batch), "45 %")
    if mine in memory:
        print(f"memory of a step of {batch} x {tokens}: {memory[mine]:.1f} GB   goal at most 16")


def write_variants(path, most):
    """The first plain alleles whose windows of 8 kb do not leave the contig."""
    count = 0
    with gzip.open(VARIANTS, "rt") as lines, open(path, "w") as out:
        for line in lines:
            words = line.split("\t")
            plain = line[0] != "#" and int(words[1]) > 5000 and not set(words[3] + words[4]) - set("ACGT")
            if line[0] == "#" or (plain and count < most):
                out.write(line)
                count += line[0] != "#"


def score_with_godwit(window, model, variants, out):
    start = time.perf_counter()
    with Watch() as watch:
        cpu.run([GODWIT, "score", "-q", *ON_GPU, "-m", model, "-f", FASTA, "--attention", "hf-eval", "--dtype", DTYPE,
                 "--window", window, "-o", out, variants])
    return time.perf_counter() - start, watch


def scoring(own):
    script = pathlib.Path(__file__).with_name("score_peer.py")
    with tempfile.TemporaryDirectory() as folder:
        model, none, some, out = (pathlib.Path(folder, name) for name in ("model", "none.vcf", "some.vcf", "out"))
        cpu.run([sys.executable, script, "make", TOKENIZER, model])
        write_variants(none, 0)
        for window, most in ((1000, 2000), (8000, 400)):
            write_variants(some, most)
            rates = []
            for batch in (16, 64, 256):
                lines, _ = cpu.run([sys.executable, script, "score", model, FASTA, some, window, DTYPE, out],
                                   {"DEVICE": "cuda", "BATCH": str(batch)})
                rates += [(float(lines[0]) / 3600, batch)] if lines else []
            if rates:
                print(f"transformers, {window} bp: {max(rates)[0]:.1f} variants a second, batches of {max(rates)[1]}")
            if own:
                idle, _ = score_with_godwit(window, model, none, out)
                busy, watch = score_with_godwit(window, model, some, out)
                rate = most / (busy - idle)
                print(f"godwit, {window} bp: {rate:.1f} variants a second, GPU busy {watch.share():.0f} %   goal 90 %")
                if rates:
                    print(f"{f'godwit / transformers, scoring {window} bp':<66}{rate / max(rates)[0]:7.2f}   goal 5")


def length(own):
    """Time a token must stay, and memory grow with the tokens alone."""
    tokens = 4096
    while own and tokens <= 1 << 20:
        name = f" of {tokens}"
        godwit(name, "step", tokens=tokens, repeats=1)
        key = ("godwit", DTYPE, "step" + name)
        if key not in seconds:
            print(f"no step of one sequence of {tokens} tokens")
            break
        print(f"{tokens} tokens: {seconds[key] / tokens * 1e9:.1f} ns and {memory.get(key, 0) / tokens * 1e6:.1f} kB a token")
        tokens *= 2


def main():
    lacks = needs()
    for who, things in lacks.items():
        for thing in things:
            print(f"not here, but needed for {who}: {thing}")
    if lacks["peers"]:
        print("nothing was measured: every figure is a ratio to one of the peers")
        return
    print("the peers alone:" if lacks["godwit"] else "godwit beside its peers:")
    for section in (attention, training, scoring, length):
        if section.__name__ in SECTIONS and not (section is scoring and lacks["scoring"]):
            section(not lacks["godwit"])


if __name__ == "__main__":
    main()
