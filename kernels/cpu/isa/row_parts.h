// SPDX-License-Identifier: MIT
// Gradients of a weight and a bias for each column: each run of rows sums them apart, in scratch memory [parts][2][E],
// and the runs are added up in order.
#ifndef GW_KERNELS_CPU_ISA_ROW_PARTS_H
#define GW_KERNELS_CPU_ISA_ROW_PARTS_H

#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/row_parts.h"

// weight_gradient += the first halves, bias_gradient (NULL: none) += the second ones.
static inline gw_status gw_add_row_parts(int64_t width, const float *parts, float *weight_gradient,
                                         float *bias_gradient) {
    gw_column_sum_args sum = {
        .rows = GW_ROW_PARTS, .width = width, .in = parts, .in_stride = 2 * width, .out = weight_gradient};
    GW_TRY(GW_KERNEL(column_sum)(&sum));
    sum.in += width;
    sum.out = bias_gradient;
    return bias_gradient ? GW_KERNEL(column_sum)(&sum) : GW_OK;
}

#endif
