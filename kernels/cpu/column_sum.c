// SPDX-License-Identifier: MIT
// out[n] += sum over rows of in[r][n]. Threads share the columns, so that each sum runs in row order; it is kept in
// partial sums of up to ROWS rows, which halves the digits lost to long sums.
#include "base/parallel.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/vector.h"

enum { ROWS = 256 };

static void sum_lanes(const gw_column_sum_args *args, int64_t column, int64_t count) {
    gw_f32v total = {0};
    for (int64_t row = 0; row < args->rows;) {
        const int64_t stop = row + ROWS < args->rows ? row + ROWS : args->rows;
        gw_f32v part = {0};
        for (; row < stop; row++) part += gw_load_some(args->in + row * args->in_stride + column, count);
        total += part;
    }
    gw_store_some(args->out + column, gw_load_some(args->out + column, count) + total, count);
}

static void sum_columns(void *context, int64_t begin, int64_t end, int thread) {
    const gw_column_sum_args *args = context;
    (void)thread;
    for (int64_t group = begin; group < end; group++) sum_lanes(args, group * GW_LANES, args->width - group * GW_LANES);
}

gw_status GW_KERNEL(column_sum)(const gw_column_sum_args *args) {
    gw_parallel_for((args->width + GW_LANES - 1) / GW_LANES, 1, sum_columns, (void *)args);
    return GW_OK;
}
