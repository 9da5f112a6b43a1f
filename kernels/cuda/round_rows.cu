// SPDX-License-Identifier: MIT
// Rounds rows to bf16, to the nearest and ties to even: eight numbers a thread.
#include "kernels/cuda/round_rows.h"

#include "kernels/cuda/activation_functions.h"

namespace {

struct rounding {
    const float *in;
    int64_t stride, rows, width, groups; // groups: of eight numbers a row
    uint16_t *out;
};

template <typename F> __global__ void round_rows(rounding r) {
    const int64_t at = gpu_element(), row = at / r.groups, first = at % r.groups * 8;
    if (row >= r.rows) return;
    float x[8];
    for (int i = 0; i < 8; i++) x[i] = first + i < r.width ? F::of(r.in[row * r.stride + first + i]) : 0.0f;
    const uint4 eight = {gpu_pack_bf16(x[0], x[1]), gpu_pack_bf16(x[2], x[3]), gpu_pack_bf16(x[4], x[5]),
                         gpu_pack_bf16(x[6], x[7])};
    *reinterpret_cast<uint4 *>(r.out + row * (8 * r.groups + 8) + first) = eight;
}

struct named {
    const char *op;
    const gw_cuda_rounding *of;
};

template <typename F> gw_status launch(const named &n) {
    const int64_t groups = gw_cuda_divide(n.of->width, 8);
    const rounding r = {n.of->in, n.of->stride, n.of->rows, n.of->width, groups, n.of->out};
    return gw_cuda_launch_elements(n.op, round_rows<F>, r.rows * groups, r);
}

} // namespace

gw_status gw_cuda_round_rows(const char *op, const gw_cuda_rounding *of) {
    const named n = {op, of};
    GPU_WITH_FUNCTION(of->activation, launch, n)
}
