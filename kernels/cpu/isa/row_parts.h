// SPDX-License-Identifier: MIT
// Gradients of a weight and a bias for each column. Each run of rows has separate sums in scratch memory [parts][2][E];
// the runs are then added in order.
#ifndef GW_KERNELS_CPU_ISA_ROW_PARTS_H
#define GW_KERNELS_CPU_ISA_ROW_PARTS_H

#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/scratch.h"

#include <string.h>

// `row` adds a row's terms to the sums of its part: [E] for the weight and [E] for the bias.
typedef struct {
    void (*row)(const void *args, int64_t row, float *weight_part, float *bias_part);
    const void *args;
    int64_t rows, width;
    float *scratch;
} gw_row_parts;

static inline void gw_sum_some_row_parts(void *context, int64_t begin, int64_t end, int thread) {
    const gw_row_parts *p = context;
    (void)thread;
    for (int64_t part = begin; part < end; part++) {
        float *weight_part = p->scratch + part * 2 * p->width;
        memset(weight_part, 0, (size_t)(2 * p->width) * sizeof *weight_part);
        const int64_t last = (part + 1) * p->rows / GW_ROW_PARTS;
        for (int64_t row = part * p->rows / GW_ROW_PARTS; row < last; row++)
            p->row(p->args, row, weight_part, weight_part + p->width);
    }
}

static inline void gw_sum_row_parts(const gw_row_parts *parts) {
    gw_parallel_for(GW_ROW_PARTS, 1, gw_sum_some_row_parts, (void *)parts);
}

// weight_gradient += the first halves; bias_gradient (NULL: none) += the second halves.
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
