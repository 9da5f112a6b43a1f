// SPDX-License-Identifier: MIT
// Products and weighted sums of rows of any width.
#ifndef GW_KERNELS_CPU_ISA_ROW_SUMS_H
#define GW_KERNELS_CPU_ISA_ROW_SUMS_H

#include "kernels/cpu/isa/vector.h"

// to += weight * from
GW_INLINE void gw_add_row(float *to, const float *from, float weight, int64_t width) {
    for (int64_t i = 0; i < width; i += GW_LANES)
        gw_store_some(to + i, gw_load_some(to + i, width - i) + gw_all(weight) * gw_load_some(from + i, width - i),
                      width - i);
}

GW_INLINE float gw_row_product(const float *a, const float *b, int64_t width) {
    gw_f32v sum = gw_all(0.0f);
    float total = 0;
    for (int64_t i = 0; i < width; i += GW_LANES)
        sum += gw_load_some(a + i, width - i) * gw_load_some(b + i, width - i);
    for (int lane = 0; lane < GW_LANES; lane++) total += sum[lane];
    return total;
}

#endif
