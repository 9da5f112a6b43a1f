// SPDX-License-Identifier: MIT
// How distance attention divides its work on the processor, and the scratch memory for it. A thread takes a block of a
// head's queries and keeps their scores with all keys.
#ifndef GW_KERNELS_CPU_DISTANCE_WORK_H
#define GW_KERNELS_CPU_DISTANCE_WORK_H

#include "kernels/kernel.h"

// Rows of scores are padded to a multiple of this. For bf16 products: lines of a block, padded to whole micro-tiles;
// columns of a packed panel; and the depth packed at a time.
enum { GW_DISTANCE_FILL = 16 };
enum { GW_DISTANCE_LINES = 144, GW_DISTANCE_PANEL = 64, GW_DISTANCE_DEPTH = 512 };

// Memory of a thread, each for [GW_DISTANCE_QUERIES] rows.
typedef struct {
    float *content, *position;                   // scale q + u and scale q + v, [key_size]
    float *content_gradient, *position_gradient; // likewise
    float *score, *score_gradient;               // [score_stride]: z, then P, and dz
    float *term;                                 // [term_stride]: the terms of all distances, later their gradients
    float *product;                              // scratch memory of products
    int64_t score_stride, term_stride;
} gw_distance_rows;
gw_distance_rows gw_distance_rows_of(const gw_distance_attention_args *args, bool backward, int thread);

// Shared memory: R and its gradient, [2 most - 1][H key_size], and scratch memory of their products.
typedef struct {
    float *position, *gradient, *product;
} gw_distance_table;
gw_distance_table gw_distance_table_of(const gw_distance_attention_args *args, bool backward);
gw_gemm_args gw_distance_positions(const gw_distance_attention_args *args, float *position);             // R = F W^T
gw_gemm_args gw_distance_weight_gradient(const gw_distance_attention_args *args, const float *gradient); // dW += dR^T F

int64_t gw_distance_scratch(const gw_distance_attention_args *args, bool backward);

#endif
