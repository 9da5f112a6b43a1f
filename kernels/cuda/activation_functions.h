// SPDX-License-Identifier: MIT
// Activations and their derivatives, of one value.
#ifndef GW_KERNELS_CUDA_ACTIVATION_FUNCTIONS_H
#define GW_KERNELS_CUDA_ACTIVATION_FUNCTIONS_H

#include "kernels/cuda/gpu.h"

namespace gpu_activation {
struct same {
    static __device__ float of(float x) {
        return x;
    }
    static __device__ float derivative(float) {
        return 1.0f;
    }
};

// GELU in its tanh form, computed as x times the logistic function of 2 u: 1 + tanh u would lose digits.
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

// GELU by the error function. Far below 0, 1 + erf would lose digits, so the complement is used.
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

// x times the logistic function of 1.702 x.
struct gelu_quick {
    static constexpr float STEEP = 1.702f;
    static __device__ float of(float x) {
        return x / (1.0f + expf(-STEEP * x));
    }
    static __device__ float derivative(float x) {
        const float s = 1.0f / (1.0f + expf(-STEEP * x));
        return s * (1.0f + STEEP * x * (1.0f - s));
    }
};

// max(x, 0).
struct relu {
    static __device__ float of(float x) {
        return x < 0.0f ? 0.0f : x;
    }
    static __device__ float derivative(float x) {
        return x > 0.0f ? 1.0f : 0.0f;
    }
};

// The hyperbolic tangent.
struct hyperbolic {
    static __device__ float of(float x) {
        return tanhf(x);
    }
    static __device__ float derivative(float x) {
        const float t = tanhf(x);
        return 1.0f - t * t;
    }
};

// x times the logistic function of x.
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

// The logistic function.
struct sigmoid {
    static __device__ float of(float x) {
        return 1.0f / (1.0f + expf(-x));
    }
    static __device__ float derivative(float x) {
        const float s = of(x);
        return s * (1.0f - s);
    }
};

// x + 1 where x is at least 0, else e^x.
struct elu_plus_one {
    static __device__ float of(float x) {
        return x > 0.0f ? x + 1.0f : expf(x);
    }
    static __device__ float derivative(float x) {
        return x > 0.0f ? 1.0f : expf(x);
    }
};

// ln(1 + e^x).
struct softplus {
    static __device__ float of(float x) {
        return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x)));
    }
    static __device__ float derivative(float x) {
        return 1.0f / (1.0f + expf(-x));
    }
};

} // namespace gpu_activation

// Calls launch<F>(args) with the function of that kind: one that products can apply, or any.
#define GPU_FUNCTIONS(launch, args)                                                                                    \
    case GW_ACTIVATION_GELU: return launch<gpu_activation::gelu>(args);                                                \
    case GW_ACTIVATION_GELU_EXACT: return launch<gpu_activation::gelu_exact>(args);                                    \
    case GW_ACTIVATION_GELU_QUICK: return launch<gpu_activation::gelu_quick>(args);                                    \
    case GW_ACTIVATION_RELU: return launch<gpu_activation::relu>(args);                                                \
    case GW_ACTIVATION_TANH: return launch<gpu_activation::hyperbolic>(args);                                          \
    case GW_ACTIVATION_SILU: return launch<gpu_activation::silu>(args);                                                \
    default:                                                                                                           \
        return launch<gpu_activation::same>(args);
#define GPU_WITH_FUNCTION(kind, launch, args)                                                                          \
    switch (kind) { GPU_FUNCTIONS(launch, args) }
#define GPU_WITH_ACTIVATION(kind, launch, args)                                                                        \
    switch (kind) {                                                                                                    \
    case GW_ACTIVATION_SIGMOID: return launch<gpu_activation::sigmoid>(args);                                          \
    case GW_ACTIVATION_SOFTPLUS: return launch<gpu_activation::softplus>(args);                                        \
    case GW_ACTIVATION_ELU_PLUS_ONE: return launch<gpu_activation::elu_plus_one>(args); GPU_FUNCTIONS(launch, args)    \
    }

#endif
