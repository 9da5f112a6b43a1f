// SPDX-License-Identifier: MIT
// Block-sparse attention on tensor cores: bf16 numbers and f32 sums. Blocks have a multiple of 16 tokens, heads 32, 64
// or 128 numbers. The scale is above 0. Edges are of any kind. One launch takes all sequences and heads.
#ifndef GW_KERNELS_CUDA_ATTENTION_MMA_H
#define GW_KERNELS_CUDA_ATTENTION_MMA_H

#include "kernels/cuda/attention_jobs.h"

struct gpu_mma_attention {
    gw_attention_args a;
    const uint16_t *query, *key, *value, *out_gradient; // bf16 [rows][stride], 16 bytes aligned
    int64_t stride;                                     // gw_bf16_stride(heads * head_size)
    const float *delta;                                 // backward: [H][query_rows] dout . out
    gpu_jobs jobs;
};

bool gw_mma_attention_fits(const gw_attention_args *args);
// Rows of a tile: the largest of 16, 32 and 64 that divides the block and is at most `most`.
int gw_mma_tile(const gw_attention_args *args, int most);

// Floats of scratch memory for the rounded operands: query, key, value, and for the backward pass out_gradient.
// gw_mma_round() rounds operands that are not stored as bf16 into this memory. It sets all fields of *p but jobs and
// delta.
int64_t gw_mma_operand_floats(const gw_attention_args *args, bool backward);
gw_status gw_mma_round(const gw_attention_args *args, bool backward, float *scratch, gpu_mma_attention *p);

// The forward pass, and the backward pass for queries or for keys and values. p->jobs lists that side, in tiles of
// gw_mma_forward_tile() or gw_mma_backward_tile() rows.
int gw_mma_forward_tile(const gw_attention_args *args);
int gw_mma_backward_tile(const gw_attention_args *args);
gw_status gw_mma_attention_launch(const gpu_mma_attention *p);
gw_status gw_mma_gradients_launch(const gpu_mma_attention *p, gw_cuda_side side);

// Launches kernel(p, more...) with a block of so many threads for each tile of p.jobs and each head. A grid has at most
// 65,535 turns.
template <typename K, typename... M>
gw_status gpu_launch_jobs(const char *op, K kernel, int threads, size_t shared, gpu_mma_attention p, M... more) {
    while (p.jobs.tiles > 0) {
        const int turns = p.jobs.tiles < 65535 ? p.jobs.tiles : 65535;
        const dim3 grid(unsigned(p.jobs.heads), unsigned(turns));
        GW_TRY(
            gw_cuda_status(gpu_launch(kernel, grid, dim3(unsigned(threads)), shared, gw_cuda_stream, p, more...), op));
        p.jobs.order += turns, p.jobs.tiles -= turns;
    }
    return GW_OK;
}

// Calls f(gpu_mma_shape<T, D>()) for tiles of T = tile rows and heads of D = head_size numbers.
template <int T, int D> struct gpu_mma_shape { static constexpr int tile = T, head = D; };
template <int T, typename F> gw_status gpu_with_head(int head_size, F f) {
    switch (head_size) {
    case 32: return f(gpu_mma_shape<T, 32>());
    case 64: return f(gpu_mma_shape<T, 64>());
    default: return f(gpu_mma_shape<T, 128>());
    }
}
template <typename F> gw_status gpu_with_shape(int tile, int head_size, F f) {
    switch (tile) {
    case 16: return gpu_with_head<16>(head_size, f);
    case 32: return gpu_with_head<32>(head_size, f);
    default: return gpu_with_head<64>(head_size, f);
    }
}

#endif
