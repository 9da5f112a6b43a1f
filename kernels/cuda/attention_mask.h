// SPDX-License-Identifier: MIT
// Masks scores of tiles on tensor cores: keys that a query does not reach, and keys whose bit is not set.
#ifndef GW_KERNELS_CUDA_ATTENTION_MASK_H
#define GW_KERNELS_CUDA_ATTENTION_MASK_H

#include "kernels/cuda/attention_edge.h"
#include "kernels/cuda/attention_tile.h"

// Keeps columns `first` to `last` of the lane's row h (0 or 1).
template <int T> GPU_FN void gpu_keep_columns(gpu_sums<T> &z, int h, int first, int last) {
    first -= gpu_sum_column(0, 0), last -= gpu_sum_column(0, 0);
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            if (8 * j + i < first || 8 * j + i > last) z.of[j][2 * h + i] = GPU_NONE;
}

// Masks 16 rows, which are queries from `query` on. Columns are keys from `key` on; there are `keys` keys in all. The
// bits of 8 keys of a query are one byte, since a block has a multiple of 16 tokens.
template <int T> GPU_FN void gpu_mask_keys(gpu_sums<T> &z, const gpu_edge &e, int query, int key, int keys) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int i = query + gpu_sum_row(2 * h);
        gpu_keep_columns(z, h, e.low + i - key, min(e.high + i, keys - 1) - key);
        if (!e.bits) continue;
        const uint8_t *row =
            reinterpret_cast<const uint8_t *>(e.bits) + ((e.within + i) % e.block * e.block + key % e.block) / 8;
#pragma unroll
        for (int j = 0; j < T / 8; j++) {
            const int two = row[j] >> gpu_sum_column(0, 0);
            if (!(two & 1)) z.of[j][2 * h] = GPU_NONE;
            if (!(two & 2)) z.of[j][2 * h + 1] = GPU_NONE;
        }
    }
}

// Masks 16 rows that are keys. Columns are queries of one block.
template <int T> GPU_FN void gpu_mask_queries(gpu_sums<T> &z, const gpu_edge &e, int key, int query, int queries) {
    const int first = (e.within + query) % e.block;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int j = key + gpu_sum_row(2 * h);
        gpu_keep_columns(z, h, j - e.high - query, min(j - e.low, queries - 1) - query);
        if (!e.bits) continue;
#pragma unroll
        for (int n = 0; n < T / 4; n++) {
            const int bit = (first + gpu_sum_column(n / 2, n % 2)) * e.block + j % e.block;
            if (!(e.bits[bit / 64] >> (bit % 64) & 1)) z.of[n / 2][2 * h + n % 2] = GPU_NONE;
        }
    }
}

#endif
