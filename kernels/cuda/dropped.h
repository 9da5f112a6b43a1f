// SPDX-License-Identifier: MIT
// Dropout and the residual sum of eight elements, and their gradients.
#ifndef GW_KERNELS_CUDA_DROPPED_H
#define GW_KERNELS_CUDA_DROPPED_H

#include "kernels/cuda/changing.h"
#include "kernels/cuda/philox.h"
#include "kernels/cuda/rounded.h"

#include <math.h>

// Numbers of a draw that change from step to step.
struct gpu_draw {
    uint64_t seed, step;
    int64_t first_element;
};

struct gpu_dropping {
    gw_dropout_args a; // without these
    gpu_changing<gpu_draw> draw;
    uint32_t threshold; // a word below it drops its element
    float scale;        // of those that stay
};

static inline gpu_dropping gw_cuda_dropping(const gw_dropout_args *args) {
    gw_dropout_args a = *args;
    a.seed = 0;
    a.step = 0;
    a.first_element = 0;
    const gpu_draw draw = {args->seed, args->step, args->first_element};
    return {a, gw_cuda_changing(draw), uint32_t(ceil(double(args->probability) * 4294967296.0)),
            1.0f / (1.0f - args->probability)};
}

// Number by which element i is drawn, counted from first_element.
GPU_FN int64_t gpu_drawn_as(const gw_dropout_args &a, int64_t i) {
    return a.row ? a.row[i / a.width] * a.width + i % a.width : i;
}

// What elements i .. i + 3 are multiplied by; i is a multiple of 4.
GPU_FN gpu_four gpu_four_factors(const gpu_dropping &d, int64_t i) {
    if (d.threshold == 0) return {{1.0f, 1.0f, 1.0f, 1.0f}};
    const gpu_draw draw = gpu_number(d.draw);
    const uint64_t at = uint64_t(draw.first_element + gpu_drawn_as(d.a, i));
    const uint4 word = gpu_philox(draw.seed, at / 4, d.a.site, uint32_t(draw.step));
    return {{word.x < d.threshold ? 0.0f : d.scale, word.y < d.threshold ? 0.0f : d.scale,
             word.z < d.threshold ? 0.0f : d.scale, word.w < d.threshold ? 0.0f : d.scale}};
}

GPU_FN gpu_eight gpu_eight_factors(const gpu_dropping &d, int64_t i) {
    const gpu_four a = gpu_four_factors(d, i), b = i + 4 < d.a.count ? gpu_four_factors(d, i + 4) : gpu_four{};
    return {{a.value[0], a.value[1], a.value[2], a.value[3], b.value[0], b.value[1], b.value[2], b.value[3]}};
}

GPU_FN gpu_eight gpu_load_eight_of(const gw_dropout_args &a, const float *floats, int64_t i) {
    return gpu_load_eight(floats, nullptr, i, a.count, a.width);
}

// dropout_add of elements i .. i + 7; i is a multiple of 8.
GPU_FN void gpu_add_dropped(const gpu_dropping &d, int64_t i) {
    const gw_dropout_args &a = d.a;
    gpu_eight x = gpu_load_eight(a.in, a.in_bf16, i, a.count, a.width);
    const gpu_eight factor = gpu_eight_factors(d, i),
                    more = a.residual ? gpu_load_eight_of(a, a.residual, i) : gpu_eight{};
    for (int k = 0; k < 8; k++) x.value[k] = x.value[k] * factor.value[k] + more.value[k];
    gpu_store_eight(a.out, nullptr, i, a.count, a.width, x);
}

// dropout_add_backward of them. All are read before anything is written: gradients may share memory.
GPU_FN void gpu_add_dropped_gradients(const gpu_dropping &d, int64_t i) {
    const gw_dropout_args &a = d.a;
    const bool replaces = a.in_gradient_bf16 || a.in_gradient == a.out_gradient;
    const bool keeps = a.residual_gradient == a.out_gradient;
    const gpu_eight dout = gpu_load_eight_of(a, a.out_gradient, i), factor = gpu_eight_factors(d, i);
    gpu_eight din = {}, rest = {};
    if (a.in_gradient && !replaces) din = gpu_load_eight_of(a, a.in_gradient, i);
    if (a.residual_gradient && !keeps && !a.overwrites) rest = gpu_load_eight_of(a, a.residual_gradient, i);
    for (int k = 0; k < 8; k++) {
        din.value[k] += dout.value[k] * factor.value[k];
        rest.value[k] += dout.value[k];
    }
    if (a.in_gradient || a.in_gradient_bf16)
        gpu_store_eight(a.in_gradient, a.in_gradient_bf16, i, a.count, a.width, din);
    if (a.residual_gradient && !keeps) gpu_store_eight(a.residual_gradient, nullptr, i, a.count, a.width, rest);
}

#endif
