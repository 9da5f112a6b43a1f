// SPDX-License-Identifier: MIT
// GELU by the error function. Far below 0 the complement keeps the digits that 1 + erf would lose.
#include "kernels/cuda/unary.h"

namespace {
struct gelu_exact {
    static constexpr float ROOT_HALF = 0.7071067811865476f, DENSITY = 0.3989422804014327f; // 1 / sqrt(2 pi)
    static __device__ float below(float x) {
        return 0.5f * erfcf(-x * ROOT_HALF);
    }
    static __device__ float of(float x) {
        return x * below(x);
    }
    static __device__ float derivative(float x) {
        return below(x) + x * DENSITY * expf(-0.5f * x * x);
    }
};
} // namespace

GW_CUDA_UNARY(gelu_exact, gelu_exact)
