// SPDX-License-Identifier: MIT
// A weight and a bias for each column, and a leaky ReLU: with z = x w + b
//   out = max(z, slope z);   with g = dout (z > 0 ? 1 : slope):  dx += g w,  dw += sum g x,  db += sum g
//
// Sums over rows use PARTS fixed runs of rows, so that their order does not depend on the number of threads. The
// scratch memory of a part is [2][E]: dw, then db.
#include "base/parallel.h"
#include "kernels/cpu/isa/row_parts.h"
#include "kernels/cpu/isa/vector.h"

enum { GRAIN = 64 };

GW_INLINE gw_f32v affine_of(const gw_affine_args *args, const float *x, int64_t i, int64_t left) {
    return gw_fma(gw_load_some(x + i, left), gw_load_some(args->weight + i, left), gw_load_some(args->bias + i, left));
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_affine_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++)
        for (int64_t i = 0; i < args->width; i += GW_LANES) {
            const int64_t left = args->width - i;
            const gw_f32v z = affine_of(args, args->in + row * args->width, i, left);
            gw_store_some(args->out + row * args->width + i, gw_max(z * args->slope, z), left);
        }
}

// dx of one row, and its terms of dw and db added to those of the part.
static void backward_row(const void *context, int64_t row, float *weight_part, float *bias_part) {
    const gw_affine_args *args = context;
    const float *in = args->in + row * args->width, *dout = args->out_gradient + row * args->width;
    float *dx = args->in_gradient + row * args->width;
    for (int64_t i = 0; i < args->width; i += GW_LANES) {
        const int64_t left = args->width - i;
        const gw_f32v d = gw_load_some(dout + i, left);
        const gw_f32v g = gw_select(affine_of(args, in, i, left) > gw_all(0.0f), d, d * args->slope);
        const gw_f32v before = args->overwrites ? gw_all(0.0f) : gw_load_some(dx + i, left);
        gw_store_some(weight_part + i, gw_fma(g, gw_load_some(in + i, left), gw_load_some(weight_part + i, left)),
                      left);
        gw_store_some(bias_part + i, g + gw_load_some(bias_part + i, left), left);
        gw_store_some(dx + i, gw_fma(g, gw_load_some(args->weight + i, left), before), left);
    }
}

gw_status GW_KERNEL(affine)(const gw_affine_args *args) {
    gw_parallel_for(args->rows, GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(affine_backward)(const gw_affine_args *args) {
    gw_sum_row_parts(&(gw_row_parts){backward_row, args, args->rows, args->width, args->scratch});
    return gw_add_row_parts(args->width, args->scratch, args->weight_gradient, args->bias_gradient);
}
