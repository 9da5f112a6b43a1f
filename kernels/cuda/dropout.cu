// SPDX-License-Identifier: MIT
// Dropout and residual sum: eight elements a thread, a block of random words for each four.
#include "kernels/cuda/dropped.h"

namespace {

__global__ void dropout_add(gpu_dropping d) {
    gpu_for_eight(d.a.count, [&](int64_t i) { gpu_add_dropped(d, i); });
}

__global__ void dropout_add_backward(gpu_dropping d) {
    gpu_for_eight(d.a.count, [&](int64_t i) { gpu_add_dropped_gradients(d, i); });
}

gw_status launch(const char *op, void (*kernel)(gpu_dropping), const gw_dropout_args *args) {
    return gw_cuda_launch_elements(op, kernel, gw_cuda_divide(args->count, 8), gw_cuda_dropping(args));
}

} // namespace

GW_CUDA_OP(dropout_add, gw_dropout_args) {
    return launch("dropout_add", dropout_add, args);
}

GW_CUDA_OP(dropout_add_backward, gw_dropout_args) {
    return launch("dropout_add_backward", dropout_add_backward, args);
}
