// SPDX-License-Identifier: MIT
// Attention of every kind of block graph without tensor cores. A launch takes one sequence and its heads. A warp takes
// a query row, and its lanes take keys. In the backward pass a warp also takes a key row, and its lanes take queries.
#ifndef GW_KERNELS_CUDA_ATTENTION_PLAIN_H
#define GW_KERNELS_CUDA_ATTENTION_PLAIN_H

#include "kernels/cuda/attention_terms.h"

// All heads of all sequences; terms: NULL or [sequences]. With args->precision bf16 queries, keys and values are
// rounded; weights are not.
gw_status gw_cuda_attention_plain_all(const gw_attention_args *args, const gpu_terms *terms);

// The backward pass. delta: [H][query_rows] of scratch memory.
gw_status gw_cuda_attention_plain_backward(const gw_attention_args *args, const gpu_terms *terms, float *delta);

#endif
