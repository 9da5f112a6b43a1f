// SPDX-License-Identifier: MIT
// bf16 products of fixed shapes for operands that are packed anew for each product: c = a b or c += a b.
//   a [rows][depth] of bf16, c [rows][columns] of f32, both end to end;
//   b in panels of 64 columns, [depth / 2][64] pairs of bf16, the first number in the lower half of 32 bits (oneDNN's
//   BA16a64b2a).
// Missing rows, columns and depth are zeros. All products have one height, since a row's bits may depend on it.
#ifndef GW_KERNELS_CPU_MATMUL_PANELS_H
#define GW_KERNELS_CPU_MATMUL_PANELS_H

#include "kernels/cpu/matmul/onednn.h"

enum { GW_PANEL = 64 };
// Rows of all products, the other sizes of the largest, what these are multiples of, and bytes of scratch that suffice
// for all.
enum { GW_PANEL_ROWS = 96, GW_PANEL_COLUMNS = 768, GW_PANEL_DEPTH = 768 };
enum { GW_PANEL_COLUMNS_STEP = GW_PANEL, GW_PANEL_DEPTH_STEP = 64 };
enum { GW_PANEL_SCRATCH = 1 << 17 };

typedef struct {
    int64_t columns, depth;
    bool adds;
} gw_panel_shape;

// The product of that shape. It is made where it is asked for the first time, and stays.
dnnl_status_t gw_panel_product(const gw_panel_shape *shape, const gw_product **out) GW_MUST_CHECK;

#endif
