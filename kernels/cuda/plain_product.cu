// SPDX-License-Identifier: MIT
// c[i][j] = f(sum over d of op(a)[i][d] op(b)[d][j] + bias[j] + c[i][j]), in the order of d.
#include "kernels/cuda/plain_product.h"

#include "kernels/cuda/activation_functions.h"
#include "kernels/cuda/rounded.h"

namespace {

GPU_FN float number(const float *from, int64_t at) {
    return from[at];
}
GPU_FN float number(const uint16_t *from, int64_t at) {
    return gpu_widen(from[at]);
}

template <typename T> __global__ void plain_product(gw_cuda_product p) {
    const int64_t at = gpu_element(), i = at / p.n, j = at % p.n;
    if (i >= p.m) return;
    const T *a = static_cast<const T *>(p.a) + i * (p.transpose_a ? 1 : p.a_stride);
    const T *b = static_cast<const T *>(p.b) + j * (p.transpose_b ? p.b_stride : 1);
    const int64_t a_step = p.transpose_a ? p.a_stride : 1, b_step = p.transpose_b ? 1 : p.b_stride;
    float sum = 0;
    const int64_t to = i * p.c_stride + j;
    for (int64_t d = 0; d < p.k; d++) sum += number(a, d * a_step) * number(b, d * b_step);
    if (p.bias) sum += p.bias[j];
    if (p.accumulate) sum += p.c[to];
    if (p.activation == GW_ACTIVATION_GELU) sum = gpu_activation::gelu::of(sum);
    if (p.activation == GW_ACTIVATION_RELU) sum = gpu_activation::relu::of(sum);
    if (p.c_bf16) p.c_bf16[to] = uint16_t(gpu_pack_bf16(sum, 0.0f));
    else p.c[to] = sum;
}

} // namespace

gw_status gw_cuda_plain_product(const gw_cuda_product *product) {
    return gw_cuda_launch_elements("a product",
                                   product->precision == GW_BF16 ? plain_product<uint16_t> : plain_product<float>,
                                   product->m * product->n, *product);
}
