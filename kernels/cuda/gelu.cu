// SPDX-License-Identifier: MIT
// GELU in its tanh form, as x times the logistic function of 2 u, which keeps the digits that 1 + tanh u would lose.
#include "kernels/cuda/unary.h"

namespace {
struct gelu {
    static constexpr float ROOT = 0.7978845608028654f, CUBE = 0.044715f; // sqrt(2 / pi)
    static __device__ float inner(float x) {
        return 2.0f * ROOT * (x + CUBE * x * x * x);
    }
    static __device__ float of(float x) {
        return x / (1.0f + expf(-inner(x)));
    }
    static __device__ float derivative(float x) {
        const float u = inner(x), s = 1.0f / (1.0f + expf(-u)), rest = 1.0f / (1.0f + expf(u));
        return s * (1.0f + x * rest * 2.0f * ROOT * (1.0f + 3.0f * CUBE * x * x));
    }
};
} // namespace

GW_CUDA_UNARY(gelu, gelu)
