// SPDX-License-Identifier: MIT
// Layer normalisation of rows of E values (Ba et al., 2016), x' = (x - mean) d with d = 1 / sqrt(variance + epsilon):
//   out = x' w + b;   with g = dout w:  dx += d (g - mean(g) - x' mean(g x')),  dw += sum dout x',  db += sum dout
// and RMS normalisation (Zhang & Sennrich, 2019), the same without the two means and b: d = 1 / sqrt(mean(x^2) +
// epsilon).
//
// Sums over rows use PARTS fixed runs of rows, so that their order does not depend on the number of threads. The
// scratch memory of a part is [2][E]: dw, then db.
#include "base/parallel.h"
#include "kernels/cpu/isa/layer_norm_row.h"
#include "kernels/cpu/isa/row_parts.h"

enum { GRAIN = 8 };

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_layer_norm_args *args = context;
    const int64_t width = args->width;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const gw_moments moments = gw_layer_norm_row(args->in + row * width, width, args->epsilon, args->weight,
                                                     args->bias, args->out + row * width);
        args->mean[row] = moments.mean;
        args->inverse_deviation[row] = moments.inverse_deviation;
    }
}

// dx of one row, and its terms of dw and db added to those of the part.
static void backward_row(const void *context, int64_t row, float *weight_part, float *bias_part) {
    const gw_layer_norm_args *args = context;
    const int64_t width = args->width;
    const float *in = args->in + row * width, *dout = args->out_gradient + row * width;
    float *dx = args->in_gradient + row * width;
    const float mean = args->mean[row], deviation = args->inverse_deviation[row];
    gw_f32v sum_g = {0}, sum_gx = {0};
    for (int64_t i = 0; i < width; i += GW_LANES) {
        const int64_t left = width - i;
        const gw_f32v d = gw_load_some(dout + i, left), x = (gw_load_some(in + i, left) - mean) * deviation;
        const gw_f32v g = d * gw_load_some(args->weight + i, left); // 0 past the row's end
        sum_g += g;
        sum_gx = gw_fma(g, x, sum_gx);
        gw_store_some(weight_part + i, gw_fma(d, x, gw_load_some(weight_part + i, left)), left);
        gw_store_some(bias_part + i, d + gw_load_some(bias_part + i, left), left);
    }
    const float mean_g = args->bias ? gw_sum(sum_g) / (float)width : 0.0f, mean_gx = gw_sum(sum_gx) / (float)width;
    for (int64_t i = 0; i < width; i += GW_LANES) {
        const int64_t left = width - i;
        const gw_f32v x = (gw_load_some(in + i, left) - mean) * deviation;
        const gw_f32v g = gw_load_some(dout + i, left) * gw_load_some(args->weight + i, left);
        const gw_f32v before = args->overwrites ? gw_all(0.0f) : gw_load_some(dx + i, left);
        gw_store_some(dx + i, before + deviation * (g - mean_g - x * mean_gx), left);
    }
}

gw_status GW_KERNEL(layer_norm)(const gw_layer_norm_args *args) {
    gw_parallel_for(args->rows, GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(layer_norm_backward)(const gw_layer_norm_args *args) {
    gw_sum_row_parts(&(gw_row_parts){backward_row, args, args->rows, args->width, args->scratch});
    return gw_add_row_parts(args->width, args->scratch, args->weight_gradient, args->bias ? args->bias_gradient : NULL);
}
