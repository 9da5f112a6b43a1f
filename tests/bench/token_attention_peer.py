#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attention of one head of 32 over a random graph in PyTorch, forward and backward, by density: dense with a mask
(scaled_dot_product_attention), and with gathered scores, torch.sparse.softmax and torch.sparse.mm, which have
gradients. Times of the processor, one thread.
  token_attention_peer.py TOKENS [MOST]    (densities up to MOST)"""
import resource, sys, time

import torch

torch.set_num_threads(1)
SIZE, SCALE = 32, 0.2


def measure(call):
    began = time.process_time()
    call()
    return time.process_time() - began


def dense(q, k, v, mask, gradient):
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=SCALE)
    if gradient is not None:
        out.backward(gradient)


def sparse(q, k, v, graph, gradient):
    """COO, whose softmax and products have gradients."""
    rows, columns = graph
    score = (q[rows] * k[columns]).sum(1) * SCALE
    weights = torch.sparse.softmax(torch.sparse_coo_tensor(graph, score, (len(q), len(k)), is_coalesced=True), 1)
    out = torch.sparse.mm(weights, v)
    if gradient is not None:
        out.backward(gradient)


def main():
    tokens, most = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1
    torch.manual_seed(1)
    print("density\tdense_s\tdense_step_s\tsparse_s\tsparse_step_s\tGB")
    for density in (0.01, 0.05, 0.2, 0.5, 1):
        if density > most:
            break
        mask = torch.rand(tokens, tokens) < density
        graph = mask.nonzero().t().contiguous()
        q, k, v = (torch.randn(tokens, SIZE, requires_grad=True) for _ in range(3))
        gradient = torch.randn(tokens, SIZE)
        wide = [x.detach()[None, None].requires_grad_() for x in (q, k, v)]
        times = []
        for call, arguments, g in ((dense, (*wide, mask), gradient[None, None]), (sparse, (q, k, v, graph), gradient)):
            for step in (None, g):
                call(*arguments, step) if tokens <= 4096 else None
                times.append(measure(lambda: call(*arguments, step)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{density}\t" + "\t".join(f"{t:.4f}" for t in times) + f"\t{peak:.1f}", flush=True)


main()
