// SPDX-License-Identifier: MIT
// Attention of every kind of block graph, one sequence and its heads a launch: a warp a query row, lanes over keys.
#ifndef GW_KERNELS_CUDA_ATTENTION_PLAIN_H
#define GW_KERNELS_CUDA_ATTENTION_PLAIN_H

#include "kernels/cuda/frame.h"

// Heads head .. head + heads - 1 of sequence s, which read the same graph. Numbers of operands are rounded to bf16
// where args->precision says so, those of P not.
gw_status gw_cuda_attention_plain(const gw_attention_args *args, const gw_attention_sequence *s, int head, int heads);

#endif
