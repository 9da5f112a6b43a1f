// SPDX-License-Identifier: MIT
// What the attention kernels take of a graph, and which keys of an edge a query reads.
#ifndef GW_KERNELS_CUDA_ATTENTION_EDGE_H
#define GW_KERNELS_CUDA_ATTENTION_EDGE_H

#include "kernels/cuda/frame.h"

// Query i reads key j of the edge, both counted from the begin of their sequences.
GPU_FN bool gpu_edge_reads(const gw_graph &g, int64_t edge, int64_t i, int64_t j) {
    const int64_t apart = j - g.offset - i;
    if (!g.kind) return true;
    switch (g.kind[edge]) {
    case GW_EDGE_CAUSAL: return apart <= 0;
    case GW_EDGE_BAND: return -g.before <= apart && apart <= g.after;
    case GW_EDGE_BITS: {
        const int64_t bit = (g.within + i) % g.block * g.block + j % g.block;
        return g.bits[g.bits_index[edge] * ((int64_t(g.block) * g.block + 63) / 64) + bit / 64] >> (bit % 64) & 1;
    }
    default: return true;
    }
}

#endif
