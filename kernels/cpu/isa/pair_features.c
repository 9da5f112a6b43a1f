// SPDX-License-Identifier: MIT
// pair_features and its backward pass. Threads share the pairs.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pair_features_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const float *in = args->in + 2 * i * width;
        float *out = args->out + 4 * i * width;
        for (int64_t d = 0; d < width; d += GW_LANES) {
            const int64_t left = width - d;
            const gw_f32v x0 = gw_load_some(in + d, left), x1 = gw_load_some(in + width + d, left);
            gw_store_some(out + d, x0, left);
            gw_store_some(out + width + d, x1, left);
            gw_store_some(out + 2 * width + d, x0 * x1, left);
            gw_store_some(out + 3 * width + d, x0 - x1, left);
        }
    }
}

static void add(float *to, gw_f32v v, int64_t left) {
    gw_store_some(to, gw_load_some(to, left) + v, left);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pair_features_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const float *in = args->in + 2 * i * width, *gradient = args->out_gradient + 4 * i * width;
        float *to = args->in_gradient + 2 * i * width;
        for (int64_t d = 0; d < width; d += GW_LANES) {
            const int64_t left = width - d;
            const gw_f32v product = gw_load_some(gradient + 2 * width + d, left),
                          difference = gw_load_some(gradient + 3 * width + d, left);
            add(to + d, gw_load_some(gradient + d, left) + product * gw_load_some(in + width + d, left) + difference,
                left);
            add(to + width + d,
                gw_load_some(gradient + width + d, left) + product * gw_load_some(in + d, left) - difference, left);
        }
    }
}

gw_status GW_KERNEL(pair_features)(const gw_pair_features_args *args) {
    gw_parallel_for(args->pairs, 8, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(pair_features_backward)(const gw_pair_features_args *args) {
    gw_parallel_for(args->pairs, 8, backward, (void *)args);
    return GW_OK;
}
