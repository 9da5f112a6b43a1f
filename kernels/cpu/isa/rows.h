// SPDX-License-Identifier: MIT
// Adding a multiple of a row to another row, and the division of a table's width among threads. Several rows may be
// added to one target, so threads share the columns, and each processes all rows in order.
#ifndef GW_KERNELS_CPU_ISA_ROWS_H
#define GW_KERNELS_CPU_ISA_ROWS_H

#include "kernels/cpu/isa/vector.h"

enum { GW_STRIPE = 64 }; // columns of a stripe

GW_INLINE int64_t gw_stripes(int64_t width) {
    return (width + GW_STRIPE - 1) / GW_STRIPE;
}

// to[0 .. count) += factor * from[0 .. count)
GW_INLINE void gw_add_row(float *to, const float *from, float factor, int64_t count) {
    for (int64_t i = 0; i < count; i += GW_LANES)
        gw_store_some(to + i, gw_load_some(to + i, count - i) + factor * gw_load_some(from + i, count - i), count - i);
}

#endif
