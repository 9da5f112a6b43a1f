// SPDX-License-Identifier: MIT
// bf16 products of fixed shapes for operands that are packed again for each product: c = a b or c += a b.
//   a [rows][depth] of bf16, c [rows][columns] of f32, both end to end;
//   b in micro-panels of 64 columns, [depth / 2][64] pairs of bf16, the first number in the lower half of 32 bits
//   (oneDNN's BA16a64b2a).
// Missing rows, columns and depth are zeros. All products have the same height, because a row's bits may depend on it.
#ifndef GW_KERNELS_CPU_MATMUL_BLOCK_PRODUCT_H
#define GW_KERNELS_CPU_MATMUL_BLOCK_PRODUCT_H

#include "kernels/cpu/matmul/onednn.h"

// Rows of all products; largest other sizes; their multiples (GW_NR: columns of a micro-panel); and bytes of scratch
// memory that suffice for all.
enum { GW_MC = 96, GW_NC = 768, GW_KC = 768 };
enum { GW_NR = 64, GW_KC_STEP = 64 };
enum { GW_BLOCK_SCRATCH = 1 << 17 };

typedef struct {
    int64_t columns, depth;
    bool adds;
} gw_block_shape;

// The product of this shape. It is made at its first use and kept.
dnnl_status_t gw_block_product(const gw_block_shape *shape, const gw_product **out) GW_MUST_CHECK;

#endif
