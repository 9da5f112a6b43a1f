// SPDX-License-Identifier: MIT
// The logistic function.
#include "kernels/cuda/unary.h"

namespace {
struct sigmoid {
    static __device__ float of(float x) {
        return 1.0f / (1.0f + expf(-x));
    }
    static __device__ float derivative(float x) {
        const float s = of(x);
        return s * (1.0f - s);
    }
};
} // namespace

GW_CUDA_UNARY(sigmoid, sigmoid)
