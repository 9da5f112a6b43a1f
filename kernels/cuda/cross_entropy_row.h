// SPDX-License-Identifier: MIT
// The cross entropy of one row of logits, by one warp. Logits lie `step` apart, and so do their gradients. Gradients
// may overwrite the logits.
#ifndef GW_KERNELS_CUDA_CROSS_ENTROPY_ROW_H
#define GW_KERNELS_CUDA_CROSS_ENTROPY_ROW_H

#include "kernels/cuda/frame.h"

struct gpu_classes {
    const float *logit;
    float *gradient; // or NULL
    int64_t count, step;
    float gradient_scale, smoothing, focus;
    const float *weight; // or NULL
};

struct gpu_best {
    float value;
    int64_t index;
};

// The largest logit; on ties the first one. Index 0 if all are NaN.
GPU_FN gpu_best gpu_largest_class(const gpu_classes &c) {
    gpu_best best = {-INFINITY, INT64_MAX};
    for (int64_t v = gpu_lane(); v < c.count; v += GW_CUDA_WARP) {
        const float z = c.logit[v * c.step];
        if (z > best.value || (z == best.value && v < best.index)) best = {z, v};
    }
    for (int i = 16; i > 0; i >>= 1) {
        const gpu_best other = {__shfl_xor_sync(0xffffffffu, best.value, i),
                                __shfl_xor_sync(0xffffffffu, best.index, i)};
        if (other.value > best.value || (other.value == best.value && other.index < best.index)) best = other;
    }
    if (best.index == INT64_MAX) best.index = 0;
    return best;
}

// The target of a class that is not the label.
GPU_FN float gpu_class_share(const gpu_classes &c) {
    return c.smoothing > 0 ? c.smoothing / float(c.count - 1) : 0.0f;
}

// sum_v t_v (z_v - largest)
GPU_FN float gpu_expected_logit(const gpu_classes &c, int32_t label, float largest) {
    const float at_label = c.logit[label * c.step] - largest;
    if (c.smoothing == 0) return at_label;
    float sum = 0;
    for (int64_t v = gpu_lane(); v < c.count; v += GW_CUDA_WARP) sum += c.logit[v * c.step] - largest;
    return (1.0f - c.smoothing - gpu_class_share(c)) * at_label + gpu_class_share(c) * gpu_warp_sum(sum);
}

// The factors of a row's loss l and of its softmax gradient.
struct gpu_loss_factors {
    float loss, gradient;
};

GPU_FN gpu_loss_factors gpu_loss_factors_of(const gpu_classes &c, int32_t label, float loss) {
    const float weight = c.weight ? c.weight[label] : 1.0f, q = -expm1f(-loss);
    if (c.focus == 0) return {weight, weight};
    const float power = weight * powf(q, c.focus);
    return {power, q > 0 ? power * (1.0f + c.focus * (1.0f - q) * loss / q) : 0.0f};
}

GPU_FN void gpu_write_class_gradient(const gpu_classes &c, int32_t label, float largest, float sum, float factor) {
    const float by = c.gradient_scale * factor, scale = by / sum, other = by * gpu_class_share(c);
    for (int64_t v = gpu_lane(); v < c.count; v += GW_CUDA_WARP) {
        const float share = scale * expf(c.logit[v * c.step] - largest) - other;
        c.gradient[v * c.step] = v == label ? share - (by * (1.0f - c.smoothing) - other) : share;
    }
}

// Returns the loss in every lane. The first lane writes *best, which may be NULL.
GPU_FN float gpu_cross_entropy_row(const gpu_classes &c, int32_t label, int32_t *best) {
    const gpu_best largest = gpu_largest_class(c);
    if (best && gpu_lane() == 0) *best = int32_t(largest.index);
    if (label < 0) {
        for (int64_t v = gpu_lane(); v < c.count && c.gradient; v += GW_CUDA_WARP) c.gradient[v * c.step] = 0.0f;
        return 0.0f;
    }
    float sum = 0;
    for (int64_t v = gpu_lane(); v < c.count; v += GW_CUDA_WARP) sum += expf(c.logit[v * c.step] - largest.value);
    sum = gpu_warp_sum(sum);
    const float loss = logf(sum) - gpu_expected_logit(c, label, largest.value);
    const gpu_loss_factors by = gpu_loss_factors_of(c, label, loss);
    __syncwarp(); // all logits are read before gradients overwrite them
    if (c.gradient) gpu_write_class_gradient(c, label, largest.value, sum, by.gradient);
    return by.loss * loss;
}

#endif
