// SPDX-License-Identifier: MIT
// Four consecutive numbers at a time: one access of 16 bytes if all four exist and are aligned, else one by one.
#ifndef GW_KERNELS_CUDA_FOUR_H
#define GW_KERNELS_CUDA_FOUR_H

#include "kernels/cuda/gpu.h"

struct gpu_four {
    float value[4];
};

GPU_FN bool gpu_is_four(const float *p, int64_t i, int64_t count) {
    return i + 4 <= count && (reinterpret_cast<uintptr_t>(p) & 15) == 0;
}

// p[i .. i + 3], zeros from `count` on; i is a multiple of 4.
GPU_FN gpu_four gpu_load_four(const float *p, int64_t i, int64_t count) {
    gpu_four x = {};
    if (gpu_is_four(p, i, count)) {
        const float4 four = *reinterpret_cast<const float4 *>(p + i);
        return {{four.x, four.y, four.z, four.w}};
    }
    for (int k = 0; k < 4; k++)
        if (i + k < count) x.value[k] = p[i + k];
    return x;
}

GPU_FN void gpu_store_four(float *p, int64_t i, int64_t count, const gpu_four &x) {
    if (gpu_is_four(p, i, count)) {
        *reinterpret_cast<float4 *>(p + i) = make_float4(x.value[0], x.value[1], x.value[2], x.value[3]);
        return;
    }
    for (int k = 0; k < 4; k++)
        if (i + k < count) p[i + k] = x.value[k];
}

// Calls body(i) for the thread's four elements i .. i + 3 of `count`, if it has any.
template <typename F> GPU_FN void gpu_for_four(int64_t count, F body) {
    const int64_t i = 4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i < count) body(i);
}

#endif
