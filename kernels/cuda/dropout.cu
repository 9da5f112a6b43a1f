// SPDX-License-Identifier: MIT
// Dropout and residual sum: four elements a thread, one block of random words.
#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"
#include "kernels/cuda/philox.h"

#include <math.h>

namespace {

struct dropping {
    gw_dropout_args a;
    uint32_t threshold; // a word below it drops its element
    float scale;        // of those that stay
};

// Number by which element i is drawn.
GPU_FN int64_t drawn_as(const gw_dropout_args &a, int64_t i) {
    return a.first_element + (a.row ? a.row[i / a.width] * a.width + i % a.width : i);
}

// What elements i .. i + 3 are multiplied by; i is a multiple of 4.
GPU_FN gpu_four factors_of(const dropping &d, int64_t i) {
    if (d.threshold == 0) return {{1.0f, 1.0f, 1.0f, 1.0f}};
    const uint4 word = gpu_philox(d.a.seed, uint64_t(drawn_as(d.a, i)) / 4, d.a.site, d.a.step);
    return {{word.x < d.threshold ? 0.0f : d.scale, word.y < d.threshold ? 0.0f : d.scale,
             word.z < d.threshold ? 0.0f : d.scale, word.w < d.threshold ? 0.0f : d.scale}};
}

__global__ void dropout_add(dropping d) {
    const gw_dropout_args &a = d.a;
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four x = gpu_load_four(a.in, i, a.count);
        const gpu_four factor = factors_of(d, i),
                       more = a.residual ? gpu_load_four(a.residual, i, a.count) : gpu_four{};
        for (int k = 0; k < 4; k++) x.value[k] = x.value[k] * factor.value[k] + more.value[k];
        gpu_store_four(a.out, i, a.count, x);
    });
}

// All of a thread's four are read before anything is written: gradients may share memory.
__global__ void dropout_add_backward(dropping d) {
    const gw_dropout_args &a = d.a;
    const bool replaces = a.in_gradient == a.out_gradient, keeps = a.residual_gradient == a.out_gradient;
    gpu_for_four(a.count, [&](int64_t i) {
        const gpu_four dout = gpu_load_four(a.out_gradient, i, a.count), factor = factors_of(d, i);
        gpu_four din = {}, rest = {};
        if (a.in_gradient && !replaces) din = gpu_load_four(a.in_gradient, i, a.count);
        if (a.residual_gradient && !keeps && !a.overwrites) rest = gpu_load_four(a.residual_gradient, i, a.count);
        for (int k = 0; k < 4; k++) {
            din.value[k] += dout.value[k] * factor.value[k];
            rest.value[k] += dout.value[k];
        }
        if (a.in_gradient) gpu_store_four(a.in_gradient, i, a.count, din);
        if (a.residual_gradient && !keeps) gpu_store_four(a.residual_gradient, i, a.count, rest);
    });
}

gw_status launch(const char *op, void (*kernel)(dropping), const gw_dropout_args *args) {
    const dropping d = {*args, uint32_t(ceil(double(args->probability) * 4294967296.0)),
                        1.0f / (1.0f - args->probability)};
    return gw_cuda_launch_elements(op, kernel, gw_cuda_divide(args->count, 4), d);
}

} // namespace

GW_CUDA_OP(dropout_add, gw_dropout_args) {
    return launch("dropout_add", dropout_add, args);
}

GW_CUDA_OP(dropout_add_backward, gw_dropout_args) {
    return launch("dropout_add_backward", dropout_add_backward, args);
}
