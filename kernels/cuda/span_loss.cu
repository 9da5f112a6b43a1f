// SPDX-License-Identifier: MIT
// Cross entropies of the first and the last token of answers, whose classes are a sequence's tokens: a warp an end.
#include "kernels/cuda/changing.h"
#include "kernels/cuda/cross_entropy_row.h"

static __global__ void span_loss(gw_span_loss_args a, gpu_changing<float> scale) {
    const int64_t row = gpu_row(), s = row / GW_SPAN_ENDS,
                  at = a.start[s < a.sequences ? s : 0] * GW_SPAN_ENDS + row % GW_SPAN_ENDS;
    if (s >= a.sequences) return; // a whole warp
    const gpu_classes c = {a.logit + at,
                           a.gradient ? a.gradient + at : nullptr,
                           a.start[s + 1] - a.start[s],
                           GW_SPAN_ENDS,
                           gpu_number(scale),
                           0.0f,
                           0.0f,
                           nullptr};
    const float loss = gpu_cross_entropy_row(c, a.label[row], a.best + row);
    if (gpu_lane() == 0) a.loss[row] = loss;
}

GW_CUDA_OP(span_loss, gw_span_loss_args) {
    return gw_cuda_launch_rows("span_loss", span_loss, args->sequences * GW_SPAN_ENDS, gw_cuda_unscaled(*args),
                               gw_cuda_changing(args->gradient_scale));
}
