# SPDX-License-Identifier: MIT
"""Kernels whose PTX is interpreted: what nvcc made of each computes its formula, as numpy does it in double.

usage: kernels.py FOLDER    which holds SOURCE.ptx of each source in SOURCES
       kernels.py --sources   those
"""
import pathlib
import struct
import sys

import numpy as np

from interpreter import GLOBAL, Kernel, Run

SOURCES = ("attention_mma", "layer_norm", "dropout", "rows")
DRAWS = np.random.default_rng(5)


class Memory:
    """Arrays at addresses of global memory, and what a kernel leaves there."""

    def __init__(self):
        self.parts, self.place, self.top = [], {}, 0

    def put(self, name, array):
        self.place[name] = (self.top, array.dtype, array.shape)
        padded = np.zeros((array.nbytes + 255) // 256 * 256, np.uint8)
        padded[:array.nbytes] = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
        self.parts.append(padded)
        self.top += padded.size
        return GLOBAL + self.place[name][0]

    def bytes(self):
        return np.concatenate(self.parts)

    def get(self, memory, name):
        at, kind, shape = self.place[name]
        return memory[at:at + np.prod(shape) * kind.itemsize].view(kind).reshape(shape)


def run(folder, source, kernel, memory, params, grid, block, shared=0, eager=False):
    """The memory after all blocks have run."""
    code = Kernel((folder / f"{source}.ptx").read_text(), kernel)
    params = params + bytes(code.param_bytes - len(params)) if len(params) < code.param_bytes else params
    assert len(params) == code.param_bytes, (kernel, len(params), code.param_bytes)
    machine = Run(code, memory.bytes(), shared, (block, 1, 1), eager)
    for y in range(grid[1]):
        for x in range(grid[0]):
            machine.run_block((x, y, 0), params, (*grid, 1))
    return machine.memory


def near(what, got, want, bound):
    error = np.abs(got.astype(np.float64) - want)
    finite = np.isfinite(want)
    worst = error[finite].max() if finite.any() else 0.0
    same = (got[~finite] == want[~finite]).all()
    print(f"{what}: largest error {worst:.2g}, bound {bound:g}")
    if not (worst <= bound and same):
        sys.exit(f"{what} is wrong")


def to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def attention(folder, eager):
    """Rows with three blocks of keys and more, one with none, a last block that is partly filled."""
    heads, queries, keys, size, block = 2, 150, 300, 64, 64
    rows = [[0, 1, 2, 4], [], [1, 3, 4]]
    width, scale = heads * size, 0.125
    query, key, value = (to_bf16(DRAWS.normal(size=(n, width))) for n in (queries, keys, keys))
    starts = np.cumsum([0] + [len(r) for r in rows]).astype(np.int64)
    columns = np.array([c for r in rows for c in r], np.int32)
    more = DRAWS.normal(size=columns.size).astype(np.float32)
    memory = Memory()
    at = [memory.put(*pair) for pair in (("q", query), ("k", key), ("v", value), ("starts", starts), ("columns", columns), ("more", more),
                                         ("out", np.full((queries, width), np.nan, np.float32)),
                                         ("sums", np.full((heads, queries), np.nan, np.float32)))]
    params = struct.pack("QQQqiiQQQf4xQqQq", *at[:3], width, queries, keys, *at[3:6], scale, at[6], width, at[7], queries)
    left = run(folder, "attention_mma", "gw_attention_mma", memory, params, (len(rows), heads), 128, 5 * block * size * 2, eager)
    out, sums = np.zeros((queries, width)), np.full((heads, queries), -np.inf)
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(queries):
            edges = range(starts[i // block], starts[i // block + 1])
            j = np.concatenate([np.arange(columns[e] * block, min((columns[e] + 1) * block, keys)) for e in edges] or [[]]).astype(int)
            if j.size == 0: continue
            extra = np.concatenate([np.full(min((columns[e] + 1) * block, keys) - columns[e] * block, more[e]) for e in edges])
            z = scale * from_bf16(key[j, part]) @ from_bf16(query[i, part]) + extra
            sums[h, i] = z.max() + np.log(np.exp(z - z.max()).sum())
            out[i, part] = np.exp(z - sums[h, i]) @ from_bf16(value[j, part])
    how = "copies at once" if eager else "copies as late as they may"
    near(f"attention_mma ({how}), out", memory.get(left, "out"), out, 8e-3)  # weights are rounded to bf16
    near(f"attention_mma ({how}), log_sum", memory.get(left, "sums"), sums, 2e-5)


def layer_norm(folder):
    rows, width, epsilon = 6, 77, 1e-5
    x, weight, bias = (DRAWS.normal(size=n).astype(np.float32) for n in ((rows, width), width, width))
    memory = Memory()
    empty = np.full((rows, width), np.nan, np.float32)
    at = [memory.put(*pair) for pair in (("in", x), ("weight", weight), ("bias", bias), ("out", empty), ("mean", empty[:, 0].copy()),
                                         ("inverse", empty[:, 0].copy()))]
    params = struct.pack("qqf4x6Q", rows, width, epsilon, *at)
    left = run(folder, "layer_norm", "10layer_norm18gw", memory, params, (2, 1), 128)
    wide = x.astype(np.float64)
    mean, inverse = wide.mean(1, keepdims=True), 1 / np.sqrt(wide.var(1, keepdims=True) + epsilon)
    near("layer_norm, out", memory.get(left, "out"), (wide - mean) * inverse * weight + bias, 3e-6)
    near("layer_norm, inverse_deviation", memory.get(left, "inverse"), inverse[:, 0], 1e-6)


def philox(counter, key):
    """Four words of Philox 4x32-10 (Salmon et al., 2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xffffffff, p >> 32 ^ c[3] ^ k[1], p & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c


def dropout(folder):
    count, probability, seed, step, site, first = 1030, 0.3, 0x0123456789abcdef, 77, 0xabcd1234, 4 * ((1 << 32) - 3)
    x, residual = (DRAWS.normal(size=count).astype(np.float32) for _ in range(2))
    memory = Memory()
    at = [memory.put(*pair) for pair in (("in", x), ("residual", residual), ("out", np.full(count, np.nan, np.float32)))]
    threshold, scale = int(np.ceil(float(np.float32(probability)) * 2.0**32)), 1 / (1 - np.float32(probability))
    params = struct.pack("qf4xQIIqQqQQQQQQ8xIf", count, probability, seed, step, site, first, 0, 0, *at, 0, 0, 0, threshold, scale)
    left = run(folder, "dropout", "11dropout_add", memory, params, (-(-count // 1024), 1), 256)
    words = [w for i in range(-(-count // 4)) for w in philox(((first // 4 + i) & 0xffffffff, (first // 4 + i) >> 32, site, step),
                                                             (seed & 0xffffffff, seed >> 32))][:count]
    want = np.where(np.array(words) >= threshold, x.astype(np.float64) * scale, 0) + residual
    near("dropout_add, out", memory.get(left, "out"), want, 5e-7)


def scatter(folder):
    rows, width, table = 70, 40, 9
    index, x = DRAWS.integers(0, table, rows).astype(np.int32), DRAWS.normal(size=(rows, width)).astype(np.float32)
    before = DRAWS.normal(size=(table, width)).astype(np.float32)
    memory = Memory()
    at = [memory.put(*pair) for pair in (("index", index), ("in", x), ("table", before))]
    params = struct.pack("qqQQqQf4xQq", rows, width, at[0], at[1], width, 0, 1.0, at[2], width)
    left = run(folder, "rows", "scatter_add_rows", memory, params, (-(-2 * 64 // 4), 1), 128)
    want = before.astype(np.float64)
    np.add.at(want, index, x)
    near("scatter_add_rows, out", memory.get(left, "table"), want, 1e-5)


def main():
    if sys.argv[1] == "--sources":
        print(*SOURCES)
        return
    folder = pathlib.Path(sys.argv[1])
    attention(folder, False)
    attention(folder, True)
    layer_norm(folder)
    dropout(folder)
    scatter(folder)


if __name__ == "__main__":
    main()
