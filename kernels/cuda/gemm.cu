// SPDX-License-Identifier: MIT
// Products of matrices: of f32 in place, of bf16 after both operands were rounded into scratch memory.
#include "kernels/cuda/activation_functions.h"
#include "kernels/cuda/column_sums.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/round_rows.h"
#include "kernels/cuda/rounded.h"
#include "kernels/cuda/scratch.h"

namespace {

// A matrix as it is stored.
struct stored {
    const float *from;
    int64_t stride, rows, width;
};

stored operand_a(const gw_gemm_args *args) {
    return {args->a, args->a_stride, args->transpose_a ? args->k : args->m, args->transpose_a ? args->m : args->k};
}

stored operand_b(const gw_gemm_args *args) {
    return {args->b, args->b_stride, args->transpose_b ? args->n : args->k, args->transpose_b ? args->k : args->n};
}

template <typename F> __global__ void sum_columns(gw_gemm_args a, gpu_column_sums sums) {
    const int64_t column = gpu_column();
    gpu_add_column(sums, 0, [&](int64_t r) { return F::of(a.a[r * a.a_stride + column]); });
}

template <typename F> gw_status launch_sums(const gw_gemm_args *args) {
    return gw_cuda_add_columns("gemm", sum_columns<F>, {{args->a_sum, nullptr}, args->k, args->m, nullptr}, *args);
}

struct rounded_rows {
    const uint16_t *of;
    int64_t stride;
};

__global__ void sum_rounded_columns(rounded_rows rows, gpu_column_sums sums) {
    const int64_t column = gpu_column();
    gpu_add_column(sums, 0, [&](int64_t r) { return gpu_widen(rows.of[r * rows.stride + column]); });
}

gw_status sum_floats(const gw_gemm_args *args){GPU_WITH_FUNCTION(args->of_a, launch_sums, args)}

gw_status sum_operand(const gw_gemm_args *args) {
    if (!args->a_bf16) return sum_floats(args);
    const rounded_rows rows = {args->a_bf16, gw_bf16_stride(args->m)};
    return gw_cuda_add_columns("gemm", sum_rounded_columns, {{args->a_sum, nullptr}, args->k, args->m, nullptr}, rows);
}

gw_status round_operand(const stored &s, gw_activation activation, uint16_t *out) {
    const gw_cuda_rounding rounding = {s.from, s.stride, s.rows, s.width, activation, out};
    return gw_cuda_round_rows("gemm", &rounding);
}

// Both operands, and a result that is to be rounded.
gw_status round_operands(const gw_gemm_args *args, gw_cuda_product *p) {
    const stored a = operand_a(args), b = operand_b(args);
    uint16_t *first = reinterpret_cast<uint16_t *>(args->scratch), *second;
    p->a_stride = gw_cuda_rounded_stride(a.width);
    p->b_stride = gw_cuda_rounded_stride(b.width);
    second = first + a.rows * p->a_stride;
    p->a = args->a_bf16 ? args->a_bf16 : first;
    p->b = args->b_bf16 ? args->b_bf16 : second;
    if (!args->a_bf16) GW_TRY(round_operand(a, args->of_a, first));
    if (!args->b_bf16) GW_TRY(round_operand(b, args->of_b, second));
    if (!args->c_bf16) return GW_OK;
    p->c_bf16 = args->c_bf16;
    p->c_stride = gw_bf16_stride(args->n);
    return p->bias ? gw_cuda_bias_to_ends(p) : GW_OK;
}

} // namespace

int64_t gw_cuda_gemm_scratch(const gw_gemm_args *args) {
    const stored a = operand_a(args), b = operand_b(args);
    if (args->precision != GW_BF16) return 0;
    return gw_cuda_rounded_floats(a.rows, a.width) + gw_cuda_rounded_floats(b.rows, b.width);
}

GW_CUDA_OP(activation_backward, gw_activation_args);

namespace {

gw_status multiply_by_derivative(const gw_gemm_args *args) {
    gw_activation_args whole = {};
    whole.kind = args->backward_of;
    whole.count = args->m * args->n;
    whole.in = args->before;
    whole.out_gradient = whole.in_gradient = args->c;
    return gw_activation_backward_cuda(&whole);
}

} // namespace

GW_CUDA_OP(gemm, gw_gemm_args) {
    if (args->m == 0 || args->n == 0 || args->k == 0) return GW_OK;
    if (args->a_sum && args->transpose_a && args->precision == GW_BF16) GW_TRY(sum_operand(args));
    gw_cuda_product p = {args->transpose_a,
                         args->transpose_b,
                         args->accumulate,
                         args->precision,
                         args->m,
                         args->n,
                         args->k,
                         args->a,
                         args->b,
                         args->a_stride,
                         args->b_stride,
                         args->c,
                         args->c_stride,
                         args->bias,
                         GW_ACTIVATION_NONE,
                         nullptr};
    if (args->precision == GW_BF16) GW_TRY(round_operands(args, &p));
    GW_TRY(gw_cuda_multiply(&p));
    return args->backward_of == GW_ACTIVATION_NONE ? GW_OK : multiply_by_derivative(args);
}
