// SPDX-License-Identifier: MIT
// Products of kernels/cuda/products.h by loops of the host, as a work of the stream: what they read and write is
// checked as copies are. Each row has the same sums whatever rows there are; they run over parts of the depth, so that
// errors do not grow with it as those of one long sum do. Those of narrow matrices go where cuBLASLt's refusals go.
#include "kernels/cuda/plain_product.h"

#include "state.h"

using namespace emu;

static constexpr int64_t PART = 32, REFUSED = 64; // of depth times width

static size_t number_bytes(const gw_cuda_product &p) {
    return p.precision == GW_BF16 ? sizeof(uint16_t) : sizeof(float);
}

static float number(const gw_cuda_product &p, const void *from, int64_t at) {
    if (p.precision == GW_F32) return static_cast<const float *>(from)[at];
    const uint32_t bits = uint32_t(static_cast<const uint16_t *>(from)[at]) << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// op(from) as a matrix of floats without gaps.
static std::vector<float> dense(const gw_cuda_product &p, const void *from, int64_t stride, bool turned, int64_t rows,
                                int64_t columns) {
    std::vector<float> out(size_t(rows * columns));
    for (int64_t i = 0; i < rows * columns; i++) {
        const int64_t row = i / columns, column = i % columns;
        out[size_t(i)] = number(p, from, turned ? column * stride + row : row * stride + column);
    }
    return out;
}

static bool readable(const gw_cuda_product &p, const void *from, int64_t stride, int64_t rows, int64_t columns) {
    const size_t bytes = number_bytes(p);
    for (int64_t r = 0; r < rows; r++)
        if (!usable(static_cast<const char *>(from) + size_t(r * stride) * bytes, size_t(columns) * bytes, READ,
                    "a product's operand"))
            return false;
    return true;
}

static bool operands_are_readable(const gw_cuda_product &p) {
    return readable(p, p.a, p.a_stride, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k) &&
           readable(p, p.b, p.b_stride, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n) &&
           (!p.bias || usable(p.bias, size_t(p.n) * sizeof(float), READ, "a product's bias"));
}

static bool result_is_writable(const gw_cuda_product &p) {
    for (int64_t r = 0; r < p.m; r++) {
        const void *row = p.c_bf16 ? static_cast<void *>(p.c_bf16 + r * p.c_stride) : p.c + r * p.c_stride;
        const size_t bytes = size_t(p.n) * (p.c_bf16 ? sizeof(uint16_t) : sizeof(float));
        if (p.accumulate && !usable(row, bytes, READ, "what a product is added to")) return false;
        if (!usable(row, bytes, WRITE, "a product")) return false;
    }
    return true;
}

static constexpr float ROOT = 0.7978845608028654f, CUBE = 0.044715f;

// x s, where s is the logistic function of 2 sqrt(2 / pi) (x + 0.044715 x^3)
static float gate(float x) {
    return 1.0f / (1.0f + expf(-2.0f * ROOT * (x + CUBE * x * x * x)));
}

static float activated(gw_activation activation, float x) {
    if (activation == GW_ACTIVATION_RELU) return x > 0.0f ? x : 0.0f;
    return activation == GW_ACTIVATION_GELU ? x * gate(x) : x;
}

// sum[i] = row . column i of b [k][n]
static void multiply_row(const float *row, const std::vector<float> &b, int64_t n, int64_t k, float *sum, float *part) {
    for (int64_t i = 0; i < n; i++) sum[i] = 0.0f;
    for (int64_t first = 0; first < k; first += PART) {
        for (int64_t i = 0; i < n; i++) part[i] = 0.0f;
        for (int64_t d = first; d < k && d < first + PART; d++) {
            const float x = row[d], *of_b = b.data() + d * n;
            for (int64_t i = 0; i < n; i++) part[i] += x * of_b[i];
        }
        for (int64_t i = 0; i < n; i++) sum[i] += part[i];
    }
}

static void multiply(const gw_cuda_product &p) {
    const std::vector<float> a = dense(p, p.a, p.a_stride, p.transpose_a, p.m, p.k);
    const std::vector<float> b = dense(p, p.b, p.b_stride, p.transpose_b, p.k, p.n);
    std::vector<float> sum(size_t(p.n)), part(size_t(p.n));
    for (int64_t r = 0; r < p.m; r++) {
        multiply_row(a.data() + r * p.k, b, p.n, p.k, sum.data(), part.data());
        for (int64_t i = 0; i < p.n; i++) {
            const float x = sum[size_t(i)] + (p.bias ? p.bias[i] : 0.0f);
            const int64_t at = r * p.c_stride + i;
            if (p.c_bf16) p.c_bf16[at] = uint16_t(gpu_pack_bf16(activated(p.activation, x), 0.0f));
            else p.c[at] = activated(p.activation, p.accumulate ? p.c[at] + x : x);
        }
    }
}

void gw_cuda_open_products() {} // loops are there

gw_status gw_cuda_multiply(const gw_cuda_product *product) {
    const gw_cuda_product p = *product;
    if (p.n * p.k <= REFUSED) return gw_cuda_plain_product(product);
    cudaError_t error;
    if (gpu_note_all(&error, p)) return gw_cuda_status(error, "a product");
    enqueue(gw_cuda_stream, PRODUCT, [p] {
        if (operands_are_readable(p) && result_is_writable(p)) do_opened([&p] { multiply(p); });
    });
    return GW_OK;
}
