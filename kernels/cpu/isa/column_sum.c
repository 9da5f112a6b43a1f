// SPDX-License-Identifier: MIT
// out[n] += sum over rows of in[r][n]. Threads share the columns, so each sum is in row order. Partial sums of up to
// ROWS rows halve the digits that long sums lose.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

// A thread takes VECTORS side by side and calls the rows to come, which are too far apart to be foreseen, from memory.
enum { ROWS = 256, VECTORS = 4, PREFETCH_ROWS = 16 };

GW_INLINE void sum_vectors(const gw_column_sum_args *args, int64_t column, const int vectors) {
    const int64_t count = args->width - column;
    gw_f32v total[VECTORS] = {{0}};
    for (int64_t row = 0; row < args->rows;) {
        const int64_t stop = row + ROWS < args->rows ? row + ROWS : args->rows;
        gw_f32v part[VECTORS] = {{0}};
        for (; row < stop; row++) {
            const float *in = args->in + row * args->in_stride + column;
            for (int v = 0; v < vectors; v++) {
                const uintptr_t later = (uintptr_t)in + (uintptr_t)(PREFETCH_ROWS * args->in_stride + v * GW_LANES) * 4;
                __builtin_prefetch((const void *)later);
                part[v] += gw_load_some(in + v * GW_LANES, count - v * GW_LANES);
            }
        }
        for (int v = 0; v < vectors; v++) total[v] += part[v];
    }
    for (int v = 0; v < vectors; v++) {
        float *out = args->out + column + v * GW_LANES;
        const int64_t left = count - v * GW_LANES;
        gw_store_some(out, gw_load_some(out, left) + total[v], left);
    }
}

static void sum_columns(void *context, int64_t begin, int64_t end, int thread) {
    const gw_column_sum_args *args = context;
    (void)thread;
    for (int64_t group = begin; group < end; group++) {
        int64_t column = group * VECTORS * GW_LANES;
        if (args->width - column >= VECTORS * GW_LANES) sum_vectors(args, column, VECTORS);
        else
            for (; column < args->width; column += GW_LANES) sum_vectors(args, column, 1);
    }
}

gw_status GW_KERNEL(column_sum)(const gw_column_sum_args *args) {
    gw_parallel_for((args->width + VECTORS * GW_LANES - 1) / (VECTORS * GW_LANES), 1, sum_columns, (void *)args);
    return GW_OK;
}
