// SPDX-License-Identifier: MIT
// Block-sparse attention on tensor cores: bf16 numbers, f32 sums, blocks of 64 tokens, heads of 64 numbers, edges that
// are read as a whole.
#ifndef GW_KERNELS_CUDA_ATTENTION_MMA_H
#define GW_KERNELS_CUDA_ATTENTION_MMA_H

#include "kernels/cuda/frame.h"

enum { GW_MMA_BLOCK = 64, GW_MMA_HEAD = 64, GW_MMA_THREADS = 128 };

// One sequence and the heads that read the same graph.
typedef struct {
    const uint16_t *query, *key, *value; // bf16, of the sequence's first row and the first head; 16 bytes aligned
    int64_t stride;                      // numbers between rows of these, a multiple of 8
    int queries, keys;
    const int64_t *row_start;      // [query blocks + 1]
    const int32_t *column;         // [edges] key block; those past the end are passed over
    const float *log_multiplicity; // [edges] or NULL
    float scale;
    float *out;
    int64_t out_stride;
    float *log_sum;
    int64_t log_sum_stride; // between heads
} gw_mma_attention;

// Whether the kernel computes attention of these arguments, and the sequence s with its graphs.
bool gw_mma_attention_fits(const gw_attention_args *args);
bool gw_mma_attention_takes(const gw_attention_args *args, const gw_attention_sequence *s);
gw_status gw_mma_attention_launch(const gw_mma_attention *a, int heads);

#endif
