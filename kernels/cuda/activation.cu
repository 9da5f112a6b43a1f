// SPDX-License-Identifier: MIT
// Activations on every value alone, from a function and its derivative: four values a thread where they are aligned to
// that.
#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"

namespace {
struct same {
    static __device__ float of(float x) {
        return x;
    }
    static __device__ float derivative(float) {
        return 1.0f;
    }
};

// GELU in its tanh form, as x times the logistic function of 2 u, which keeps the digits that 1 + tanh u would lose.
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

// GELU by the error function. Far below 0 the complement keeps the digits that 1 + erf would lose.
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

// x + 1, of negative x e^x.
struct elu_plus_one {
    static __device__ float of(float x) {
        return x > 0.0f ? x + 1.0f : expf(x);
    }
    static __device__ float derivative(float x) {
        return x > 0.0f ? 1.0f : expf(x);
    }
};

template <typename F> __global__ void activation_forward(gw_activation_args a) {
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four x = gpu_load_four(a.in, i, a.count);
        for (float &value : x.value) value = F::of(value);
        gpu_store_four(a.out, i, a.count, x);
    });
}

// Where in_gradient is out_gradient, the product replaces it.
template <typename F> __global__ void activation_backward(gw_activation_args a) {
    const bool replaces = a.in_gradient == a.out_gradient;
    gpu_for_four(a.count, [&](int64_t i) {
        const gpu_four x = gpu_load_four(a.in, i, a.count), dy = gpu_load_four(a.out_gradient, i, a.count);
        gpu_four dx = replaces ? gpu_four{} : gpu_load_four(a.in_gradient, i, a.count);
        for (int k = 0; k < 4; k++) dx.value[k] += dy.value[k] * F::derivative(x.value[k]);
        gpu_store_four(a.in_gradient, i, a.count, dx);
    });
}

template <typename F> gw_status launch_forward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation", activation_forward<F>, gw_cuda_divide(args->count, 4), *args);
}

template <typename F> gw_status launch_backward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation_backward", activation_backward<F>, gw_cuda_divide(args->count, 4),
                                   *args);
}
} // namespace

// launch<F>(args) with the functions that the kind names.
#define WITH_FUNCTIONS(launch, args)                                                                                   \
    switch (args->kind) {                                                                                              \
    case GW_ACTIVATION_GELU: return launch<gelu>(args);                                                                \
    case GW_ACTIVATION_GELU_EXACT: return launch<gelu_exact>(args);                                                    \
    case GW_ACTIVATION_RELU: return launch<relu>(args);                                                                \
    case GW_ACTIVATION_TANH: return launch<hyperbolic>(args);                                                          \
    case GW_ACTIVATION_SILU: return launch<silu>(args);                                                                \
    case GW_ACTIVATION_SIGMOID: return launch<sigmoid>(args);                                                          \
    case GW_ACTIVATION_ELU_PLUS_ONE: return launch<elu_plus_one>(args);                                                \
    default: return launch<same>(args);                                                                                \
    }

GW_CUDA_OP(activation, gw_activation_args){WITH_FUNCTIONS(launch_forward, args)}

GW_CUDA_OP(activation_backward, gw_activation_args) {
    WITH_FUNCTIONS(launch_backward, args)
}
