// SPDX-License-Identifier: MIT
// Layers over packed weights: a product each, with its bias and where it can the activation; then what a product does
// not apply, the residual and the norm. The inside of a feed-forward layer is made for some rows at a time.
#include "kernels/cuda/activation_functions.h"
#include "kernels/cuda/layer_norm_row.h"
#include "kernels/cuda/packed.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/round_rows.h"
#include "kernels/cuda/scratch.h"

namespace {

enum { MOST_ROWS = 8192 };

struct row_end {
    int64_t rows, width;
    const float *residual, *weight, *bias;
    float epsilon;
    float *out;
    uint16_t *rounded; // or NULL
    int64_t rounded_stride;
};

template <typename F> __global__ void apply(float *out, int64_t count) {
    const int64_t i = gpu_element();
    if (i < count) out[i] = F::of(out[i]);
}

__global__ void add_residual(row_end a) {
    const int64_t i = gpu_element();
    if (i < a.rows * a.width) a.out[i] += a.residual[i];
}

// out = LN(out + residual)
__global__ void norm_rows(row_end a) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    float *out = a.out + row * a.width;
    for (int64_t i = gpu_lane(); i < a.width && a.residual; i += GW_CUDA_WARP) out[i] += a.residual[row * a.width + i];
    gpu_layer_norm_row(out, a.width, a.epsilon, a.weight, a.bias, out,
                       a.rounded ? a.rounded + row * a.rounded_stride : nullptr);
}

struct numbers {
    float *of;
    int64_t count;
};

template <typename F> gw_status launch_apply(const numbers &n) {
    return gw_cuda_launch_elements("linear", apply<F>, n.count, n.of, n.count);
}

// What products do not apply on the way.
gw_status apply_activation(gw_activation activation, const numbers &n) {
    switch (activation) {
    case GW_ACTIVATION_GELU_EXACT: return launch_apply<gpu_activation::gelu_exact>(n);
    case GW_ACTIVATION_GELU_QUICK: return launch_apply<gpu_activation::gelu_quick>(n);
    case GW_ACTIVATION_TANH: return launch_apply<gpu_activation::hyperbolic>(n);
    case GW_ACTIVATION_SILU: return launch_apply<gpu_activation::silu>(n);
    default: return GW_OK;
    }
}

// Rows that layers read, as they are or rounded.
struct input {
    const void *from;
    int64_t stride;
};

// in W^T + b, in of the layer's precision.
gw_cuda_product product_of(const gw_linear_layer *layer, const input &in, int64_t rows) {
    const gw_packed *w = layer->weight;
    gw_cuda_product p = {};
    p.transpose_b = true;
    p.precision = w->precision;
    p.m = rows;
    p.n = w->n;
    p.k = w->k;
    p.a = in.from;
    p.a_stride = in.stride;
    p.b = w->number;
    p.b_stride = w->stride;
    p.bias = layer->bias;
    return p;
}

// out = f(in W^T + b)
gw_status multiply(const gw_linear_layer *layer, gw_activation activation, const input &in, int64_t rows, float *out) {
    gw_cuda_product p = product_of(layer, in, rows);
    p.c = out;
    p.c_stride = p.n;
    p.activation = gw_cuda_product_applies(activation) ? activation : GW_ACTIVATION_NONE;
    GW_TRY(gw_cuda_multiply(&p));
    return apply_activation(activation, {out, rows * p.n});
}

// The same as bf16, of bf16 weights and an activation that products apply.
gw_status multiply_to_bf16(const gw_linear_layer *layer, const input &in, int64_t rows, uint16_t *out) {
    gw_cuda_product p = product_of(layer, in, rows);
    p.c_bf16 = out;
    p.c_stride = gw_bf16_stride(p.n);
    p.activation = layer->activation;
    if (p.bias) GW_TRY(gw_cuda_bias_to_ends(&p));
    return gw_cuda_multiply(&p);
}

// f(in), rounded into *scratch, which moves on behind it.
gw_status round_input(const float *in, int64_t rows, int64_t width, gw_activation f, float **scratch, input *out) {
    uint16_t *to = reinterpret_cast<uint16_t *>(*scratch);
    *scratch += gw_cuda_rounded_floats(rows, width);
    *out = {to, gw_cuda_rounded_stride(width)};
    const gw_cuda_rounding rounding = {in, width, rows, width, f, to};
    return gw_cuda_round_rows("linear", &rounding);
}

// The inside of a feed-forward layer: rounded by the product, or where that does not apply the activation by a pass
// that does.
gw_status run_inside(const gw_linear_layer *layer, int64_t rows, float *scratch, input *x) {
    const gw_packed *w = layer->weight;
    const bool rounds = w->precision == GW_BF16;
    float *inside = scratch;
    if (rounds && gw_cuda_product_applies(layer->activation)) {
        uint16_t *rounded = reinterpret_cast<uint16_t *>(scratch);
        GW_TRY(multiply_to_bf16(layer, *x, rows, rounded));
        *x = {rounded, gw_bf16_stride(w->n)};
        return GW_OK;
    }
    scratch += gw_cuda_divide(rows * w->n, 4) * 4;
    GW_TRY(multiply(layer, rounds ? GW_ACTIVATION_NONE : layer->activation, *x, rows, inside));
    *x = {inside, w->n};
    return rounds ? round_input(inside, rows, w->n, layer->activation, &scratch, x) : GW_OK;
}

// What the layers read of rows first.. .
gw_status take_input(const gw_linear_args *args, int64_t first, int64_t rows, input *x) {
    const gw_packed *w = args->feed_forward.weight ? args->feed_forward.weight : args->layer[0].weight;
    float *scratch = args->scratch;
    if (args->in_bf16) *x = {args->in_bf16 + first * gw_bf16_stride(w->k), gw_bf16_stride(w->k)};
    else *x = {args->in + first * w->k, w->k};
    if (w->precision == GW_BF16 && !args->in_bf16)
        GW_TRY(round_input(args->in + first * w->k, rows, w->k, GW_ACTIVATION_NONE, &scratch, x));
    return args->feed_forward.weight ? run_inside(&args->feed_forward, rows, scratch, x) : GW_OK;
}

gw_status end_rows(const gw_linear_args *args, int64_t first, int64_t rows) {
    const int64_t width = args->layer[0].weight->n, at = first * width;
    const row_end end = {rows,
                         width,
                         args->residual ? args->residual + at : nullptr,
                         args->norm_weight,
                         args->norm_bias,
                         args->epsilon,
                         args->out[0] + at,
                         args->out_bf16[0] ? args->out_bf16[0] + first * gw_bf16_stride(width) : nullptr,
                         gw_bf16_stride(width)};
    if (end.weight) return gw_cuda_launch_rows("linear", norm_rows, rows, end);
    return end.residual ? gw_cuda_launch_elements("linear", add_residual, rows * width, end) : GW_OK;
}

gw_status run_rows(const gw_linear_args *args, int64_t first, int64_t rows) {
    input x;
    GW_TRY(take_input(args, first, rows, &x));
    for (int i = 0; i < GW_LINEAR_OUTS && args->layer[i].weight; i++) {
        const gw_linear_layer *layer = &args->layer[i];
        const int64_t n = layer->weight->n;
        if (args->out[i]) GW_TRY(multiply(layer, layer->activation, x, rows, args->out[i] + first * n));
        else GW_TRY(multiply_to_bf16(layer, x, rows, args->out_bf16[i] + first * gw_bf16_stride(n)));
    }
    return args->out[0] ? end_rows(args, first, rows) : GW_OK;
}

int64_t rows_at_once(const gw_linear_args *args) {
    return args->rows < MOST_ROWS ? args->rows : int64_t(MOST_ROWS);
}

} // namespace

int64_t gw_cuda_linear_scratch(const gw_linear_args *args) {
    const gw_packed *inner = args->feed_forward.weight, *first = inner ? inner : args->layer[0].weight;
    const int64_t rows = rows_at_once(args);
    const bool rounds = inner && inner->precision == GW_BF16 && gw_cuda_product_applies(args->feed_forward.activation);
    int64_t floats = inner && !rounds ? gw_cuda_divide(rows * inner->n, 4) * 4 : 0;
    if (first->precision == GW_F32) return floats;
    if (inner) floats += gw_cuda_rounded_floats(rows, inner->n);
    return floats + gw_cuda_rounded_floats(rows, first->k);
}

GW_CUDA_OP(linear, gw_linear_args) {
    const int64_t rows = rows_at_once(args);
    for (int64_t first = 0; first < args->rows; first += rows)
        GW_TRY(run_rows(args, first, args->rows - first < rows ? args->rows - first : rows));
    return GW_OK;
}
