// SPDX-License-Identifier: MIT
// Adds the bias of a product whose result is bf16: as eight more numbers of each row of both operands.
#include "kernels/cuda/products.h"

namespace {

struct ends {
    uint16_t *a, *b;
    int64_t a_stride, b_stride, m, n, k, at; // at: where the ends begin
    const float *bias;
};

// x rounded to bf16, to nearest and ties to even.
GPU_FN uint32_t rounded(float x) {
    return gpu_pack_bf16(x, 0.0f) & 0xffff;
}

GPU_FN float rest(float x, uint32_t half) {
    return x - __uint_as_float(half << 16);
}

GPU_FN void write_end(uint16_t *row, const ends &e, const uint4 &eight) {
    for (int64_t i = e.k; i < e.at; i++) row[i] = 0;
    *reinterpret_cast<uint4 *>(row + e.at) = eight;
}

// A thread for each row of a, and then of b. f32 has 24 bits and bf16 has 8, so three numbers hold the whole bias.
__global__ void write_ends(ends e) {
    const int64_t i = gpu_element();
    if (i < e.m) {
        const uint32_t one = rounded(1.0f);
        write_end(e.a + i * e.a_stride, e, uint4{one | one << 16, one, 0, 0});
    } else if (i < e.m + e.n) {
        const float x = e.bias[i - e.m];
        const uint32_t high = rounded(x);
        const float middle = rest(x, high);
        const uint32_t low = rounded(middle);
        write_end(e.b + (i - e.m) * e.b_stride, e, uint4{high | low << 16, rounded(rest(middle, low)), 0, 0});
    }
}

} // namespace

gw_status gw_cuda_bias_to_ends(gw_cuda_product *p) {
    const int64_t at = gw_cuda_divide(p->k, 8) * 8;
    const ends e = {static_cast<uint16_t *>(const_cast<void *>(p->a)),
                    static_cast<uint16_t *>(const_cast<void *>(p->b)),
                    p->a_stride,
                    p->b_stride,
                    p->m,
                    p->n,
                    p->k,
                    at,
                    p->bias};
    p->k = at + 8;
    p->bias = nullptr;
    return gw_cuda_launch_elements("linear", write_ends, e.m + e.n, e);
}
