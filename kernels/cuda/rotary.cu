// SPDX-License-Identifier: MIT
// Rotary positions: a thread turns one pair of a row's head.
#include "kernels/cuda/frame.h"

static __global__ void rotary(gw_rotary_args a) {
    const int64_t half = a.rotary / 2, pairs = a.heads * half, at = gpu_element();
    const int64_t row = at / pairs, head = at % pairs / half, j = at % half;
    if (row >= a.rows) return;
    const int64_t angle = a.position[row] * half + j;
    const float c = a.cosine[angle], s = a.inverse ? -a.sine[angle] : a.sine[angle];
    float *x = a.data + row * a.stride + head * a.head_size + j;
    const float first = x[0], second = x[half];
    x[0] = c * first - s * second;
    x[half] = c * second + s * first;
}

GW_CUDA_OP(rotary, gw_rotary_args) {
    return gw_cuda_launch_elements("rotary", rotary, args->rows * args->heads * (args->rotary / 2), *args);
}
