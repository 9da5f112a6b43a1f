// SPDX-License-Identifier: MIT
// Attention of any block graph: each warp walks the edges of one query row, 32 keys at a time.
#include "kernels/cuda/attention_plain.h"

#include "kernels/cuda/attention_delta.h"

namespace {

// body(edge, first key, how many) for the keys of a query row, 32 at a time.
template <typename F> GPU_FN void each_keys(const gpu_attention &p, int64_t i, F body) {
    const int64_t block = p.graph.block, block_row = i / block;
    for (int64_t e = p.graph.row_start[block_row]; e < p.graph.row_start[block_row + 1]; e++) {
        const int64_t first = p.graph.column[e] * block, last = min(first + block, p.s.key_count);
        for (int64_t begin = first; begin < last; begin += GW_CUDA_WARP)
            body(e, begin, int(min(int64_t(GW_CUDA_WARP), last - begin)));
    }
}

template <bool relative> __global__ void attention_plain(gpu_attention p) {
    const int64_t i = gpu_row(), at = p.s.query_begin + i;
    if (i >= p.s.query_count) return; // a whole warp
    const int head = p.head + int(blockIdx.y) / p.parts, part = int(blockIdx.y) % p.parts;
    const int first = part * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    const bool bf16 = p.a.precision == GW_BF16;
    gpu_softmax_row row = {-INFINITY, 0.0f, {}};
    each_keys(p, i, [&](int64_t e, int64_t begin, int count) {
        const int64_t j = begin + gpu_lane();
        const bool reads = gpu_lane() < count && gpu_reads(p, e, i, j);
        gpu_add_keys(row, reads ? gpu_score<relative>(p, head, e, i, j) : -INFINITY, count, numbers,
                     [&](int k, int d) { return gpu_rounded(gpu_value(p, head, begin + k)[first + d], bf16); });
    });
    gpu_write_row(row, part, p.a.head_size, p.a.out + at * p.a.out_stride + int64_t(head) * p.a.head_size,
                  p.a.log_sum + int64_t(head) * p.a.query_rows + at);
}

// ---- backward

GPU_FN int64_t query_number(const gpu_attention &p, int head, int64_t i) {
    return int64_t(head) * p.a.query_rows + p.s.query_begin + i;
}
GPU_FN int64_t out_at(const gpu_attention &p, int head, int64_t i) {
    return (p.s.query_begin + i) * p.a.out_stride + int64_t(head) * p.a.head_size;
}

// P_ij and dz_ij of a pair; 0 where it is not read.
struct pair {
    float weight, dz;
};
template <bool relative>
GPU_FN pair pair_of(const gpu_attention &p, const float *delta, int head, int64_t e, int64_t i, int64_t j) {
    if (!gpu_reads(p, e, i, j)) return {0.0f, 0.0f};
    const int64_t query = query_number(p, head, i);
    const float weight = expf(gpu_score<relative>(p, head, e, i, j) - p.a.log_sum[query]);
    const float *value = gpu_value(p, head, j), *dout = p.a.out_gradient + out_at(p, head, i);
    float product = 0;
    for (int d = 0; d < p.a.head_size; d++) product += dout[d] * gpu_rounded(value[d], p.a.precision == GW_BF16);
    return {weight, weight * (product - delta[query])};
}

// Sums of dz by id, of up to 32 keys: a lane has every 32nd id.
GPU_FN void add_sums(float *sums, float dz, int64_t id, int count) {
    const gpu_lane_numbers &shared = gpu_share_more_lanes(dz);
    for (int k = 0; k < count; k++) {
        const int64_t of = __shfl_sync(0xffffffffu, id, k);
        if (of % GW_CUDA_WARP == gpu_lane()) sums[of] += shared[k];
    }
}

GPU_FN float *sums_of(const gpu_attention &p, int head, int64_t i) {
    return p.terms.sums + query_number(p, head, i) * p.terms.ids;
}

// to += scale x of the row's part.
GPU_FN void add_numbers(float *to, const gpu_numbers &x, float scale, int numbers) {
    for (int n = 0; n < GW_CUDA_NUMBERS; n++) {
        const int d = n * GW_CUDA_WARP + gpu_lane();
        if (d < numbers) to[d] += scale * x.of[n];
    }
}

// dq_i += scale sum_j dz_ij (k_j + E[id])
template <bool relative> __global__ void query_gradient(gpu_attention p, const float *delta) {
    const int64_t i = gpu_row();
    if (i >= p.s.query_count) return; // a whole warp
    const int head = p.head + int(blockIdx.y) / p.parts, part = int(blockIdx.y) % p.parts;
    const int first = part * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    const bool bf16 = p.a.precision == GW_BF16;
    gpu_numbers sum = {};
    float *sums = relative && part == 0 ? sums_of(p, head, i) : nullptr;
    for (int64_t id = gpu_lane(); sums && id < p.terms.ids; id += GW_CUDA_WARP) sums[id] = 0;
    each_keys(p, i, [&](int64_t e, int64_t begin, int count) {
        const int64_t j = begin + gpu_lane();
        const bool there = gpu_lane() < count;
        const float dz = there ? pair_of<relative>(p, delta, head, e, i, j).dz : 0.0f;
        gpu_add_weighted(sum, gpu_share_lanes(dz), count, numbers, [&](int k, int d) {
            const float key = gpu_rounded(gpu_key(p, head, begin + k)[first + d], bf16);
            if (!relative) return key;
            const int64_t row = gpu_table_row(p, head, i, gpu_id_of(p.terms, i, begin + k));
            return key + p.terms.embedding[row * p.a.head_size + first + d];
        });
        if (sums) add_sums(sums, dz, there ? gpu_id_of(p.terms, i, j) : 0, count);
    });
    float *to = p.a.query_gradient + (gpu_query(p, head, i) - p.a.query) + first;
    add_numbers(to, sum, p.a.scale, numbers);
}

// dk_j += scale sum_i dz_ij q_i;  dv_j += sum_i P_ij dout_i
template <bool relative> __global__ void key_gradients(gpu_attention p, const float *delta) {
    const int64_t j = gpu_row(), block = p.graph.block, column = j / block;
    if (j >= p.s.key_count || column >= p.graph.key_blocks) return; // a whole warp
    const int head = p.head + int(blockIdx.y) / p.parts, part = int(blockIdx.y) % p.parts;
    const int first = part * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    const bool bf16 = p.a.precision == GW_BF16;
    gpu_numbers of_key = {}, of_value = {};
    for (int64_t c = p.graph.column_start[column]; c < p.graph.column_start[column + 1]; c++) {
        const int64_t begin = p.graph.row[c] * block, end = min(begin + block, p.s.query_count);
        for (int64_t at = begin; at < end; at += GW_CUDA_WARP) {
            const int count = int(min(int64_t(GW_CUDA_WARP), end - at));
            const pair mine = gpu_lane() < count
                                  ? pair_of<relative>(p, delta, head, p.graph.edge[c], at + gpu_lane(), j)
                                  : pair{0.0f, 0.0f};
            gpu_add_weighted(of_key, gpu_share_lanes(mine.dz), count, numbers,
                             [&](int k, int d) { return gpu_rounded(gpu_query(p, head, at + k)[first + d], bf16); });
            gpu_add_weighted(of_value, gpu_share_more_lanes(mine.weight), count, numbers,
                             [&](int k, int d) { return p.a.out_gradient[out_at(p, head, at + k) + first + d]; });
        }
    }
    add_numbers(p.a.key_gradient + (gpu_key(p, head, j) - p.a.key) + first, of_key, p.a.scale, numbers);
    add_numbers(p.a.value_gradient + (gpu_value(p, head, j) - p.a.value) + first, of_value, 1.0f, numbers);
}

gpu_attention attention_of(const gw_attention_args *args, const gw_attention_sequence *s, int head,
                           const gpu_terms *terms) {
    return {*args,
            *s,
            *s->graphs[head * s->graph_step],
            head,
            int(gw_cuda_divide(args->head_size, GW_CUDA_PART)),
            terms ? *terms : gpu_terms{}};
}

// Warps for rows, and `more` of them side by side.
template <typename... P, typename... A>
gw_status launch(const char *op, void (*kernel)(P...), int64_t rows, int more, A... args) {
    if (rows == 0) return GW_OK;
    const dim3 grid(unsigned(gw_cuda_divide(rows, GW_CUDA_ROWS)), unsigned(more));
    const dim3 block(GW_CUDA_ROWS * GW_CUDA_WARP);
    return gw_cuda_status(gpu_launch(kernel, grid, block, 0, gw_cuda_stream, args...), op);
}

// body(arguments, heads) for heads that read the same graph together.
template <typename F>
gw_status each_graph(const gw_attention_args *args, const gw_attention_sequence *s, const gpu_terms *terms, F body) {
    const int heads = s->graph_step ? 1 : args->heads;
    for (int head = 0; head < args->heads; head += heads) GW_TRY(body(attention_of(args, s, head, terms), heads));
    return GW_OK;
}

gw_status launch_forward(const gpu_attention &p, int heads) {
    const bool relative = p.terms.embedding != nullptr;
    return launch("attention", relative ? attention_plain<true> : attention_plain<false>, p.s.query_count,
                  heads * p.parts, p);
}

gw_status launch_backward(const gpu_attention &p, int heads, const float *delta) {
    const bool relative = p.terms.embedding != nullptr;
    const int more = heads * p.parts;
    GW_TRY(launch("attention_backward", relative ? query_gradient<true> : query_gradient<false>, p.s.query_count, more,
                  p, delta));
    return launch("attention_backward", relative ? key_gradients<true> : key_gradients<false>, p.s.key_count, more, p,
                  delta);
}

} // namespace

gw_status gw_cuda_attention_plain_all(const gw_attention_args *args, const gpu_terms *terms) {
    for (int s = 0; s < args->sequences; s++)
        GW_TRY(each_graph(args, &args->sequence[s], terms ? &terms[s] : nullptr, launch_forward));
    return GW_OK;
}

gw_status gw_cuda_attention_plain_backward(const gw_attention_args *args, const gpu_terms *terms, float *delta) {
    GW_TRY(gw_cuda_attention_delta(args, delta));
    for (int s = 0; s < args->sequences; s++)
        GW_TRY(each_graph(args, &args->sequence[s], terms ? &terms[s] : nullptr,
                          [&](const gpu_attention &p, int heads) { return launch_backward(p, heads, delta); }));
    return GW_OK;
}
