// SPDX-License-Identifier: MIT
// Squared error: a thread a number.
#include "kernels/cuda/frame.h"

static __global__ void squared_error(gw_squared_error_args a) {
    const int64_t i = gpu_element();
    if (i >= a.count) return;
    const float apart = a.logit[i] - a.label[i];
    const bool there = !isnan(a.label[i]);
    a.loss[i] = there ? apart * apart : 0.0f;
    if (a.gradient) a.gradient[i] = there ? 2.0f * a.gradient_scale * apart : 0.0f;
}

GW_CUDA_OP(squared_error, gw_squared_error_args) {
    return gw_cuda_launch_elements("squared_error", squared_error, args->count, *args);
}
