// SPDX-License-Identifier: MIT
// x times the logistic function of x.
#include "kernels/cuda/unary.h"

namespace {
struct silu {
    static __device__ float logistic(float x) {
        return 1.0f / (1.0f + expf(-x));
    }
    static __device__ float of(float x) {
        return x / (1.0f + expf(-x));
    }
    static __device__ float derivative(float x) {
        const float s = logistic(x);
        return s * (1.0f + x * (1.0f - s));
    }
};
} // namespace

GW_CUDA_UNARY(silu, silu)
