// SPDX-License-Identifier: MIT
// A thread block takes one tile of queries of one head and walks the key blocks of its graph's row, tile by tile
// (FlashAttention-2's order: Dao, 2023). Queries stay in registers, 16 or 32 rows a warp; keys and values come by
// cp.async, two rounds ahead in three stages; products are mma.sync m16n8k16; scores never leave registers, since the
// accumulator of Q K^T is the left operand of P V. The softmax is online and in base 2. Weights are exp2(score - base),
// where base is the largest score of the row when it was set: sums are scaled only where a score is more than RISE
// above it (FlashAttention-4 does so too).
#include "kernels/cuda/attention_mma.h"

#include "kernels/cuda/attention_mask.h"
#include "kernels/cuda/attention_tile.h"
#include "kernels/cuda/attention_wgmma.h"
#include "kernels/cuda/attention_write.h"

namespace {

template <int T, int D> struct plan {
    static constexpr int N = T == 64 && D <= 64 ? 2 : 1; // times 16 queries a warp, all of which use the keys it reads
    static constexpr int THREADS = T / 16 / N * GW_CUDA_WARP;
    static constexpr int KEYS = D == 128 && T == 64 ? 32 : T; // of a round
    // Blocks that a multiprocessor's shared memory has room for, which registers are to leave.
    static constexpr int BLOCKS = T < 64 ? 1 : D == 32 ? 6 : D == 64 ? 4 : 3;
};
enum { STAGES = 3 };

template <int T, int D> struct shared_memory {
    gpu_tile<plan<T, D>::KEYS, D> stage[STAGES][2]; // keys and values
};

// Of the two rows that a lane holds a fourth of, N times.
template <int N, int D> struct running {
    gpu_sums<D> out[N];
    float base[N][2], sum[N][2];
};
constexpr float RISE = 8.0f, LOWEST = -3.4e38f;

// Sets the base of rows with a score of more than RISE above it, which is seldom. Scores are z scale + more.
template <int N, int K, int D>
GPU_FN void raise(const gpu_sums<K> (&z)[N], running<N, D> &row, float scale, float more) {
    float high[N][2];
    bool any = false;
#pragma unroll
    for (int n = 0; n < N; n++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float most = z[n].of[0][2 * h];
#pragma unroll
            for (int j = 0; j < K / 8; j++) most = fmaxf(most, fmaxf(z[n].of[j][2 * h], z[n].of[j][2 * h + 1]));
            high[n][h] = most * scale + more;
            any |= high[n][h] > row.base[n][h] + RISE;
        }
    if (!__any_sync(0xffffffffu, any)) return;
#pragma unroll
    for (int n = 0; n < N; n++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float most = gpu_quad_max(high[n][h]), base = row.base[n][h];
            const bool rises = most > base + RISE; // this row: its numbers do not depend on the others'
            const float shrink = rises ? gpu_exp2(base - most) : 1.0f;
            row.base[n][h] = rises ? most : base;
            row.sum[n][h] *= shrink;
#pragma unroll
            for (int j = 0; j < D / 8; j++) row.out[n].of[j][2 * h] *= shrink, row.out[n].of[j][2 * h + 1] *= shrink;
        }
}

// out += p v, where p = exp2(score - base) is rounded to bf16.
template <int N, int K, int D>
GPU_FN void add_values(running<N, D> &row, gpu_sums<K> (&z)[N], const gpu_tile<K, D> &value,
                       const gpu_lane_row<D> &lane, float scale, float more) {
#pragma unroll
    for (int k = 0; k < K / 16; k++) {
        uint32_t x[N][4];
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float(&two)[4] = z[n].of[2 * k + (i >> 1)];
                const int h = i & 1;
                const float low = gpu_exp2(two[2 * h] * scale + (more - row.base[n][h]));
                const float high = gpu_exp2(two[2 * h + 1] * scale + (more - row.base[n][h]));
                row.sum[n][h] += low + high;
                x[n][i] = gpu_pack_bf16(low, high);
            }
        gpu_add_product(row.out, x, value, lane, 16 * k);
    }
}

template <int T, int D>
__global__ void __launch_bounds__(plan<T, D>::THREADS, plan<T, D>::BLOCKS) attention_mma(const gpu_mma_attention p) {
    constexpr int N = plan<T, D>::N, KEYS = plan<T, D>::KEYS, THREADS = plan<T, D>::THREADS;
    typedef shared_memory<T, D> memory;
    GPU_SHARED(memory, s);
    const gpu_job_tile work = gpu_job_tile_of(p.jobs, T);
    const gpu_job &job = *work.job;
    const int head = work.head, tile = work.tile;
    const int query = tile + int(threadIdx.x) / GW_CUDA_WARP * 16 * N; // the warp's first
    const int keys = job.keys, stride = int(p.stride);
    const int64_t of_head = int64_t(head) * D, of_keys = job.key_begin * p.stride + of_head;
    const uint16_t *const pair[2] = {gpu_lane_source<D>(p.key + of_keys, stride),
                                     gpu_lane_source<D>(p.value + of_keys, stride)};
    const uint16_t *const own[1] = {gpu_lane_source<D>(p.query + job.query_begin * p.stride + of_head, stride)};
    typedef gpu_tile<T, D> query_tile[1];
    query_tile &queries = reinterpret_cast<query_tile &>(s.stage[STAGES - 1]); // on their way to registers
    gpu_load_tiles<THREADS>(queries, own, stride, tile, job.queries);
    gpu_cp_async_commit();

    const gpu_row_edges edges = gpu_row_edges_of<GW_CUDA_QUERIES>(job.graph, tile);
    const uint8_t *const kind = job.graph.kind ? job.graph.kind + edges.first : nullptr;
    const float *const log_multiplicity =
        job.graph.log_multiplicity ? job.graph.log_multiplicity + edges.first : nullptr;
    gpu_tile_at now = {0, 0}, ahead = now;
    int coming = gpu_other_block(edges, ahead); // is read a round before it is used
    int key[STAGES] = {};                       // first keys of this round and the next
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        key[i] = gpu_first_row(edges, ahead, coming);
        if (ahead.edge < edges.edges) gpu_load_tiles<THREADS>(s.stage[i], pair, stride, key[i], keys);
        gpu_cp_async_commit();
        ahead = gpu_next_tile(edges, ahead, KEYS);
        coming = gpu_other_block(edges, ahead);
    }
    gpu_cp_async_wait<STAGES - 1>();
    __syncthreads(); // queries are there
    gpu_left<N, D> q;
    const gpu_lane_row<D> left = gpu_left_row<D>(), right = gpu_right_row<D>();
    gpu_read_left(q, queries[0], left, query - tile);

    running<N, D> row = {};
    for (int i = 0; i < 2 * N; i++) row.base[i / 2][i % 2] = LOWEST;
    const float scale = p.a.scale * GPU_LOG2_E;
    for (int at = 0; now.edge < edges.edges; at = at == STAGES - 1 ? 0 : at + 1) {
        gpu_cp_async_wait<STAGES - 2>(); // for this round's keys
        __syncthreads();                 // all have read the stage of the round before, which is loaded next
        key[STAGES - 1] = gpu_first_row(edges, ahead, coming);
        if (ahead.edge < edges.edges)
            gpu_load_tiles<THREADS>(s.stage[at == 0 ? STAGES - 1 : at - 1], pair, stride, key[STAGES - 1], keys);
        gpu_cp_async_commit();
        ahead = gpu_next_tile(edges, ahead, KEYS);
        coming = gpu_other_block(edges, ahead);
        const float more = log_multiplicity ? log_multiplicity[now.edge] * GPU_LOG2_E : 0.0f;
        const int of_kind = kind ? int(kind[now.edge]) : int(GW_EDGE_FULL);
        gpu_sums<KEYS> z[N] = {};
        gpu_add_row_products(z, q, s.stage[at][0], right);
        if (key[0] + KEYS > keys || of_kind != GW_EDGE_FULL) {
            const gpu_edge edge = gpu_edge_of(job.graph, edges.first + now.edge);
            if (key[0] + KEYS > keys || !gpu_edge_reads_all(edge, tile, T, key[0], KEYS))
#pragma unroll
                for (int n = 0; n < N; n++) gpu_mask_keys(z[n], edge, query + 16 * n, key[0], keys);
        }
        raise(z, row, scale, more);
        add_values(row, z, s.stage[at][1], left, scale, more);
        now = gpu_next_tile(edges, now, KEYS);
        key[0] = key[1], key[1] = key[2];
    }
    const gpu_job_tile again = gpu_job_tile_of(p.jobs, T); // read twice rather than kept in registers
#pragma unroll
    for (int n = 0; n < N; n++)
        gpu_write_queries(p, *again.job, row.out[n], row.base[n], row.sum[n], query + 16 * n, again.head);
}

} // namespace

int gw_mma_forward_tile(const gw_attention_args *args) {
    return gw_mma_tile(args, 64);
}

gw_status gw_mma_attention_launch(const gpu_mma_attention *p) {
    if (gw_wgmma_attention_is_on(p)) return gw_wgmma_attention_launch(p);
    return gpu_with_shape(gw_mma_forward_tile(&p->a), p->a.head_size, [p](auto shape) {
        constexpr int T = decltype(shape)::tile, D = decltype(shape)::head;
        return gpu_launch_jobs("attention", attention_mma<T, D>, plan<T, D>::THREADS, sizeof(shared_memory<T, D>), *p);
    });
}
