// SPDX-License-Identifier: MIT
// The hyperbolic tangent.
#include "kernels/cuda/unary.h"

namespace {
struct hyperbolic {
    static __device__ float of(float x) {
        return tanhf(x);
    }
    static __device__ float derivative(float x) {
        const float t = tanhf(x);
        return 1.0f - t * t;
    }
};
} // namespace

GW_CUDA_UNARY(tanh, hyperbolic)
