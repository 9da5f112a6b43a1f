// SPDX-License-Identifier: MIT
// Binary cross entropies: a thread a value.
#include "kernels/cuda/changing.h"

static __global__ void bce(gw_bce_args a, gpu_changing<float> scale) {
    const int64_t i = gpu_element();
    if (i >= a.count) return;
    const float z = a.logit[i], y = a.label[i], w = a.positive_weight[i % a.labels];
    const bool used = !isnan(y);
    const float small = expf(-fabsf(z)), tail = log1pf(small);
    const float plus = (z < 0 ? 0 : z) + tail, minus = (z > 0 ? 0 : -z) + tail; // softplus(z), softplus(-z)
    const float high = 1.0f / (1.0f + small), low = small / (1.0f + small);     // s(|z|), s(-|z|)
    a.loss[i] = used ? w * y * minus + (1.0f - y) * plus : 0.0f;
    if (!a.gradient) return;
    const float positive = z < 0 ? low : high, negative = z < 0 ? high : low; // s(z), s(-z)
    a.gradient[i] = used ? gpu_number(scale) * ((1.0f - y) * positive - w * y * negative) : 0.0f;
}

GW_CUDA_OP(bce, gw_bce_args) {
    return gw_cuda_launch_elements("bce", bce, args->count, gw_cuda_unscaled(*args),
                                   gw_cuda_changing(args->gradient_scale));
}
