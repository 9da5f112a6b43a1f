// SPDX-License-Identifier: MIT
// Attention of every kind of block graph, one sequence and its heads a launch: a warp a query row, lanes over keys; in
// the backward pass also a warp a key row, lanes over queries.
#ifndef GW_KERNELS_CUDA_ATTENTION_PLAIN_H
#define GW_KERNELS_CUDA_ATTENTION_PLAIN_H

#include "kernels/cuda/attention_terms.h"

// All heads of all sequences; terms: NULL or [sequences]. Numbers of operands are rounded to bf16 where args->precision
// says so, those of P not.
gw_status gw_cuda_attention_plain_all(const gw_attention_args *args, const gpu_terms *terms);

// The backward pass. delta: [H][query_rows] of scratch memory.
gw_status gw_cuda_attention_plain_backward(const gw_attention_args *args, const gpu_terms *terms, float *delta);

#endif
