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

SOURCES = ("attention_mma", "attention_mma_backward", "layer_norm", "dropout", "rows")
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


FULL, CAUSAL, BAND, BITS = range(4)


class Packed:
    """Sequences of heads end to end, each with a graph whose edges are of all kinds: what attention kernels take."""
    heads, scale, before, after = 2, 0.125, 40, 9
    # of each: queries, keys, offset, edges of its block rows
    sequences = ((150, 300, 20, ([(0, FULL), (1, BITS), (2, FULL), (4, BAND)], [], [(1, CAUSAL), (3, FULL), (4, BITS)])),
                 (40, 64, 0, ([(0, BITS)],)))

    def __init__(self, tile, size, cut=1):
        self.tile, self.size, self.block, self.width = tile, size, tile * cut, self.heads * size
        self.shapes = [(q * self.block // 64, k * self.block // 64, o, rows) for q, k, o, rows in self.sequences]
        self.queries, self.keys = (sum(shape[i] for shape in self.shapes) for i in range(2))
        self.query, self.key, self.value = (to_bf16(DRAWS.normal(size=(n, self.width))) for n in (self.queries, self.keys, self.keys))
        self.memory = Memory()
        self.put_graphs()

    def put_graphs(self):
        block = self.block
        self.terms, query, key = [], 0, 0
        self.tiles, self.jobs = {side: [] for side in "qk"}, {side: b"" for side in "qk"}
        for number, (queries, keys, offset, rows) in enumerate(self.shapes):
            edges = [(r, *edge) for r, row in enumerate(rows) for edge in row]
            more = DRAWS.normal(size=len(edges)).astype(np.float32)
            bits = DRAWS.integers(0, 2, (len(edges), block, block)).astype(bool)
            put = lambda name, array: self.memory.put(f"{name}{number}", array)
            columns = -(-keys // block)
            by_column = sorted(range(len(edges)), key=lambda e: (edges[e][1], e))
            lists = [put("row_start", np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)),
                     put("column", np.array([e[1] for e in edges], np.int32)), put("kind", np.array([e[2] for e in edges], np.uint8)),
                     put("more", more), put("bits", np.packbits(bits.reshape(-1, 64), 1, "little").view(np.uint64)),
                     put("bits_index", np.arange(len(edges), dtype=np.int64)),
                     put("column_start", np.searchsorted([edges[e][1] for e in by_column], range(columns + 1)).astype(np.int64)),
                     put("row", np.array([edges[e][0] for e in by_column], np.int32)), put("edge", np.array(by_column, np.int64))]
            self.graph = struct.pack("iii4xqqqi4xq9Q", block, len(rows), columns, offset, self.before, self.after, 0, len(edges), *lists)
            term = np.full((queries, keys), -np.inf)
            i, j = np.arange(queries)[:, None], np.arange(keys)[None, :]
            for e, (r, c, kind) in enumerate(edges):
                apart = j - offset - i
                reads = {FULL: True, CAUSAL: apart <= 0, BAND: (-self.before <= apart) & (apart <= self.after),
                         BITS: bits[e][i % block, j % block]}[kind]
                term[(i // block == r) & (j // block == c) & reads] = more[e]
            self.terms.append((query, key, term))
            for side in "qk":
                self.jobs[side] += self.graph + struct.pack("qqiiii", query, key, queries, keys, 0, len(self.tiles[side]))
            for side, count in (("q", queries), ("k", keys)): self.tiles[side] += [number] * -(-count // self.tile)
            query, key = query + queries, key + keys

    def arguments(self, side, out, log_sum, gradients=(0, 0, 0, 0), more=(0, 0)):
        """Of a kernel over tiles of the queries or the keys: gradients of out, query, key, value; dout in bf16 and delta."""
        at = [self.memory.put(name, x) for name, x in (("q", self.query), ("k", self.key), ("v", self.value), ("jobs", np.frombuffer(self.jobs[side], np.uint8)),
                                                       ("of_tile", np.array(self.tiles[side], np.int32)))]
        args = struct.pack("i4xQiiiif4x3Q3qqqQqQ5Q", len(self.shapes), 0, self.heads, self.size, self.block, 1, self.scale, 0, 0, 0,
                           *[self.width] * 3, self.queries, self.keys, out, self.width, log_sum, *gradients, 0)
        return args + struct.pack("4QqQQQii", *at[:3], more[0], self.width, more[1], *at[3:], len(self.tiles[side]), self.heads)

    def parts(self):
        """Of each sequence and head: slices of query rows, key rows and columns, its terms, and numbers in double."""
        for query, key, term in self.terms:
            for h in range(self.heads):
                q, k, c = slice(query, query + term.shape[0]), slice(key, key + term.shape[1]), slice(h * self.size, (h + 1) * self.size)
                yield h, q, k, c, self.scale * from_bf16(self.query[q, c]) @ from_bf16(self.key[k, c]).T + term


def softmax(z):
    most = np.maximum(z.max(1, keepdims=True), -1e300)
    log_sum = most + np.log(np.exp(z - most).sum(1, keepdims=True))
    return np.exp(z - np.maximum(log_sum, -1e300)), log_sum[:, 0]


def attention(folder, eager, *shape):
    """Rows with three blocks of keys and more, one with none, last blocks that are partly filled."""
    p = Packed(*shape)
    at = [p.memory.put(*pair) for pair in (("out", np.full((p.queries, p.width), np.nan, np.float32)),
                                           ("sums", np.full((p.heads, p.queries), np.nan, np.float32)))]
    params = p.arguments("q", *at)
    left = run(folder, "attention_mma", f"13attention_mmaILi{p.tile}ELi{p.size}E", p.memory, params, (len(p.tiles["q"]), p.heads),
               2 * p.tile, 5 * p.tile * p.size * 2, eager)
    out, sums = np.zeros((p.queries, p.width)), np.zeros((p.heads, p.queries))
    for h, q, k, c, z in p.parts():
        weight, sums[h, q] = softmax(z)
        out[q, c] = weight @ from_bf16(p.value[k, c])
    how = f"attention_mma, tiles of {p.tile} x {p.size}, copies " + ("at once" if eager else "as late as they may")
    near(f"{how}: out", p.memory.get(left, "out"), out, 6e-3)  # weights are rounded to bf16
    near(f"{how}: log_sum", p.memory.get(left, "sums"), sums, 2e-5)


def attention_backward(folder, eager, *shape):
    p = Packed(*shape)
    draw = lambda rows: DRAWS.normal(size=(rows, p.width)).astype(np.float32)
    dout, sums, delta = to_bf16(draw(p.queries)), np.zeros((p.heads, p.queries), np.float32), np.zeros((p.heads, p.queries), np.float32)
    before = {"dq": draw(p.queries), "dk": draw(p.keys), "dv": draw(p.keys)}
    want = {name: x.astype(np.float64) for name, x in before.items()}
    for h, q, k, c, z in p.parts():
        weight, sums[h, q] = softmax(z)
        product = from_bf16(dout[q, c]) @ from_bf16(p.value[k, c]).T
        delta[h, q] = (weight * product).sum(1)
        dz = weight * (product - delta[h, q].astype(np.float64)[:, None])
        want["dq"][q, c] += p.scale * dz @ from_bf16(p.key[k, c])
        want["dk"][k, c] += p.scale * dz.T @ from_bf16(p.query[q, c])
        want["dv"][k, c] += weight.T @ from_bf16(dout[q, c])
    at = {name: p.memory.put(name, x) for name, x in (*before.items(), ("sums", sums), ("dout", dout), ("delta", delta))}
    shared = 6 * p.tile * p.size * 2 + 4 * p.tile * 4
    for number, side, names in ((0, "q", ["dq"]), (1, "k", ["dk", "dv"])):
        params = p.arguments(side, 0, at["sums"], (0, at["dq"], at["dk"], at["dv"]), (at["dout"], at["delta"]))
        left = run(folder, "attention_mma_backward", f"19attention_gradientsIL12gw_cuda_side{number}ELi{p.tile}ELi{p.size}E", p.memory, params,
                   (len(p.tiles[side]), p.heads), 2 * p.tile, shared, eager)
        for name in names:
            near(f"attention_mma_backward, tiles of {p.tile} x {p.size}: {name}", p.memory.get(left, name), want[name], 1e-2)


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
    attention(folder, False, 64, 64)
    attention(folder, True, 32, 64)
    attention(folder, False, 32, 32, 2)
    attention(folder, True, 32, 128)
    attention_backward(folder, False, 32, 64, 2)
    attention_backward(folder, True, 16, 128)
    layer_norm(folder)
    dropout(folder)
    scatter(folder)


if __name__ == "__main__":
    main()
