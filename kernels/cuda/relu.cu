// SPDX-License-Identifier: MIT
// max(x, 0).
#include "kernels/cuda/unary.h"

namespace {
struct relu {
    static __device__ float of(float x) {
        return x < 0.0f ? 0.0f : x;
    }
    static __device__ float derivative(float x) {
        return x > 0.0f ? 1.0f : 0.0f;
    }
};
} // namespace

GW_CUDA_UNARY(relu, relu)
