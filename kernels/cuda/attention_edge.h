// SPDX-License-Identifier: MIT
// What the attention kernels take of a graph, and which keys of an edge a query reads.
#ifndef GW_KERNELS_CUDA_ATTENTION_EDGE_H
#define GW_KERNELS_CUDA_ATTENTION_EDGE_H

#include "kernels/cuda/frame.h"

// The keys of an edge that are `low` to `high` tokens behind the query, before it where below 0; with bits those of
// them whose bit is set.
struct gpu_edge {
    int low, high;
    const uint64_t *bits; // or NULL
    int block, within;    // of the graph
};

enum { GPU_FAR = 1 << 30 }; // more than there are tokens

GPU_FN int gpu_token_distance(int64_t tokens) {
    return int(max(min(tokens, int64_t(GPU_FAR)), -int64_t(GPU_FAR)));
}

GPU_FN gpu_edge gpu_edge_of(const gw_graph &g, int64_t edge) {
    gpu_edge of = {-GPU_FAR, GPU_FAR, nullptr, g.block, g.within};
    if (!g.kind) return of;
    switch (g.kind[edge]) {
    case GW_EDGE_CAUSAL: of.high = gpu_token_distance(g.offset); break;
    case GW_EDGE_BAND:
        of.low = gpu_token_distance(g.offset - g.before);
        of.high = gpu_token_distance(g.offset + g.after);
        break;
    case GW_EDGE_BITS: of.bits = g.bits + g.bits_index[edge] * ((int64_t(g.block) * g.block + 63) / 64); break;
    default: break;
    }
    return of;
}

// Query i reads key j of the edge, both counted from the begin of their sequences.
GPU_FN bool gpu_edge_reads(const gpu_edge &e, int i, int j) {
    if (j - i < e.low || j - i > e.high) return false;
    if (!e.bits) return true;
    const int bit = (e.within + i) % e.block * e.block + j % e.block;
    return e.bits[bit / 64] >> (bit % 64) & 1;
}

// Whether each of `count` queries from i on reads each of `count` keys from j on.
GPU_FN bool gpu_edge_reads_all(const gpu_edge &e, int i, int j, int count) {
    return !e.bits && j - i - (count - 1) >= e.low && j - i + (count - 1) <= e.high;
}

// Whose tiles a block of threads takes, and walks the tiles of the other side that edges list for them.
enum gw_cuda_side { GW_CUDA_QUERIES, GW_CUDA_KEYS };

// The tiles of the other side: entries of the graph's lists that are left, and the first row of the next one's tile,
// counted from its block.
struct gpu_tiles {
    int64_t at, last;
    int within;
};

template <gw_cuda_side side> GPU_FN gpu_tiles gpu_tiles_of(const gw_graph &g, int first) {
    const int block = first / g.block;
    if (side == GW_CUDA_QUERIES) return {g.row_start[block], g.row_start[block + 1], 0};
    if (block >= g.key_blocks) return {0, 0, 0};
    return {g.column_start[block], g.column_start[block + 1], 0};
}
GPU_FN gpu_tiles gpu_next_tile(const gw_graph &g, const gpu_tiles &t, int tile) {
    return t.within + tile < g.block ? gpu_tiles{t.at, t.last, t.within + tile} : gpu_tiles{t.at + 1, t.last, 0};
}
// The tile's first row, and its edge.
template <gw_cuda_side side> GPU_FN int gpu_other_of(const gw_graph &g, const gpu_tiles &t) {
    return (side == GW_CUDA_QUERIES ? g.column[t.at] : g.row[t.at]) * g.block + t.within;
}
template <gw_cuda_side side> GPU_FN int64_t gpu_edge_number(const gw_graph &g, const gpu_tiles &t) {
    return side == GW_CUDA_QUERIES ? t.at : g.edge[t.at];
}

#endif
