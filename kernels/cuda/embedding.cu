// SPDX-License-Identifier: MIT
// Sums of rows of tables, a thread a number, and their gradients by row of a table.
#include "kernels/cuda/indexed_rows.h"

GPU_FN float scale_of(const gw_embedding_args &a, int64_t row) {
    return a.row_scale ? a.token_scale * a.row_scale[row] : a.token_scale;
}

GPU_FN float entry(const float *table, const int32_t *index, int64_t row, int64_t width, int64_t i) {
    return table ? table[index[row] * width + i] : 0.0f;
}

static __global__ void embedding(gw_embedding_args a) {
    const int64_t at = gpu_element(), row = at / a.width, i = at % a.width;
    if (row >= a.rows) return;
    float sum = scale_of(a, row) * entry(a.token_embedding, a.token, row, a.width, i);
    sum += entry(a.position_embedding, a.position, row, a.width, i);
    a.out[at] = sum + entry(a.segment_embedding, a.segment, row, a.width, i);
}

GW_CUDA_OP(embedding, gw_embedding_args) {
    return gw_cuda_launch_elements("embedding", embedding, args->rows * args->width, *args);
}

static __global__ void embedding_backward(gpu_indexed_rows a) {
    gpu_add_indexed_rows(a);
}

static __global__ void embedding_backward_of_few(gpu_indexed_rows a, int64_t parts, float *sums) {
    gpu_sum_few_rows(a, parts, sums);
}

GW_CUDA_OP(embedding_backward, gw_embedding_args) {
    const gw_cuda_indexed_kernels kernels = {embedding_backward, embedding_backward_of_few};
    gpu_indexed_rows a = {args->rows,  args->width,     args->token,       args->out_gradient,
                          args->width, args->row_scale, args->token_scale, args->token_gradient,
                          args->width, args->vocabulary};
    GW_TRY(gw_cuda_add_indexed_rows("embedding_backward", kernels, a));
    a.scale = nullptr;
    a.scale_of_all = 1.0f;
    a.index = args->position;
    a.table = args->position_gradient;
    a.table_rows = args->positions;
    GW_TRY(gw_cuda_add_indexed_rows("embedding_backward", kernels, a));
    a.index = args->segment;
    a.table = args->segment_gradient;
    a.table_rows = args->segments;
    return gw_cuda_add_indexed_rows("embedding_backward", kernels, a);
}
