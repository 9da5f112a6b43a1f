// SPDX-License-Identifier: MIT
// What is said of two rows beside each other: a thread a number of both.
#include "kernels/cuda/frame.h"

static __global__ void pair_features(gw_pair_features_args a) {
    const int64_t at = gpu_element(), pair = at / a.width, d = at % a.width;
    if (pair >= a.pairs) return;
    const float x0 = a.in[2 * pair * a.width + d], x1 = a.in[(2 * pair + 1) * a.width + d];
    float *out = a.out + 4 * pair * a.width + d;
    out[0] = x0;
    out[a.width] = x1;
    out[2 * a.width] = x0 * x1;
    out[3 * a.width] = x0 - x1;
}

static __global__ void pair_features_backward(gw_pair_features_args a) {
    const int64_t at = gpu_element(), pair = at / a.width, d = at % a.width;
    if (pair >= a.pairs) return;
    const int64_t first = 2 * pair * a.width + d, second = first + a.width;
    const float *dout = a.out_gradient + 4 * pair * a.width + d;
    const float product = dout[2 * a.width], difference = dout[3 * a.width];
    a.in_gradient[first] += dout[0] + product * a.in[second] + difference;
    a.in_gradient[second] += dout[a.width] + product * a.in[first] - difference;
}

GW_CUDA_OP(pair_features, gw_pair_features_args) {
    return gw_cuda_launch_elements("pair_features", pair_features, args->pairs * args->width, *args);
}

GW_CUDA_OP(pair_features_backward, gw_pair_features_args) {
    return gw_cuda_launch_elements("pair_features_backward", pair_features_backward, args->pairs * args->width, *args);
}
