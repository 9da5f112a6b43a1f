// SPDX-License-Identifier: MIT
// Joins rows of two arrays, and splits their gradients.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/rows.h"

enum { GRAIN = 64 };

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_concatenate_args *a = context;
    const int64_t first = a->first_width, second = a->second_width;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        float *out = a->out + r * (first + second);
        memcpy(out, a->first + r * first, (size_t)first * sizeof *out);
        memcpy(out + first, a->second + r * second, (size_t)second * sizeof *out);
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_concatenate_args *a = context;
    const int64_t first = a->first_width, second = a->second_width;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        const float *of = a->out_gradient + r * (first + second);
        gw_add_row(a->first_gradient + r * first, of, 1.0f, first);
        gw_add_row(a->second_gradient + r * second, of + first, 1.0f, second);
    }
}

gw_status GW_KERNEL(concatenate)(const gw_concatenate_args *args) {
    gw_parallel_for(args->rows, GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(concatenate_backward)(const gw_concatenate_args *args) {
    gw_parallel_for(args->rows, GRAIN, backward, (void *)args);
    return GW_OK;
}
