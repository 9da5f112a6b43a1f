// SPDX-License-Identifier: MIT
// Losses of numbers by the formulas of kernels/number_loss.h: a thread a number.
#include "kernels/cuda/changing.h"

namespace {
// The loss of a number, and its derivatives by z and s; logits: how many each number has.
struct term {
    float loss, by_z, by_s;
};

struct squared {
    static constexpr int logits = 1;
    static __device__ term of(const gw_number_loss_args &, const float *logit, float y) {
        const float apart = logit[0] - y;
        return {apart * apart, 2.0f * apart, 0.0f};
    }
};

struct huber {
    static constexpr int logits = 1;
    static __device__ term of(const gw_number_loss_args &a, const float *logit, float y) {
        const float apart = logit[0] - y, size = fabsf(apart);
        if (size <= a.bend) return {0.5f * apart * apart, apart, 0.0f};
        return {a.bend * (size - 0.5f * a.bend), copysignf(a.bend, apart), 0.0f};
    }
};

struct poisson {
    static constexpr int logits = 1;
    static __device__ term of(const gw_number_loss_args &, const float *logit, float y) {
        const float mean = expf(logit[0]);
        return {mean - y * logit[0], mean - y, 0.0f};
    }
};

struct gaussian {
    static constexpr int logits = 2;
    static __device__ term of(const gw_number_loss_args &a, const float *logit, float y) {
        const float apart = logit[0] - y, s = logit[a.columns], precision = expf(-s);
        const float square = apart * apart * precision;
        return {0.5f * (s + square), apart * precision, 0.5f * (1.0f - square)};
    }
};

template <typename F> __global__ void number_loss(gw_number_loss_args a, gpu_changing<float> scale) {
    const int64_t i = gpu_element();
    if (i >= a.rows * a.columns) return;
    const int64_t column = i % a.columns, at = i / a.columns * F::logits * a.columns + column;
    const float weight = a.weight ? a.weight[column] : 1.0f;
    const term t = isnan(a.label[i]) ? term{0.0f, 0.0f, 0.0f} : F::of(a, a.logit + at, a.label[i]);
    a.loss[i] = weight * t.loss;
    if (!a.gradient) return;
    const float by = weight * gpu_number(scale);
    a.gradient[at] = by * t.by_z;
    if (F::logits > 1) a.gradient[at + a.columns] = by * t.by_s;
}

template <typename F> gw_status launch(const gw_number_loss_args *args) {
    return gw_cuda_launch_elements("number_loss", number_loss<F>, args->rows * args->columns, gw_cuda_unscaled(*args),
                                   gw_cuda_changing(args->gradient_scale));
}
} // namespace

GW_CUDA_OP(number_loss, gw_number_loss_args) {
    switch (args->kind) {
    case GW_NUMBER_LOSS_HUBER: return launch<huber>(args);
    case GW_NUMBER_LOSS_POISSON: return launch<poisson>(args);
    case GW_NUMBER_LOSS_GAUSSIAN: return launch<gaussian>(args);
    default: return launch<squared>(args);
    }
}
