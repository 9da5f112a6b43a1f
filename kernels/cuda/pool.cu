// SPDX-License-Identifier: MIT
// pool and unpool: between the rows of windows and the one row that stands for each; a thread a number of the latter.
#include "kernels/cuda/pool_window.h"

namespace {

// A NaN is larger than any number.
GPU_FN bool is_larger(float a, float b) {
    return a > b || a != a;
}

GPU_FN float largest(const gw_pool_args &a, const gpu_pool_window &w, int64_t i) {
    float most = a.in[w.first * a.width + i];
    for (int64_t r = 1; r < w.count; r++) {
        const float x = a.in[(w.first + r) * a.width + i];
        if (is_larger(x, most)) most = x;
    }
    return most;
}

GPU_FN float sum(const gw_pool_args &a, const gpu_pool_window &w, int64_t i) {
    float total = a.in[w.first * a.width + i];
    for (int64_t r = 1; r < w.count; r++) total += a.in[(w.first + r) * a.width + i];
    return total;
}

GPU_FN void put(float *out, float value, bool adds) {
    *out = adds ? *out + value : value;
}

__global__ void pool(gw_pool_args a) {
    const int64_t at = gpu_element(), row = at / a.width, i = at % a.width;
    if (row >= a.coarser_rows) return;
    const gpu_pool_window w = gpu_pool_window_of(a, row);
    float value = a.how == GW_POOL_MAX ? largest(a, w, i) : sum(a, w, i);
    if (a.how == GW_POOL_MEAN) value /= float(w.count);
    put(a.out + at, value, a.adds);
}

// The first row alone that has the largest value, or the first NaN.
GPU_FN int64_t place_of_largest(const gw_pool_args &a, const gpu_pool_window &w, int64_t i) {
    int64_t place = 0;
    float most = a.of[w.first * a.width + i];
    for (int64_t r = 1; r < w.count; r++) {
        const float x = a.of[(w.first + r) * a.width + i];
        if (!is_larger(x, most) || most != most) continue;
        most = x;
        place = r;
    }
    return place;
}

__global__ void unpool(gw_pool_args a) {
    const int64_t at = gpu_element(), row = at / a.width, i = at % a.width;
    if (row >= a.coarser_rows) return;
    const gpu_pool_window w = gpu_pool_window_of(a, row);
    const int64_t place = a.how == GW_POOL_MAX ? place_of_largest(a, w, i) : -1;
    const float value = a.how == GW_POOL_MEAN ? a.in[at] / float(w.count) : a.in[at];
    for (int64_t r = 0; r < w.count; r++)
        put(a.out + (w.first + r) * a.width + i, place < 0 || place == r ? value : 0.0f, a.adds);
}

} // namespace

GW_CUDA_OP(pool, gw_pool_args) {
    return gw_cuda_launch_elements("pool", pool, args->coarser_rows * args->width, *args);
}

GW_CUDA_OP(unpool, gw_pool_args) {
    return gw_cuda_launch_elements("unpool", unpool, args->coarser_rows * args->width, *args);
}
