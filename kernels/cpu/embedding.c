// SPDX-License-Identifier: MIT
// out[r] = word_scale word[token[r]] + position[place[r]] + segment[kind[r]], and the sums of its gradients by table
// row.
#include "base/parallel.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/rows.h"

enum { GRAIN = 16 };

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_embedding_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float *word = args->word + args->token[row] * width;
        const float *segment = args->segment + args->kind[row] * width;
        for (int64_t i = 0; i < width; i += GW_LANES) {
            const int64_t left = width - i;
            gw_f32v sum = args->word_scale * gw_load_some(word + i, left);
            if (args->position) sum += gw_load_some(args->position + args->place[row] * width + i, left);
            gw_store_some(args->out + row * width + i, sum + gw_load_some(segment + i, left), left);
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
            gw_add_row(args->word_gradient + args->token[row] * width + column, gradient, args->word_scale, count);
            if (args->position_gradient)
                gw_add_row(args->position_gradient + args->place[row] * width + column, gradient, 1.0f, count);
            gw_add_row(args->segment_gradient + args->kind[row] * width + column, gradient, 1.0f, count);
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
