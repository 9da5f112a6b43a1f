// SPDX-License-Identifier: MIT
// How the attention kernels read a graph: its edges, and which keys of an edge a query reads.
#ifndef GW_KERNELS_CUDA_ATTENTION_EDGE_H
#define GW_KERNELS_CUDA_ATTENTION_EDGE_H

#include "kernels/cuda/frame.h"

// The keys that a query reads of an edge: those from `low` to `high` tokens after the query (negative: before it). If
// there are bits, only keys whose bit is set.
struct gpu_edge {
    int low, high;
    const uint64_t *bits; // or NULL
    int block, within;    // as in gw_graph
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

// Whether queries i .. i + queries - 1 all read keys j .. j + keys - 1.
GPU_FN bool gpu_edge_reads_all(const gpu_edge &e, int i, int queries, int j, int keys) {
    return !e.bits && j - i - (queries - 1) >= e.low && j - i + (keys - 1) <= e.high;
}

// The side whose tiles a block of threads takes. It walks the tiles of the other side that edges list.
enum gw_cuda_side { GW_CUDA_QUERIES, GW_CUDA_KEYS };

// The walk of attention_wgmma.cu over tiles of the other side: entries `at` to `last` of the graph's list are left.
// `within` is the first row of the next tile, counted from its block.
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

// The edges of one row of blocks of a side, and the place of a walk through their tiles.
struct gpu_row_edges {
    const int32_t *other; // [edges] blocks of the other side
    int64_t first;        // edge of the side's list
    int edges, block;
};
struct gpu_tile_at {
    int edge, within; // within: first row of the tile, counted from its block
};

template <gw_cuda_side side> GPU_FN gpu_row_edges gpu_row_edges_of(const gw_graph &g, int first) {
    const int block = first / g.block;
    if (side == GW_CUDA_KEYS && block >= g.key_blocks) return {};
    const int64_t *const start = (side == GW_CUDA_QUERIES ? g.row_start : g.column_start) + block;
    return {(side == GW_CUDA_QUERIES ? g.column : g.row) + start[0], start[0], int(start[1] - start[0]), g.block};
}
GPU_FN gpu_tile_at gpu_next_tile(const gpu_row_edges &row, const gpu_tile_at &t, int tile) {
    return t.within + tile < row.block ? gpu_tile_at{t.edge, t.within + tile} : gpu_tile_at{t.edge + 1, 0};
}
// The block of the tile's edge, or 0 past the last; and the tile's first row.
GPU_FN int gpu_other_block(const gpu_row_edges &row, const gpu_tile_at &t) {
    return t.edge < row.edges ? row.other[t.edge] : 0;
}
GPU_FN int gpu_first_row(const gpu_row_edges &row, const gpu_tile_at &t, int block) {
    return block * row.block + t.within;
}
template <gw_cuda_side side> GPU_FN int64_t gpu_edge_number(const gw_graph &g, const gpu_row_edges &row, int edge) {
    return side == GW_CUDA_QUERIES ? row.first + edge : g.edge[row.first + edge];
}

#endif
