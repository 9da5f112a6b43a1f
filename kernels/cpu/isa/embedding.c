// SPDX-License-Identifier: MIT
// out[r] = s[r] token_embedding[token[r]] + position_embedding[position[r]] + segment_embedding[segment[r]], for the
// tables that exist; and the sums of their gradients by table row.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/rows.h"

enum { GRAIN = 16 };

GW_INLINE gw_f32v entry(const float *table, const int32_t *index, int64_t row, int64_t width, int64_t column) {
    return table ? gw_load_some(table + index[row] * width + column, width - column) : gw_all(0.0f);
}

GW_INLINE float scale_of(const gw_embedding_args *args, int64_t row) {
    return args->row_scale ? args->token_scale * args->row_scale[row] : args->token_scale;
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_embedding_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t row = begin; row < end; row++)
        for (int64_t i = 0; i < width; i += GW_LANES) {
            gw_f32v sum = scale_of(args, row) * entry(args->token_embedding, args->token, row, width, i);
            sum += entry(args->position_embedding, args->position, row, width, i);
            sum += entry(args->segment_embedding, args->segment, row, width, i);
            gw_store_some(args->out + row * width + i, sum, width - i);
        }
}

// The columns of one stripe.
GW_INLINE void add(float *table, const int32_t *index, int64_t row, int64_t column, const gw_embedding_args *args,
                   float scale) {
    const int64_t width = args->width, count = width - column < GW_STRIPE ? width - column : GW_STRIPE;
    if (table) gw_add_row(table + index[row] * width + column, args->out_gradient + row * width + column, scale, count);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_embedding_args *args = context;
    (void)thread;
    for (int64_t stripe = begin; stripe < end; stripe++) {
        const int64_t column = stripe * GW_STRIPE;
        for (int64_t row = 0; row < args->rows; row++) {
            add(args->token_gradient, args->token, row, column, args, scale_of(args, row));
            add(args->position_gradient, args->position, row, column, args, 1.0f);
            add(args->segment_gradient, args->segment, row, column, args, 1.0f);
        }
    }
}

gw_status GW_KERNEL(embedding)(const gw_embedding_args *args) {
    gw_parallel_for(args->rows, GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(embedding_backward)(const gw_embedding_args *args) {
    gw_parallel_for(gw_stripes(args->width), 1, backward, (void *)args);
    return GW_OK;
}
