// SPDX-License-Identifier: MIT
// Layer norm of one row, for the norm op and for the end of a linear layer:
//   out = (in - mean) d w + b,  d = 1 / sqrt(variance + epsilon)
// Without b the mean is 0 (RMS norm).
#ifndef GW_KERNELS_CPU_ISA_LAYER_NORM_ROW_H
#define GW_KERNELS_CPU_ISA_LAYER_NORM_ROW_H

#include "kernels/cpu/isa/vector.h"

typedef struct {
    float mean, inverse_deviation;
} gw_moments;

GW_INLINE float gw_sum_row(const float *a, int64_t count) {
    gw_f32v sum = {0};
    for (int64_t i = 0; i < count; i += GW_LANES) sum += gw_load_some(a + i, count - i);
    return gw_sum(sum);
}

GW_INLINE float gw_sum_squares_about(const float *a, float mean, int64_t count) {
    gw_f32v sum = {0};
    int64_t i = 0;
    for (; i + GW_LANES <= count; i += GW_LANES) {
        const gw_f32v x = gw_load(a + i) - mean;
        sum = gw_fma(x, x, sum);
    }
    float total = gw_sum(sum);
    for (; i < count; i++) total += (a[i] - mean) * (a[i] - mean);
    return total;
}

// out may equal in.
GW_INLINE gw_moments gw_layer_norm_row(const float *in, int64_t width, float epsilon, const float *weight,
                                       const float *bias, float *out) {
    const float mean = bias ? gw_sum_row(in, width) / (float)width : 0.0f;
    const float variance = gw_sum_squares_about(in, mean, width) / (float)width;
    const float deviation = 1.0f / sqrtf(variance + epsilon);
    for (int64_t i = 0; i < width; i += GW_LANES) {
        const int64_t left = width - i;
        const gw_f32v scaled = (gw_load_some(in + i, left) - mean) * deviation;
        const gw_f32v shift = bias ? gw_load_some(bias + i, left) : gw_all(0.0f);
        gw_store_some(out + i, gw_fma(scaled, gw_load_some(weight + i, left), shift), left);
    }
    return (gw_moments){mean, deviation};
}

#endif
