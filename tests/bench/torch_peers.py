#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What godwit is timed against in torch; one process a peer and precision, started by cpu.py (gpu.py has gpu_peers.py).

    torch_peers.py PEER f32|bf16 JOB... --tokens N --batch N --repeats N --step-repeats N --limit SECONDS
                   [--queue N] [--compile MODE] [--runtime torch|zentorch|openvino]

PEER is transformers (its BigBird as it stands), or what an expert would write by hand, twelve encoder layers without
embeddings and heads, compiled: gather (kept blocks gathered for scaled_dot_product_attention, the two full rows apart; by
index_select, whose backward pass is the fast one), indexed (the same by a tensor as index, as one writes at first), flex
(flex_attention with a block mask) or dense (scaled_dot_product_attention over everything). JOB is forward, step (a
training step with AdamW: masked tokens and sentence pair in transformers, no head in the others) or attention (one
layer's, alone). All are of base size with random weights, blocks of 64 and eight key blocks a row, the same ones for all
heads. With --queue the time of a run is that of N runs in a row (in openvino as many at once as it likes), by N;
--compile is a mode of torch.compile (max-autotune: with weights frozen). --runtime runs the hand-written ones elsewhere:
zentorch by torch.compile, openvino as a model of its own, without torch, for forward and attention. For every job a line
is printed: JOB, median seconds, peak memory in GB of the process so far, runs; or JOB, "failed", why.
"""
import argparse
import os
import random
import resource
import statistics
import time

import torch
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention

WIDTH, HEADS, LAYERS, BLOCK, KEPT, WORDS, MASKED_SHARE = 768, 12, 12, 64, 8, 32000, 7


def middle_rows(blocks):
    """Key blocks of the rows but the first and the last: both ends, three neighbours, and others by chance."""
    draw = random.Random(1)
    rows = []
    for row in range(1, blocks - 1):
        kept = {0, row - 1, row, row + 1, blocks - 1}
        kept.update(draw.sample(sorted(set(range(blocks)) - kept), KEPT - len(kept)))
        rows.append(sorted(kept))
    return torch.tensor(rows)


def make_gather(blocks, indexed=False):
    rows = middle_rows(blocks)
    kept = rows.flatten()

    def gathered(x):
        chosen = x.reshape(-1, blocks, BLOCK, x.shape[-1])
        chosen = chosen[:, rows] if indexed else chosen.index_select(1, kept)
        return chosen.reshape(-1, blocks - 2, rows.shape[1] * BLOCK, x.shape[-1])

    def attention(query, key, value):
        inner_query = query[:, :, BLOCK:-BLOCK].reshape(-1, blocks - 2, BLOCK, query.shape[-1])
        inner = scaled_dot_product_attention(inner_query, gathered(key), gathered(value))
        outer_query = torch.cat((query[:, :, :BLOCK], query[:, :, -BLOCK:]), dim=2)
        first, last = scaled_dot_product_attention(outer_query, key, value).split(BLOCK, dim=2)
        return torch.cat((first, inner.reshape(*query.shape[:2], -1, query.shape[-1]), last), dim=2)

    return attention


def make_flex(blocks):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    reads = torch.zeros(blocks, blocks, dtype=torch.bool)
    reads[1:-1].scatter_(1, middle_rows(blocks), True)
    reads[0], reads[-1] = True, True
    mask = create_block_mask(lambda b, h, i, j: reads[i // BLOCK, j // BLOCK], B=None, H=None, Q_LEN=blocks * BLOCK,
                             KV_LEN=blocks * BLOCK, device="cpu", BLOCK_SIZE=BLOCK)
    return lambda query, key, value: flex_attention(query, key, value, block_mask=mask)


def make_dense(blocks):
    return scaled_dot_product_attention


MAKERS = {"gather": make_gather, "indexed": lambda blocks: make_gather(blocks, indexed=True), "flex": make_flex, "dense": make_dense}


class EncoderLayer(nn.Module):
    def __init__(self, attention, dropout=0.0):
        super().__init__()
        self.attention, self.dropout = attention, nn.Dropout(dropout)
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.mix, self.wide, self.narrow = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.mix_norm, self.out_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        parts = [p.unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in self.project(x).chunk(3, dim=-1)]
        x = self.mix_norm(x + self.dropout(self.mix(self.attention(*parts).transpose(1, 2).flatten(2))))
        return self.out_norm(x + self.dropout(self.narrow(gelu(self.wide(x), approximate="tanh"))))


pending = []  # what waits for runs that were only started


def in_openvino(module, inputs, dtype, queue):
    """A run of the module by OpenVINO's CPU plugin: f32 arrays in and out, products in the asked precision. Runs of a
    queue are started only, in the plugin's throughput mode, which has several at once."""
    import openvino
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": str(dtype).rsplit(".", 1)[1].replace("float32", "f32").replace("bfloat16", "bf16"),
                "INFERENCE_NUM_THREADS": torch.get_num_threads(), "PERFORMANCE_HINT": "THROUGHPUT" if queue > 1 else "LATENCY"}
    inputs = [x.float() for x in inputs]
    model = core.compile_model(openvino.convert_model(module.float().eval(), example_input=tuple(inputs)), "CPU", settings)
    arrays = [x.numpy() for x in inputs]
    if queue > 1:
        requests = openvino.AsyncInferQueue(model)
        pending.append(requests.wait_all)
        return lambda: requests.start_async(arrays, share_inputs=True)
    request = model.create_infer_request()
    return lambda: request.infer(arrays, share_inputs=True, share_outputs=True)


class Attention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, query, key, value):
        return self.attention(query, key, value)


def compiled_by(args, module):
    """torch.compile as --compile and --runtime say; frozen weights let max-autotune lay them out anew."""
    if args.runtime == "zentorch":
        import zentorch  # noqa: F401: registers itself
        return torch.compile(module, backend="zentorch")
    if args.compile == "max-autotune":
        from torch._inductor import config
        config.freezing = True
    return torch.compile(module, mode=args.compile or None)


def hand_written(args, dtype):
    attention = MAKERS[args.peer](args.tokens // BLOCK)
    model = nn.Sequential(*(EncoderLayer(attention) for _ in range(LAYERS))).to(dtype)
    x = torch.randn(args.batch, args.tokens, WIDTH).to(dtype)
    if args.runtime == "openvino":
        return model, in_openvino(model, [x], dtype, args.queue), None
    compiled = compiled_by(args, model)
    return model, lambda: compiled(x), lambda: compiled(x).float().square().mean()


def transformers_model(args, dtype):
    from transformers import BigBirdConfig, BigBirdForPreTraining
    model = BigBirdForPreTraining(BigBirdConfig(vocab_size=WORDS, max_position_embeddings=max(4096, args.tokens),
                                                attention_type="block_sparse"))
    model = model.to(dtype)
    ids = torch.randint(5, WORDS, (args.batch, args.tokens))
    labels = torch.where(torch.arange(args.tokens) % MASKED_SHARE == 3, ids, -100)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    pairs = torch.zeros(args.batch, dtype=torch.long)
    whole, encoder = (torch.compile(m, mode=args.compile) if args.compile else m for m in (model, model.bert))

    return model, lambda: encoder(**inputs), lambda: whole(**inputs, labels=labels, next_sentence_label=pairs).loss


def attention_alone(args, dtype):
    """A run of one layer's attention."""
    attention = MAKERS[args.peer](args.tokens // BLOCK)
    parts = [torch.randn(args.batch, HEADS, args.tokens, WIDTH // HEADS).to(dtype) for _ in range(3)]
    if args.runtime == "openvino":
        return in_openvino(Attention(attention), parts, dtype, args.queue)
    compiled = compiled_by(args, attention)
    return lambda: compiled(*parts)


def make_step(model, loss):
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        loss().backward()
        optimiser.step()
        optimiser.zero_grad()

    return step


def measure(job, run, args):
    """Two runs to warm up (one of a step), then the median of repeats, or of as many as the limit allows."""
    times, repeats = [], args.step_repeats if job == "step" else args.repeats

    def wait():
        for wait_for_all in pending:
            wait_for_all()

    for _ in range(1 if job == "step" else 2):
        run()
    while len(times) < repeats and sum(times) * args.queue < args.limit:
        wait()
        start = time.perf_counter()
        for _ in range(args.queue):
            run()
        wait()
        times.append((time.perf_counter() - start) / args.queue)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(job, statistics.median(times), memory, len(times), sep="\t", flush=True)


def run_job(job, args, dtype, model, forward, loss):
    if job == "step":
        model.train()
        return measure(job, make_step(model, loss), args)
    with torch.inference_mode():
        if job == "attention":
            return measure(job, attention_alone(args, dtype), args)
        model.eval()
        return measure(job, forward, args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["transformers", *MAKERS])
    parser.add_argument("dtype", choices=["f32", "bf16"])
    parser.add_argument("jobs", nargs="+", choices=["forward", "step", "attention"])
    for name, kind in (("tokens", int), ("batch", int), ("repeats", int), ("step-repeats", int), ("limit", float)):
        parser.add_argument("--" + name, type=kind, required=True)
    parser.add_argument("--queue", type=int, default=1)
    parser.add_argument("--compile", default="")
    parser.add_argument("--runtime", choices=["torch", "zentorch", "openvino"], default="torch")
    args = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[args.dtype]
    parts = (transformers_model if args.peer == "transformers" else hand_written)(args, dtype)
    for job in args.jobs:
        try:
            run_job(job, args, dtype, *parts)
        except (RuntimeError, NotImplementedError) as error:
            print(job, "failed", str(error).strip().splitlines()[0], sep="\t", flush=True)


if __name__ == "__main__":
    main()
