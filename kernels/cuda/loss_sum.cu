// SPDX-License-Identifier: MIT
// Sums of losses over the rows that have a label, and how many are right: one warp, since rows are few; each lane sums
// every 32nd row.
#include "kernels/cuda/frame.h"

namespace {

GPU_FN bool has_label(const gw_loss_sum_args &a, int64_t row) {
    return a.label ? a.label[row * a.parts] >= 0 : !isnan(a.number[row]);
}

GPU_FN bool is_right(const gw_loss_sum_args &a, int64_t row) {
    bool right = a.label != nullptr;
    for (int64_t i = row * a.parts; i < (row + 1) * a.parts && right; i++) right = a.label[i] == a.best[i];
    return right;
}

GPU_FN double mean_loss(const gw_loss_sum_args &a, int64_t row) {
    double sum = 0.0;
    for (int64_t part = 0; part < a.parts; part++) sum += double(a.loss[row * a.parts + part]);
    return sum / double(a.parts);
}

__global__ void loss_sum(gw_loss_sum_args a) {
    double loss = 0.0, count = 0.0, right = 0.0; // whole numbers far below 2^53
    for (int64_t row = gpu_lane(); row < a.rows; row += GW_CUDA_WARP) {
        if (!has_label(a, row)) continue;
        loss += mean_loss(a, row);
        count += 1.0;
        right += is_right(a, row) ? 1.0 : 0.0;
    }
    const gw_loss_sum sum = {gpu_warp_sum(loss), int64_t(gpu_warp_sum(count)), int64_t(gpu_warp_sum(right))};
    if (gpu_lane() == 0) *a.out = sum;
}

} // namespace

GW_CUDA_OP(loss_sum, gw_loss_sum_args) {
    return gw_cuda_launch("loss_sum", loss_sum, 1, GW_CUDA_WARP, *args);
}
