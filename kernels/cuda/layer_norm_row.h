// SPDX-License-Identifier: MIT
// Layer norm of one row by one warp; RMS norm if there is no bias. A second pass sums squares about the mean. out may
// be in. out may be NULL if `rounded` gets the numbers as bf16.
#ifndef GW_KERNELS_CUDA_LAYER_NORM_ROW_H
#define GW_KERNELS_CUDA_LAYER_NORM_ROW_H

#include "kernels/cuda/frame.h"

struct gpu_norm {
    float mean, inverse; // inverse: 1 / standard deviation
};

GPU_FN gpu_norm gpu_layer_norm_row(const float *in, int64_t width, float epsilon, const float *weight,
                                   const float *bias, float *out, uint16_t *rounded) {
    float sum = 0, squares = 0;
    for (int64_t i = gpu_lane(); i < width; i += GW_CUDA_WARP) sum += in[i];
    const float mean = bias ? gpu_warp_sum(sum) / float(width) : 0.0f;
    for (int64_t i = gpu_lane(); i < width; i += GW_CUDA_WARP) squares += (in[i] - mean) * (in[i] - mean);
    const float inverse = 1.0f / sqrtf(gpu_warp_sum(squares) / float(width) + epsilon);
    for (int64_t i = gpu_lane(); i < width; i += GW_CUDA_WARP) {
        const float x = (in[i] - mean) * inverse * weight[i] + (bias ? bias[i] : 0.0f);
        if (out) out[i] = x;
        if (rounded) rounded[i] = uint16_t(gpu_pack_bf16(x, 0.0f));
    }
    return {mean, inverse};
}

#endif
