// SPDX-License-Identifier: MIT
// pair_softmax and its backward pass. Threads share the heads, and sum in order. The largest product is that of a
// vector with itself, but all are compared: this is cheap beside the products.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/vmath.h"

static void weigh_heads(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pair_softmax_args *args = context;
    const int64_t count = args->count, size = args->size, pairs = count * count;
    (void)thread;
    for (int64_t h = begin; h < end; h++) {
        const float *in = args->in + h * count * size;
        float *out = args->out + h * pairs, largest = -INFINITY;
        double sum = 0;
        for (int64_t u = 0; u < count; u++)
            for (int64_t v = 0; v < count; v++) {
                out[u * count + v] = gw_row_product(in + u * size, in + v * size, size);
                largest = fmaxf(largest, out[u * count + v]);
            }
        for (int64_t i = 0; i < pairs; i++) sum += (double)(out[i] = expf(out[i] - largest));
        for (int64_t i = 0; i < pairs; i++) out[i] = (float)((double)out[i] / sum);
    }
}

static void spread_heads(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pair_softmax_args *args = context;
    const int64_t count = args->count, size = args->size, pairs = count * count;
    (void)thread;
    for (int64_t h = begin; h < end; h++) {
        const float *in = args->in + h * count * size, *out = args->out + h * pairs;
        const float *out_gradient = args->out_gradient + h * pairs;
        float *in_gradient = args->in_gradient + h * count * size, *e = args->scratch + h * pairs;
        double mean = 0;
        for (int64_t i = 0; i < pairs; i++) mean += (double)out[i] * (double)out_gradient[i];
        for (int64_t i = 0; i < pairs; i++) e[i] = out[i] * (out_gradient[i] - (float)mean);
        for (int64_t u = 0; u < count; u++)
            for (int64_t v = 0; v < count; v++)
                gw_add_row(in_gradient + u * size, in + v * size, e[u * count + v] + e[v * count + u], size);
    }
}

gw_status GW_KERNEL(pair_softmax)(const gw_pair_softmax_args *args) {
    gw_parallel_for(args->heads, 1, weigh_heads, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(pair_softmax_backward)(const gw_pair_softmax_args *args) {
    gw_parallel_for(args->heads, 1, spread_heads, (void *)args);
    return GW_OK;
}
