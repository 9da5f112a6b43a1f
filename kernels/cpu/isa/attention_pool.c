// SPDX-License-Identifier: MIT
// attention_pool and its backward pass. Threads share the sequences. Both passes compute the softmax of a sequence's
// scores, which is cheap, so that nothing is kept.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"

#include <math.h>

// exp(scale s - largest) / sum is the weight of a row.
typedef struct {
    float scale, largest, sum;
} softmax;

static softmax softmax_of(const gw_attention_pool_args *args, int64_t begin, int64_t end) {
    softmax p = {args->scale, -INFINITY, 0};
    for (int64_t r = begin; r < end; r++) p.largest = fmaxf(p.largest, p.scale * args->score[r]);
    for (int64_t r = begin; r < end; r++) p.sum += expf(p.scale * args->score[r] - p.largest);
    return p;
}

static float weight_of(const softmax *p, float score) {
    return expf(p->scale * score - p->largest) / p->sum;
}

static void pool_sequences(void *context, int64_t begin, int64_t end, int thread) {
    const gw_attention_pool_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t s = begin; s < end; s++) {
        const softmax p = softmax_of(args, args->start[s], args->start[s + 1]);
        float *out = args->out + s * width;
        for (int64_t i = 0; i < width; i++) out[i] = 0;
        for (int64_t r = args->start[s]; r < args->start[s + 1]; r++)
            gw_add_row(out, args->in + r * width, weight_of(&p, args->score[r]), width);
    }
}

static void spread_sequences(void *context, int64_t begin, int64_t end, int thread) {
    const gw_attention_pool_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t s = begin; s < end; s++) {
        const softmax p = softmax_of(args, args->start[s], args->start[s + 1]);
        const float *gradient = args->gradient + s * width;
        float mean = 0;
        for (int64_t r = args->start[s]; r < args->start[s + 1]; r++)
            mean += weight_of(&p, args->score[r]) * gw_row_product(gradient, args->in + r * width, width);
        for (int64_t r = args->start[s]; r < args->start[s + 1]; r++) {
            const float weight = weight_of(&p, args->score[r]);
            args->score_gradient[r] +=
                p.scale * weight * (gw_row_product(gradient, args->in + r * width, width) - mean);
            gw_add_row(args->in_gradient + r * width, gradient, weight, width);
        }
    }
}

gw_status GW_KERNEL(attention_pool)(const gw_attention_pool_args *args) {
    gw_parallel_for(args->sequences, 1, pool_sequences, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(attention_pool_backward)(const gw_attention_pool_args *args) {
    gw_parallel_for(args->sequences, 1, spread_sequences, (void *)args);
    return GW_OK;
}
