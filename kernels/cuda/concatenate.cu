// SPDX-License-Identifier: MIT
// Rows of two arrays side by side: a thread a number.
#include "kernels/cuda/frame.h"

static __global__ void concatenate(gw_concatenate_args a) {
    const int64_t width = a.first_width + a.second_width, at = gpu_element(), row = at / width, i = at % width;
    if (row >= a.rows) return;
    a.out[at] =
        i < a.first_width ? a.first[row * a.first_width + i] : a.second[row * a.second_width + i - a.first_width];
}

static __global__ void concatenate_backward(gw_concatenate_args a) {
    const int64_t width = a.first_width + a.second_width, at = gpu_element(), row = at / width, i = at % width;
    if (row >= a.rows) return;
    float *to = i < a.first_width ? a.first_gradient + row * a.first_width + i
                                  : a.second_gradient + row * a.second_width + i - a.first_width;
    *to += a.out_gradient[at];
}

GW_CUDA_OP(concatenate, gw_concatenate_args) {
    return gw_cuda_launch_elements("concatenate", concatenate, args->rows * (args->first_width + args->second_width),
                                   *args);
}

GW_CUDA_OP(concatenate_backward, gw_concatenate_args) {
    return gw_cuda_launch_elements("concatenate_backward", concatenate_backward,
                                   args->rows * (args->first_width + args->second_width), *args);
}
