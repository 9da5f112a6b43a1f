// SPDX-License-Identifier: MIT
// out[r] = token_scale token_embedding[token[r]] + position_embedding[position[r]] + segment_embedding[segment[r]], and
// the sums of its gradients by table row.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/rows.h"

enum { GRAIN = 16 };

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_embedding_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float *token_embedding = args->token_embedding + args->token[row] * width;
        const float *segment_embedding = args->segment_embedding + args->segment[row] * width;
        for (int64_t i = 0; i < width; i += GW_LANES) {
            const int64_t left = width - i;
            gw_f32v sum = args->token_scale * gw_load_some(token_embedding + i, left);
            if (args->position_embedding)
                sum += gw_load_some(args->position_embedding + args->position[row] * width + i, left);
            gw_store_some(args->out + row * width + i, sum + gw_load_some(segment_embedding + i, left), left);
        }
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_embedding_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t stripe = begin; stripe < end; stripe++) {
        const int64_t column = stripe * GW_STRIPE;
        const int64_t count = width - column < GW_STRIPE ? width - column : GW_STRIPE;
        for (int64_t row = 0; row < args->rows; row++) {
            const float *gradient = args->out_gradient + row * width + column;
            gw_add_row(args->token_gradient + args->token[row] * width + column, gradient, args->token_scale, count);
            if (args->position_gradient)
                gw_add_row(args->position_gradient + args->position[row] * width + column, gradient, 1.0f, count);
            gw_add_row(args->segment_gradient + args->segment[row] * width + column, gradient, 1.0f, count);
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
