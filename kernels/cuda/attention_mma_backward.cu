// SPDX-License-Identifier: MIT
// Gradients of attention: a thread block takes a tile of queries, for dQ, or one of keys, for dK and dV, and walks the
// tiles of the other side that the graph or its transpose lists. Scores are computed anew; each gradient is summed by
// one block, in the order of edges, and added once.
//   P = exp(z - log_sum), dz = P (dout v^T - delta): dq += scale dz k; dk += scale dz^T q; dv += P^T dout
// By keys rows and columns of all of these are exchanged. A warp has 16 of the tile's rows, in registers where heads
// have up to 64 numbers; tiles of the other side come by cp.async, two rounds ahead in three stages.
#include "kernels/cuda/attention_mask.h"
#include "kernels/cuda/attention_mma.h"

namespace {

enum { STAGES = 3 };
template <gw_cuda_side side, int T, int D> struct plan {
    static constexpr int THREADS = gpu_tile_threads<T>;
    static constexpr int OTHERS = D == 128 && T > 16 ? T / 2 : T; // rows of the other side in a round
    static constexpr bool KEPT = D == 128;                        // own rows stay in shared memory
    static constexpr int BLOCKS = T < 32                                          ? 1
                                  : T == 32                                       ? (D == 32 ? 6 : 4)
                                  : D == 128 || (D == 64 && side == GW_CUDA_KEYS) ? 2
                                                                                  : 3;
};

// Pairs of tiles: of queries q and dout, of keys k and v.
template <int T, int D, bool there> struct own_tiles { gpu_tile<T, D> tile[2]; };
template <int T, int D> struct own_tiles<T, D, false> {};

// Of a round's queries: log_sum in base 2, infinite where there is no query or none of its keys is read, and -delta.
template <int N> struct query_numbers { float log_sum[N], delta[N]; };
template <gw_cuda_side side, int T, int D> struct shared_memory {
    gpu_tile<plan<side, T, D>::OTHERS, D> stage[STAGES][2];
    query_numbers<plan<side, T, D>::OTHERS> query[STAGES]; // where the others are queries
    own_tiles<T, D, plan<side, T, D>::KEPT> own;
};
// Own rows that go to registers pass through the last stage.
template <gw_cuda_side side, int T, int D> GPU_FN auto &own_rows(shared_memory<side, T, D> &s) {
    if constexpr (plan<side, T, D>::KEPT) return s.own.tile;
    else return s.stage[STAGES - 1];
}

struct query_number {
    float log_sum, delta;
};
GPU_FN query_number number_of(const gpu_mma_attention &p, const gpu_job &job, int head, int query) {
    if (query >= job.queries) return {-GPU_NONE, 0.0f};
    const int64_t at = int64_t(head) * p.a.query_rows + job.query_begin + query;
    const float log_sum = p.a.log_sum[at];
    return {log_sum == GPU_NONE ? -GPU_NONE : log_sum * GPU_LOG2_E, -p.delta[at]};
}
template <int N> GPU_FN void put_number(query_numbers<N> &to, const query_number &number) {
    const int n = int(threadIdx.x);
    if (n < N) to.log_sum[n] = number.log_sum, to.delta[n] = number.delta;
}
// Of columns 8 j + 2 (lane % 4) and the next.
template <int N> GPU_FN float2 two_columns(const float (&of)[N], int j) {
    return *reinterpret_cast<const float2 *>(of + gpu_sum_column(j, 0));
}

// The first sums of dp: -delta of the queries of the lane's rows or columns.
template <bool by_keys, int T>
GPU_FN void start_with_delta(gpu_sums<T> &dp, const query_number (&own)[2], const query_numbers<T> &other) {
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float2 two = by_keys ? two_columns(other.delta, j) : float2{own[h].delta, own[h].delta};
            dp.of[j][2 * h] = two.x, dp.of[j][2 * h + 1] = two.y;
        }
}

// sums[0] += dz b[0], and by keys sums[1] += P b[1]; scores are z scale + more, dp has delta taken off.
template <gw_cuda_side side, int T, int D>
GPU_FN void add_gradients(gpu_sums<D> (&sums)[2], const gpu_sums<T> &z, const gpu_sums<T> &dp,
                          const gpu_tile<T, D> (&b)[2], const gpu_lane_row<D> &lane, const query_number (&own)[2],
                          const query_numbers<T> &other, float scale, float more) {
#pragma unroll
    for (int k = 0; k < T / 16; k++) {
        uint32_t weight[1][4], gradient[1][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int j = 2 * k + (i >> 1), h = i & 1;
            float2 base = {own[h].log_sum, own[h].log_sum};
            if (side == GW_CUDA_KEYS) base = two_columns(other.log_sum, j);
            const float low = gpu_exp2(z.of[j][2 * h] * scale + (more - base.x));
            const float high = gpu_exp2(z.of[j][2 * h + 1] * scale + (more - base.y));
            weight[0][i] = gpu_pack_bf16(low, high);
            gradient[0][i] = gpu_pack_bf16(low * dp.of[j][2 * h], high * dp.of[j][2 * h + 1]);
        }
        gpu_sums<D>(&first)[1] = reinterpret_cast<gpu_sums<D>(&)[1]>(sums[0]);
        gpu_add_product(first, gradient, b[0], lane, 16 * k);
        gpu_sums<D>(&second)[1] = reinterpret_cast<gpu_sums<D>(&)[1]>(sums[1]);
        if (side == GW_CUDA_KEYS) gpu_add_product(second, weight, b[1], lane, 16 * k);
    }
}

// to += scale sums of 16 rows from `first` on that are there
template <int D>
GPU_FN void add_sums(float *to, int64_t stride, const gpu_sums<D> &sums, int first, int rows, float scale) {
#pragma unroll
    for (int j = 0; j < D / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = first + gpu_sum_row(i);
            if (row < rows) to[row * stride + gpu_sum_column(j, i)] += scale * sums.of[j][i];
        }
}

// to = scale sums, rounded
template <int D>
GPU_FN void write_sums(uint16_t *to, int64_t stride, const gpu_sums<D> &sums, int first, int rows, float scale) {
#pragma unroll
    for (int j = 0; j < D / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            const int row = first + gpu_sum_row(i);
            const uint32_t two = gpu_pack_bf16(scale * sums.of[j][i], scale * sums.of[j][i + 1]);
            if (row < rows) *reinterpret_cast<uint32_t *>(to + row * stride + gpu_sum_column(j, i)) = two;
        }
}

template <gw_cuda_side side, int D>
GPU_FN void write(const gpu_mma_attention &p, const gpu_job &job, const gpu_sums<D> (&sums)[2], int head, int first) {
    const int64_t at = int64_t(head) * D;
    if (side == GW_CUDA_QUERIES && p.a.query_gradient_bf16) {
        write_sums(p.a.query_gradient_bf16 + job.query_begin * p.stride + at, p.stride, sums[0], first, job.queries,
                   p.a.scale);
        return;
    }
    if (side == GW_CUDA_QUERIES) {
        add_sums(p.a.query_gradient + job.query_begin * p.a.query_stride + at, p.a.query_stride, sums[0], first,
                 job.queries, p.a.scale);
        return;
    }
    if (p.a.key_gradient_bf16) {
        const int64_t begin = job.key_begin * p.stride + at;
        write_sums(p.a.key_gradient_bf16 + begin, p.stride, sums[0], first, job.keys, p.a.scale);
        write_sums(p.a.value_gradient_bf16 + begin, p.stride, sums[1], first, job.keys, 1.0f);
        return;
    }
    add_sums(p.a.key_gradient + job.key_begin * p.a.key_stride + at, p.a.key_stride, sums[0], first, job.keys,
             p.a.scale);
    add_sums(p.a.value_gradient + job.key_begin * p.a.value_stride + at, p.a.value_stride, sums[1], first, job.keys,
             1.0f);
}

template <gw_cuda_side side, int T, int D>
__global__ void __launch_bounds__(plan<side, T, D>::THREADS, plan<side, T, D>::BLOCKS)
    attention_gradients(const gpu_mma_attention p) {
    constexpr int OTHERS = plan<side, T, D>::OTHERS, THREADS = plan<side, T, D>::THREADS;
    constexpr bool KEPT = plan<side, T, D>::KEPT, BY_KEYS = side == GW_CUDA_KEYS;
    typedef shared_memory<side, T, D> memory;
    GPU_SHARED(memory, s);
    const gpu_job_tile work = gpu_job_tile_of(p.jobs, T);
    const gpu_job &job = *work.job;
    const int head = work.head, tile = work.tile;
    const int mine = tile + gpu_warp_row(), stride = int(p.stride), others = BY_KEYS ? job.queries : job.keys;
    const int64_t of_head = int64_t(head) * D;
    const int64_t of_queries = job.query_begin * p.stride + of_head, of_keys = job.key_begin * p.stride + of_head;
    const uint16_t *const queries[2] = {gpu_lane_source<D>(p.query + of_queries, stride),
                                        gpu_lane_source<D>(p.out_gradient + of_queries, stride)};
    const uint16_t *const keys[2] = {gpu_lane_source<D>(p.key + of_keys, stride),
                                     gpu_lane_source<D>(p.value + of_keys, stride)};
    const uint16_t *const pair[2] = {BY_KEYS ? queries[0] : keys[0], BY_KEYS ? queries[1] : keys[1]};
    gpu_load_tiles<THREADS>(own_rows(s), BY_KEYS ? keys : queries, stride, tile, BY_KEYS ? job.keys : job.queries);
    gpu_cp_async_commit();

    const gpu_row_edges edges = gpu_row_edges_of<side>(job.graph, tile);
    gpu_tile_at now = {0, 0}, ahead = now;
    int coming = gpu_other_block(edges, ahead); // is read a round before it is used
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        const int first = gpu_first_row(edges, ahead, coming);
        if (ahead.edge < edges.edges) {
            gpu_load_tiles<THREADS>(s.stage[i], pair, stride, first, others);
            if (BY_KEYS) put_number(s.query[i], number_of(p, job, head, first + int(threadIdx.x)));
        }
        gpu_cp_async_commit();
        ahead = gpu_next_tile(edges, ahead, OTHERS);
        coming = gpu_other_block(edges, ahead);
    }
    gpu_cp_async_wait<STAGES - 1>();
    __syncthreads(); // own rows are there
    const gpu_lane_row<D> left = gpu_left_row<D>(), right = gpu_right_row<D>();
    gpu_left<1, D> own[2];
    query_number own_number[2] = {};
    for (int i = 0; i < 2; i++) {
        if (!KEPT) gpu_read_left(own[i], own_rows(s)[i], left, mine - tile);
        if (!BY_KEYS) own_number[i] = number_of(p, job, head, mine + gpu_sum_row(2 * i));
    }

    gpu_sums<D> sums[2] = {};
    const float scale = p.a.scale * GPU_LOG2_E;
    int64_t next_edge = 0; // by keys: its number in the graph's lists, read a round before
    if (BY_KEYS && edges.edges > 0) next_edge = gpu_edge_number<side>(job.graph, edges, 0);
    for (int at = 0; now.edge < edges.edges; at = at == STAGES - 1 ? 0 : at + 1) {
        gpu_cp_async_wait<STAGES - 2>(); // for this round's rows
        __syncthreads();                 // all have read the stage of the round before, which is loaded next
        const int loaded = at == 0 ? STAGES - 1 : at - 1;
        query_number number = {};
        if (ahead.edge < edges.edges) {
            const int next = gpu_first_row(edges, ahead, coming);
            gpu_load_tiles<THREADS>(s.stage[loaded], pair, stride, next, others);
            if (BY_KEYS) number = number_of(p, job, head, next + int(threadIdx.x));
        }
        gpu_cp_async_commit();
        ahead = gpu_next_tile(edges, ahead, OTHERS);
        coming = gpu_other_block(edges, ahead);
        const int64_t edge = BY_KEYS ? next_edge : edges.first + now.edge;
        const float *const log_multiplicity = job.graph.log_multiplicity;
        const uint8_t *const kind = job.graph.kind;
        const float more = log_multiplicity ? log_multiplicity[edge] * GPU_LOG2_E : 0.0f;
        const int of_kind = kind ? int(kind[edge]) : int(GW_EDGE_FULL);
        const int other = gpu_first_row(edges, now, gpu_other_block(edges, now));
        now = gpu_next_tile(edges, now, OTHERS);
        if (BY_KEYS && now.edge < edges.edges) next_edge = gpu_edge_number<side>(job.graph, edges, now.edge);

        gpu_sums<OTHERS> z[1] = {}, dp[1];
        if (KEPT) gpu_read_left(own[0], own_rows(s)[0], left, mine - tile);
        gpu_add_row_products(z, own[0], s.stage[at][0], right);
        start_with_delta<BY_KEYS>(dp[0], own_number, s.query[at]);
        if (KEPT) gpu_read_left(own[1], own_rows(s)[1], left, mine - tile);
        gpu_add_row_products(dp, own[1], s.stage[at][1], right);
        if ((!BY_KEYS && other + OTHERS > others) || of_kind != GW_EDGE_FULL) {
            const gpu_edge reads = gpu_edge_of(job.graph, edge);
            if (BY_KEYS) {
                if (!gpu_edge_reads_all(reads, other, OTHERS, tile, T))
                    gpu_mask_queries(z[0], reads, mine, other, others);
            } else if (other + OTHERS > others || !gpu_edge_reads_all(reads, tile, T, other, OTHERS)) {
                gpu_mask_keys(z[0], reads, mine, other, others);
            }
        }
        add_gradients<side>(sums, z[0], dp[0], s.stage[at], left, own_number, s.query[at], scale, more);
        if (BY_KEYS) put_number(s.query[loaded], number); // which was read in the round before
    }
    write<side>(p, job, sums, head, mine);
}

template <gw_cuda_side side> gw_status launch(const gpu_mma_attention *p) {
    return gpu_with_shape(gw_mma_backward_tile(&p->a), p->a.head_size, [p](auto shape) {
        constexpr int D = decltype(shape)::head, T = decltype(shape)::tile;
        return gpu_launch_jobs("attention_backward", attention_gradients<side, T, D>, plan<side, T, D>::THREADS,
                               sizeof(shared_memory<side, T, D>), *p);
    });
}

} // namespace

int gw_mma_backward_tile(const gw_attention_args *args) {
    return gw_mma_tile(args, 64);
}

gw_status gw_mma_gradients_launch(const gpu_mma_attention *p, gw_cuda_side side) {
    return side == GW_CUDA_QUERIES ? launch<GW_CUDA_QUERIES>(p) : launch<GW_CUDA_KEYS>(p);
}
