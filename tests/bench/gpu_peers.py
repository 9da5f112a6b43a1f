#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What gpu.py times godwit against in torch: one process that reads requests and answers each, in lines of JSON.

    {"do": "prepare", "name": NAME, "job": JOB, "peer": PEER, ...}     builds a job, compiles it and runs it once
    {"do": "time", "name": NAME, "device": D, "runs": N, "queue": N}   {"seconds": [N times of a run], "gb": peak memory}
    {"do": "drop"}                                                     forgets all jobs and frees their memory

JOB and PEER are
    products               torch: a product of two squares
    attention,             sdpa (scaled_dot_product_attention of all pairs), masked (the same with the graph as a mask) or flex
    attention_backward     (flex_attention with the graph as a block mask). The backward pass is timed alone
    linear                 torch: the linear layers of the encoder, without biases
    step                   transformers (its BigBird as it stands), transformers-compiled, or torch (the same step written by
                           hand around flex_attention, and compiled)
"graph" has the key blocks of each row of each head, as `godwit graph --edges` prints them. Answers to jobs with a graph
have "edges", the blocks that the peer's own mask holds; to flex "difference", how far its result is from that of masked.
A request that fails is answered by {"why": TEXT}; with "ended": true no further one will be answered.
Times are those of CUDA events round `queue` runs in a row, by their number, after two runs; without a GPU the clock's. A run
that takes long needs no queue to hide its launch, and has a shorter one.
"""
import gc
import json
import os
import resource
import sys
import time

import torch
import torch._dynamo.config
import torch._functorch.config
from torch import nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention as sdpa

from torch_peers import BLOCK, HEADS, LAYERS, MASKED_SHARE, WIDTH, WORDS, EncoderLayer

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
MASK_SHARE, CHECKED_TOKENS = 0.25, 4096  # of the memory, for a mask; at most, where two results are compared
LONG_ENOUGH = 0.02  # seconds of a queue


def on_gpu(request):
    return request["device"] == "cuda"


def compiled(request, what):
    return torch.compile(what, dynamic=False) if request["compile"] else what


# ---- the graph

def reads_of(request):
    """Whether a row of blocks reads a block: [heads][rows][blocks]."""
    graph = request["graph"]
    reads = torch.zeros(len(graph), len(graph[0]), len(graph[0]), dtype=torch.bool, device="cpu")
    for head, rows in enumerate(graph):
        for row, kept in enumerate(rows):
            reads[head, row, kept] = True
    return reads.to(request["device"])


def dense_mask(request, dtype):
    """The graph as numbers that are added to scores, [1][heads][tokens][tokens]."""
    heads, tokens = len(request["graph"]), request["tokens"]
    size = heads * tokens * tokens * dtype.itemsize
    if on_gpu(request) and size > MASK_SHARE * torch.cuda.get_device_properties(0).total_memory:
        raise MemoryError(f"its mask would take {size / 1e9:.0f} GB")
    mask = torch.empty(1, heads, tokens, tokens, dtype=dtype)
    for head, reads in enumerate(reads_of(request)):
        blocks = torch.zeros(reads.shape, dtype=dtype).masked_fill_(~reads, float("-inf"))
        mask[0, head] = blocks.repeat_interleave(BLOCK, 0).repeat_interleave(BLOCK, 1)
    return mask


def block_mask(request):
    """The graph for flex_attention. All its blocks are full: the kernel asks no mask for a pair of tokens."""
    from torch.nn.attention.flex_attention import BlockMask
    reads = reads_of(request)
    counts = reads.sum(-1, dtype=torch.int32)[None]
    order = torch.argsort(reads.to(torch.int8), dim=-1, descending=True, stable=True).to(torch.int32)[None]
    return BlockMask.from_kv_blocks(torch.zeros_like(counts), torch.zeros_like(order), counts, order, BLOCK_SIZE=BLOCK,
                                    mask_mod=lambda b, h, i, j: reads[h, i // BLOCK, j // BLOCK])


# Tiles for releases of torch whose own ones do not divide blocks of 64 tokens.
TILES = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_M1": 32, "BLOCK_N1": 64, "BLOCK_M2": 64, "BLOCK_N2": 32}


def flex(request, mask, options=None):
    from torch.nn.attention.flex_attention import flex_attention
    call = compiled(request, flex_attention)
    return lambda query, key, value: call(query, key, value, block_mask=mask, kernel_options=options)


# ---- jobs: each returns a run, and what the answer says of it

def products(request, dtype):
    a, b = (torch.randn(request["square"], request["square"]).to(dtype) for _ in range(2))
    return lambda: a @ b, {}


def linear(request, dtype):
    rows = request["tokens"] * request["batch"]
    inputs = {width: torch.randn(rows, width).to(dtype) for width in (WIDTH, 4 * WIDTH)}
    layers = [(inputs[k], (0.02 * torch.randn(n, k)).to(dtype))
              for n, k, times in ((WIDTH, WIDTH, 4), (4 * WIDTH, WIDTH, 1), (WIDTH, 4 * WIDTH, 1)) for _ in range(times)]

    def run():
        for x, weight in layers:
            functional.linear(x, weight)

    return run, {}


def attention_call(request, dtype, parts):
    """The peer's attention, and the edges of its mask."""
    if request["peer"] == "sdpa":
        return sdpa, {}
    if request["peer"] == "masked":
        mask = dense_mask(request, dtype)
        return (lambda *qkv: sdpa(*qkv, attn_mask=mask)), {"edges": int((mask == 0).sum()) // BLOCK ** 2}
    mask = block_mask(request)
    found = {"edges": int(mask.kv_num_blocks.sum()) + int(mask.full_kv_num_blocks.sum())}
    call = flex(request, mask)
    try:
        out = call(*parts)
    except Exception:
        if not request["compile"]:
            raise
        call = flex(request, mask, TILES)
        out = call(*parts)
    if request["tokens"] <= CHECKED_TOKENS:
        expected = sdpa(*parts, attn_mask=dense_mask(request, dtype))
        found["difference"] = float((out - expected).float().norm() / expected.float().norm())
    return call, found


def attention(request, dtype):
    backward = request["job"] == "attention_backward"
    shape = request["batch"], WIDTH // request["head"], request["tokens"], request["head"]
    parts = [torch.randn(shape).to(dtype).requires_grad_(backward) for _ in range(3)]
    call, found = attention_call(request, dtype, parts)
    if not backward:
        return lambda: call(*parts), found
    out = call(*parts)
    gradient = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, parts, gradient, retain_graph=True), found


class Pretraining(nn.Module):
    """A BigBird with both heads of pre-training, words of the head tied: its loss."""

    def __init__(self, attend, tokens):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(tokens, WIDTH)
        self.kinds, self.norm, self.dropout = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH), nn.Dropout(0.1)
        self.layers = nn.ModuleList(EncoderLayer(attend, dropout=0.1) for _ in range(LAYERS))
        self.dense, self.dense_norm, self.bias = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.Parameter(torch.zeros(WORDS))
        self.pool, self.pair = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)
        for module in (self.words, self.places, self.kinds):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, ids, masked, labels, pairs):
        x = self.dropout(self.norm(self.words(ids) + self.places.weight[:ids.shape[1]] + self.kinds.weight[0]))
        for layer in self.layers:
            x = layer(x)
        hidden = self.dense_norm(functional.gelu(self.dense(x.flatten(0, 1)[masked]), approximate="tanh"))
        scores = functional.linear(hidden, self.words.weight, self.bias)
        pair = self.pair(torch.tanh(self.pool(x[:, 0])))
        return functional.cross_entropy(scores.float(), labels) + functional.cross_entropy(pair.float(), pairs)


def by_hand(request, dtype, ids, pairs):
    if on_gpu(request):
        attend = flex({**request, "compile": False}, block_mask(request), request.get("tiles"))  # compiled with the rest
    else:
        mask = dense_mask(request, torch.float32)  # flex_attention has no backward pass there
        attend = lambda *qkv: sdpa(*qkv, attn_mask=mask.to(qkv[0].dtype))
    model = Pretraining(attend, request["tokens"])
    masked = (torch.arange(ids.numel()) % MASKED_SHARE == 3).nonzero().flatten()
    network = compiled(request, model)
    return model, lambda: network(ids, masked, ids.flatten()[masked], pairs)


def by_transformers(request, dtype, ids, pairs):
    from transformers import BigBirdConfig, BigBirdForPreTraining
    model = BigBirdForPreTraining(BigBirdConfig(vocab_size=WORDS, max_position_embeddings=max(4096, request["tokens"]),
                                                attention_type="block_sparse"))
    network = torch.compile(model) if request["peer"].endswith("compiled") and request["compile"] else model
    labels = torch.where(torch.arange(ids.numel()).reshape(ids.shape) % MASKED_SHARE == 3, ids, -100)
    whole = torch.ones_like(ids)
    return model, lambda: network(input_ids=ids, attention_mask=whole, labels=labels, next_sentence_label=pairs).loss


def step(request, dtype):
    ids = torch.randint(5, WORDS, (request["batch"], request["tokens"]))
    pairs = torch.zeros(request["batch"], dtype=torch.long)
    model, loss = (by_hand if request["peer"] == "torch" else by_transformers)(request, dtype, ids, pairs)
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def run():
        with torch.autocast(request["device"], dtype, enabled=dtype != torch.float32):
            value = loss()
        value.backward()
        optimiser.step()
        optimiser.zero_grad()

    return run, {}


JOBS = {"products": products, "linear": linear, "attention": attention, "attention_backward": attention, "step": step}
ready = {}  # runs by name


def wait(request):
    if on_gpu(request):
        torch.cuda.synchronize()


def prepare(request):
    dtype = TYPES[request["dtype"]]
    torch.set_default_device(request["device"])
    torch.manual_seed(0)
    job = JOBS[request["job"]]
    try:
        run, found = job(request, dtype)
        run()
    except Exception:
        if request["job"] != "step" or request["peer"] != "torch" or not request["compile"]:
            raise
        run, found = job({**request, "tiles": TILES}, dtype)
        run()
    wait(request)
    ready[request["name"]] = run
    return found


def time_runs(request):
    run, seconds = ready[request["name"]], []
    if on_gpu(request):
        torch.cuda.reset_peak_memory_stats()
    run()
    wait(request)
    start = time.perf_counter()
    run()
    wait(request)
    queue = max(1, min(request["queue"], round(LONG_ENOUGH / (time.perf_counter() - start))))
    for _ in range(request["runs"]):
        if on_gpu(request):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
        else:
            start = time.perf_counter()
        for _ in range(queue):
            run()
        if on_gpu(request):
            end.record()
            end.synchronize()
        seconds.append((begin.elapsed_time(end) * 1e-3 if on_gpu(request) else time.perf_counter() - start) / queue)
    gb = torch.cuda.max_memory_allocated() / 1e9 if on_gpu(request) else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"seconds": seconds, "gb": gb}


def drop(request):
    ready.clear()
    free_memory()
    return {}


def free_memory():
    torch._dynamo.reset()  # compiled functions hold the tensors of their masks
    gc.collect()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    torch._functorch.config.donated_buffer = False  # a backward pass is run many times
    if hasattr(torch._dynamo.config, "recompile_limit"):
        torch._dynamo.config.recompile_limit = 64  # above it flex_attention would run uncompiled
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"prepare": prepare, "time": time_runs, "drop": drop}[request["do"]](request)
        except Exception as error:  # of whatever a peer calls
            lines = str(error).strip().splitlines()
            answer = {"why": f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]}
            if "CUDA error" in str(error):
                answer["ended"] = True
            del error
            ready.pop(request.get("name"), None)
        print(json.dumps(answer), file=answers, flush=True)
        if "ended" in answer:
            os._exit(1)
        if "why" in answer:
            gc.collect()
            if torch.cuda.is_initialized():
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
