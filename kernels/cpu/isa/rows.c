// SPDX-License-Identifier: MIT
// gather_rows: out[i] = in[index[i]], or += that;   scatter_add_rows: out[index[i]] += in[i], in order of i.
#include "kernels/cpu/isa/rows.h"
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

enum { GRAIN = 16 };

static void gather(void *context, int64_t begin, int64_t end, int thread) {
    const gw_rows_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        float *out = args->out + i * args->out_stride;
        const float *in = args->in + args->index[i] * args->in_stride;
        if (args->accumulate) gw_add_row(out, in, 1.0f, args->width);
        else memcpy(out, in, (size_t)args->width * sizeof(float));
    }
}

static void scatter(void *context, int64_t begin, int64_t end, int thread) {
    const gw_rows_args *args = context;
    (void)thread;
    for (int64_t stripe = begin; stripe < end; stripe++) {
        const int64_t column = stripe * GW_STRIPE;
        const int64_t count = args->width - column < GW_STRIPE ? args->width - column : GW_STRIPE;
        for (int64_t i = 0; i < args->rows; i++)
            gw_add_row(args->out + args->index[i] * args->out_stride + column, args->in + i * args->in_stride + column,
                       1.0f, count);
    }
}

gw_status GW_KERNEL(gather_rows)(const gw_rows_args *args) {
    gw_parallel_for(args->rows, GRAIN, gather, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(scatter_add_rows)(const gw_rows_args *args) {
    gw_parallel_for(gw_stripes(args->width), 1, scatter, (void *)args);
    return GW_OK;
}
