// SPDX-License-Identifier: MIT
// softmax_pool and its backward pass: a thread a number of a pooled row.
#include "kernels/cuda/pool_window.h"

namespace {

// A column of a window: the largest logit, the sum of e^(logit - largest), and the pooled value.
struct pooled {
    float largest, sum, out;
};

GPU_FN pooled pool_column(const gw_softmax_pool_args &a, const gpu_pool_window &w, int64_t column) {
    const int64_t width = a.pool.width, first = w.first * width + column;
    pooled p = {a.logit[first], 0.0f, 0.0f};
    for (int64_t r = 1; r < w.count; r++) p.largest = fmaxf(p.largest, a.logit[first + r * width]);
    for (int64_t r = 0; r < w.count; r++) {
        const float power = expf(a.logit[first + r * width] - p.largest);
        p.sum += power;
        p.out += power * a.pool.in[first + r * width];
    }
    p.out /= p.sum;
    return p;
}

__global__ void softmax_pool(gw_softmax_pool_args a) {
    const int64_t at = gpu_element(), row = at / a.pool.width;
    if (row >= a.pool.coarser_rows) return;
    a.pool.out[at] = pool_column(a, gpu_pool_window_of(a.pool, row), at % a.pool.width).out;
}

__global__ void softmax_pool_backward(gw_softmax_pool_args a) {
    const int64_t at = gpu_element(), width = a.pool.width, row = at / width;
    if (row >= a.pool.coarser_rows) return;
    const gpu_pool_window w = gpu_pool_window_of(a.pool, row);
    const pooled p = pool_column(a, w, at % width);
    for (int64_t i = w.first * width + at % width, r = 0; r < w.count; r++, i += width) {
        const float share = expf(a.logit[i] - p.largest) / p.sum * a.out_gradient[at];
        a.in_gradient[i] += share;
        a.logit_gradient[i] += share * (a.pool.in[i] - p.out);
    }
}

} // namespace

GW_CUDA_OP(softmax_pool, gw_softmax_pool_args) {
    return gw_cuda_launch_elements("softmax_pool", softmax_pool, args->pool.coarser_rows * args->pool.width, *args);
}

GW_CUDA_OP(softmax_pool_backward, gw_softmax_pool_args) {
    return gw_cuda_launch_elements("softmax_pool_backward", softmax_pool_backward,
                                   args->pool.coarser_rows * args->pool.width, *args);
}
