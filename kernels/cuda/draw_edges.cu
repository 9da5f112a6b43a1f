// SPDX-License-Identifier: MIT
// Edges drawn pair by pair: a warp has 64 keys of a query, two a lane. The list of queries and the bits, which lie on
// the host, go through scratch memory; the stream is waited for.
#include "kernels/cuda/frame.h"
#include "kernels/cuda/philox.h"
#include "kernels/cuda/scratch.h"

namespace {

enum { WORD = 64 };

struct drawing {
    gw_draw_edges_args a; // its query and bits are those of the device
    int64_t words;        // of a query
};

// 2^31 p_ij as a whole number; 0 where it is not a number.
GPU_FN int32_t threshold(const gw_draw_edges_args &a, int64_t i, int64_t j) {
    float sum = 0;
    for (int c = 0; c < a.clusters; c++) sum += a.product[i * a.stride + c] * a.key[j * a.stride + c];
    sum += a.exploration;
    return sum > 0 ? int32_t((sum > a.most ? a.most : sum) * 2147483648.0f) : 0;
}

GPU_FN bool draws(const gw_draw_edges_args &a, int64_t i, int64_t j) {
    const uint64_t number = a.first_query + uint64_t(i);
    const uint4 word = gpu_philox(a.seed, number << 32 | uint64_t(j) / 4, uint32_t(number >> 32), a.site);
    const uint32_t mine = j % 4 == 0 ? word.x : j % 4 == 1 ? word.y : j % 4 == 2 ? word.z : word.w;
    return int32_t(mine >> 1) < threshold(a, i, j);
}

__global__ void draw_edges(drawing d) {
    const int64_t at = gpu_row(), listed = at / d.words, first = at % d.words * WORD;
    if (listed >= d.a.listed) return; // a whole warp
    const int64_t i = d.a.query[listed], low = first + gpu_lane(), high = low + GW_CUDA_WARP;
    const uint64_t of_low = __ballot_sync(0xffffffffu, low < d.a.keys && draws(d.a, i, low));
    const uint64_t of_high = __ballot_sync(0xffffffffu, high < d.a.keys && draws(d.a, i, high));
    if (gpu_lane() == 0) d.a.bits[at] = of_low | of_high << GW_CUDA_WARP;
}

} // namespace

// The bits, and behind them the queries.
int64_t gw_cuda_draw_edges_scratch(const gw_draw_edges_args *args) {
    return args->listed * (2 * gw_cuda_divide(args->keys, WORD) + 1);
}

GW_CUDA_OP(draw_edges, gw_draw_edges_args) {
    drawing d = {*args, gw_cuda_divide(args->keys, WORD)};
    const int64_t words = args->listed * d.words;
    if (words == 0) return GW_OK;
    d.a.bits = reinterpret_cast<uint64_t *>(args->scratch);
    int32_t *query = reinterpret_cast<int32_t *>(d.a.bits + words);
    d.a.query = query;
    GW_TRY(gw_cuda_to_device(query, args->query, args->listed * int64_t(sizeof *query)));
    GW_TRY(gw_cuda_launch_rows("draw_edges", draw_edges, words, d));
    return gw_cuda_to_host(args->bits, d.a.bits, words * int64_t(sizeof *args->bits));
}
