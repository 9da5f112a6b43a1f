// SPDX-License-Identifier: MIT
// Weights in bf16 as squares of 16 x 16 words for godwit's own kernels (gemm_packed.h): micro-panels of GW_NR columns,
// several in a block. The bits of a row do not depend on the height of its tile.
#ifndef GW_KERNELS_CPU_MATMUL_PACKED_SQUARES_H
#define GW_KERNELS_CPU_MATMUL_PACKED_SQUARES_H

#include "kernels/cpu/matmul/gemm_packed.h"

// A depth, rounded up to whole squares.
static inline int64_t gw_squares_depth(int64_t depth) {
    return (depth + 2 * GW_SQUARE - 1) / (2 * GW_SQUARE) * 2 * GW_SQUARE;
}

// Like gw_packed_new(), in bf16; `pack` is that of the instruction set.
gw_status gw_packed_new_squares(const float *weight, int64_t n, int64_t k, void (*pack)(const gw_operand *operand),
                                gw_packed **out) GW_MUST_CHECK;

// The pack slot of the backend with AMX: squares in bf16, oneDNN's layout in f32.
gw_status gw_pack_amx(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) GW_MUST_CHECK;

#endif
