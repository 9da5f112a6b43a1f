// SPDX-License-Identifier: MIT
// A thread block takes one tile of queries of one head and walks the key blocks of its graph's row, tile by tile
// (FlashAttention-2's order: Dao, 2023). Warps hold 16 query rows each; keys and values come by cp.async, two stages
// deep; products are mma.sync m16n8k16; scores never leave registers, since the accumulator of Q K^T is the left
// operand of P V; the softmax is online and in base 2.
#include "kernels/cuda/attention_mma.h"

#include "kernels/cuda/attention_mask.h"
#include "kernels/cuda/attention_tile.h"
#include "kernels/cuda/attention_wgmma.h"

namespace {

template <int T, int D> struct shared_memory { gpu_tile<T, D> query, key[2], value[2]; };

// Blocks of 64 rows that shared memory of a multiprocessor has room for at D = 64 and 128, which registers are to
// leave.
template <int D> [[maybe_unused]] constexpr int BLOCKS = D == 128 ? 2 : 4;

// Of the two rows that a lane holds a fourth of.
template <int D> struct running {
    gpu_sums<D> out;
    float most[2], sum[2];
};

template <int T, int D>
GPU_FN void load_pair(shared_memory<T, D> &s, int stage, const gpu_mma_attention &p, const gpu_job &job, int64_t at,
                      int key) {
    const int64_t first = job.key_begin * p.stride + at;
    gpu_load_tile(s.key[stage], p.key + first, p.stride, key, job.keys);
    gpu_load_tile(s.value[stage], p.value + first, p.stride, key, job.keys);
}

// Scores in base 2; none of keys that are not read.
template <int T>
GPU_FN void scale_scores(gpu_sums<T> &z, const gpu_edge &edge, int query, int key, int keys, float scale, float more) {
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) z.of[j][i] = z.of[j][i] * scale + more;
    if (key + T > keys || !gpu_edge_reads_all(edge, query, key, T)) gpu_mask_keys(z, edge, query, key, keys);
}

// Scores become weights, and what was summed so far shrinks to their base.
template <int T, int D> GPU_FN void take_softmax(gpu_sums<T> &z, running<D> &row) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float high = row.most[h];
#pragma unroll
        for (int j = 0; j < T / 8; j++) high = fmaxf(high, fmaxf(z.of[j][2 * h], z.of[j][2 * h + 1]));
        high = gpu_quad_max(high);
        const float base = high == GPU_NONE ? 0.0f : high, shrink = gpu_exp2(row.most[h] - base);
        row.most[h] = high;
        row.sum[h] *= shrink;
#pragma unroll
        for (int j = 0; j < T / 8; j++) {
            z.of[j][2 * h] = gpu_exp2(z.of[j][2 * h] - base);
            z.of[j][2 * h + 1] = gpu_exp2(z.of[j][2 * h + 1] - base);
            row.sum[h] += z.of[j][2 * h] + z.of[j][2 * h + 1];
        }
#pragma unroll
        for (int j = 0; j < D / 8; j++) row.out.of[j][2 * h] *= shrink, row.out.of[j][2 * h + 1] *= shrink;
    }
}

template <int D> GPU_FN void write_row(float *to, const running<D> &row, int h, float part, bool in_twos) {
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        const float2 two = {row.out.of[j][2 * h] * part, row.out.of[j][2 * h + 1] * part};
        if (in_twos) *reinterpret_cast<float2 *>(to + j * 8) = two;
        else to[j * 8] = two.x, to[j * 8 + 1] = two.y;
    }
}

template <int D> GPU_FN void write_row(uint16_t *to, const running<D> &row, int h, float part) {
#pragma unroll
    for (int j = 0; j < D / 8; j++)
        *reinterpret_cast<uint32_t *>(to + j * 8) =
            gpu_pack_bf16(row.out.of[j][2 * h] * part, row.out.of[j][2 * h + 1] * part);
}

template <int D>
GPU_FN void write(const gpu_mma_attention &p, const gpu_job &job, const running<D> &row, int query, int head) {
    const bool in_twos = p.a.out_stride % 2 == 0 && reinterpret_cast<uintptr_t>(p.a.out) % sizeof(float2) == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float all = gpu_quad_sum(row.sum[h]);
        const int number = query + gpu_warp_row() + gpu_sum_row(2 * h);
        if (number >= job.queries) continue;
        const int64_t at = job.query_begin + number;
        const float part = all > 0.0f ? 1.0f / all : 0.0f;
        const int64_t column = head * D + gpu_sum_column(0, 0);
        if (p.a.out_bf16) write_row(p.a.out_bf16 + at * p.stride + column, row, h, part);
        else write_row(p.a.out + at * p.a.out_stride + column, row, h, part, in_twos);
        if ((gpu_lane() & 3) == 0)
            p.a.log_sum[head * p.a.query_rows + at] = all > 0.0f ? (row.most[h] + gpu_log2(all)) * GPU_LN_2 : GPU_NONE;
    }
}

template <int T, int D>
__global__ void __launch_bounds__(gpu_tile_threads<T>, BLOCKS<D>) attention_mma(const gpu_mma_attention p) {
    typedef shared_memory<T, D> memory;
    GPU_SHARED(memory, s);
    const gpu_job &job = p.jobs.job[p.jobs.of_tile[blockIdx.x]];
    const int head = job.head + int(blockIdx.y), query = (int(blockIdx.x) - job.first_tile) * T;
    const int64_t at = int64_t(head) * D;
    gpu_load_tile(s.query, p.query + job.query_begin * p.stride + at, p.stride, query, job.queries);
    gpu_tiles now = gpu_tiles_of<GW_CUDA_QUERIES>(job.graph, query);
    if (now.at < now.last) load_pair(s, 0, p, job, at, gpu_other_of<GW_CUDA_QUERIES>(job.graph, now));
    gpu_cp_async_commit();

    running<D> row = {{}, {GPU_NONE, GPU_NONE}, {0.0f, 0.0f}};
    for (int stage = 0; now.at < now.last; stage ^= 1) {
        const gpu_tiles next = gpu_next_tile(job.graph, now, T);
        if (next.at < next.last) load_pair(s, stage ^ 1, p, job, at, gpu_other_of<GW_CUDA_QUERIES>(job.graph, next));
        gpu_cp_async_commit();
        gpu_cp_async_wait<1>(); // for all but the next stage
        __syncthreads();
        gpu_sums<T> z;
        gpu_multiply_rows(z, s.query, s.key[stage]);
        const float more = job.graph.log_multiplicity ? job.graph.log_multiplicity[now.at] * GPU_LOG2_E : 0.0f;
        scale_scores(z, gpu_edge_of(job.graph, now.at), query, gpu_other_of<GW_CUDA_QUERIES>(job.graph, now), job.keys,
                     p.a.scale * GPU_LOG2_E, more);
        take_softmax(z, row);
        gpu_add_product(row.out, z, s.value[stage]);
        now = next;
        __syncthreads(); // the next round's loads overwrite what this one read
    }
    gpu_cp_async_wait<0>(); // of queries without keys
    write(p, job, row, query, head);
}

} // namespace

int gw_mma_forward_tile(const gw_attention_args *args) {
    return gw_mma_tile(args, 64);
}

gw_status gw_mma_attention_launch(const gpu_mma_attention *p) {
    if (p->jobs.tiles == 0) return GW_OK;
    if (gw_wgmma_attention_is_on(p)) return gw_wgmma_attention_launch(p);
    return gpu_with_shape(gw_mma_forward_tile(&p->a), p->a.head_size, [p](auto shape) {
        constexpr int T = decltype(shape)::tile, D = decltype(shape)::head;
        const dim3 grid(unsigned(p->jobs.tiles), unsigned(p->jobs.heads));
        return gw_cuda_status(gpu_launch(attention_mma<T, D>, grid, dim3(gpu_tile_threads<T>),
                                         sizeof(shared_memory<T, D>), gw_cuda_stream, *p),
                              "attention");
    });
}
