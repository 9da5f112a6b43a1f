// SPDX-License-Identifier: MIT
// Cross entropies of rows of logits: a warp a row.
#include "kernels/cuda/changing.h"
#include "kernels/cuda/cross_entropy_row.h"

static __global__ void cross_entropy(gw_cross_entropy_args a, gpu_changing<float> scale) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    const int64_t at = row * a.logit_stride;
    const gpu_classes c = {
        a.logit + at, a.gradient ? a.gradient + at : nullptr, a.classes, 1, gpu_number(scale), a.smoothing, a.focus,
        a.weight};
    const float loss = gpu_cross_entropy_row(c, a.label[row], a.best ? a.best + row : nullptr);
    if (gpu_lane() == 0) a.loss[row] = loss;
}

GW_CUDA_OP(cross_entropy, gw_cross_entropy_args) {
    return gw_cuda_launch_rows("cross_entropy", cross_entropy, args->rows, gw_cuda_unscaled(*args),
                               gw_cuda_changing(args->gradient_scale));
}
