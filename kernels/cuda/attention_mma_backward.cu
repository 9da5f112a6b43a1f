// SPDX-License-Identifier: MIT
// Gradients of attention: a thread block takes a tile of queries, for dQ, or one of keys, for dK and dV, and walks the
// tiles of the other side that the graph or its transpose lists. Scores are computed anew; each gradient is summed by
// one block, in the order of edges, and added once.
//   P = exp(z - log_sum), dz = P (dout v^T - delta): dq += scale dz k; dk += scale dz^T q; dv += P^T dout
// By keys rows and columns of all of these are exchanged.
#include "kernels/cuda/attention_mask.h"
#include "kernels/cuda/attention_mma.h"

namespace {

// Rows of a tile at most: sums of two gradients are in registers.
template <int D> constexpr int MOST = D == 128 ? 32 : 64;

// Pairs of tiles: of queries q and dout, of keys k and v.
template <int T, int D> struct tile_pair { gpu_tile<T, D> first, second; };
// Of queries: log_sum in base 2, infinite where there is no query or none of its keys is read, and delta.
template <int T> struct query_numbers { float log_sum[T], delta[T]; };
template <int T, int D> struct shared_memory {
    tile_pair<T, D> own, other[2];
    query_numbers<T> query[2]; // of both stages where the others are queries, else in the first
};

template <gw_cuda_side side, int T, int D>
GPU_FN void load_pair(tile_pair<T, D> &to, const gpu_mma_attention &p, const gpu_job &job, int head, int first) {
    const bool queries = side == GW_CUDA_QUERIES;
    const int64_t at = (queries ? job.query_begin : job.key_begin) * p.stride + int64_t(head) * D;
    gpu_load_tile(to.first, (queries ? p.query : p.key) + at, p.stride, first, queries ? job.queries : job.keys);
    gpu_load_tile(to.second, (queries ? p.out_gradient : p.value) + at, p.stride, first,
                  queries ? job.queries : job.keys);
}

template <int T>
GPU_FN void load_numbers(query_numbers<T> &to, const gpu_mma_attention &p, const gpu_job &job, int head, int first) {
    const int n = int(threadIdx.x);
    if (n >= T) return;
    const int64_t at = int64_t(head) * p.a.query_rows + job.query_begin + first + n;
    const bool inside = first + n < job.queries;
    const float log_sum = inside ? p.a.log_sum[at] : GPU_NONE;
    to.log_sum[n] = log_sum == GPU_NONE ? -GPU_NONE : log_sum * GPU_LOG2_E;
    to.delta[n] = inside ? p.delta[at] : 0.0f;
}

template <gw_cuda_side side, int T, int D>
GPU_FN void load_other(shared_memory<T, D> &s, int stage, const gpu_mma_attention &p, const gpu_job &job, int head,
                       int first) {
    constexpr gw_cuda_side other = side == GW_CUDA_QUERIES ? GW_CUDA_KEYS : GW_CUDA_QUERIES;
    load_pair<other>(s.other[stage], p, job, head, first);
    if (other == GW_CUDA_QUERIES) load_numbers(s.query[stage], p, job, head, first);
}

struct place {
    int own, other; // first rows of the two tiles
    float scale, more;
};

// z becomes P, dp dz.
template <gw_cuda_side side, int T>
GPU_FN void weigh(gpu_sums<T> &z, gpu_sums<T> &dp, const query_numbers<T> &query, const gpu_edge &edge,
                  const gpu_job &job, const place &at) {
    const auto number = [](int j, int i) {
        return side == GW_CUDA_QUERIES ? gpu_warp_row() + gpu_sum_row(i) : gpu_sum_column(j, i);
    };
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) z.of[j][i] = z.of[j][i] * at.scale + (at.more - query.log_sum[number(j, i)]);
    if (side == GW_CUDA_QUERIES) {
        if (at.other + T > job.keys || !gpu_edge_reads_all(edge, at.own, at.other, T))
            gpu_mask_keys(z, edge, at.own, at.other, job.keys);
    } else if (!gpu_edge_reads_all(edge, at.other, at.own, T)) {
        gpu_mask_queries(z, edge, at.own, at.other, job.queries);
    }
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z.of[j][i] = gpu_exp2(z.of[j][i]);
            dp.of[j][i] = z.of[j][i] * (dp.of[j][i] - query.delta[number(j, i)]);
        }
}

// to += scale sums of the warp's rows that are there
template <int D>
GPU_FN void add_sums(float *to, int64_t stride, const gpu_sums<D> &sums, int first, int rows, float scale) {
#pragma unroll
    for (int j = 0; j < D / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = first + gpu_warp_row() + gpu_sum_row(i);
            if (row < rows) to[row * stride + gpu_sum_column(j, i)] += scale * sums.of[j][i];
        }
}

template <gw_cuda_side side, int D>
GPU_FN void write(const gpu_mma_attention &p, const gpu_job &job, const gpu_sums<D> *sums, int head, int own) {
    const int64_t at = int64_t(head) * D;
    if (side == GW_CUDA_QUERIES) {
        add_sums(p.a.query_gradient + job.query_begin * p.a.query_stride + at, p.a.query_stride, sums[0], own,
                 job.queries, p.a.scale);
        return;
    }
    add_sums(p.a.key_gradient + job.key_begin * p.a.key_stride + at, p.a.key_stride, sums[0], own, job.keys, p.a.scale);
    add_sums(p.a.value_gradient + job.key_begin * p.a.value_stride + at, p.a.value_stride, sums[1], own, job.keys,
             1.0f);
}

template <gw_cuda_side side, int T, int D>
__global__ void __launch_bounds__(gpu_tile_threads<T>) attention_gradients(const gpu_mma_attention p) {
    typedef shared_memory<T, D> memory;
    GPU_SHARED(memory, s);
    const gpu_job &job = p.jobs.job[p.jobs.of_tile[blockIdx.x]];
    const gw_graph &graph = job.graph;
    const int head = job.head + int(blockIdx.y), own = (int(blockIdx.x) - job.first_tile) * T;
    load_pair<side>(s.own, p, job, head, own);
    if (side == GW_CUDA_QUERIES) load_numbers(s.query[0], p, job, head, own);
    gpu_tiles now = gpu_tiles_of<side>(graph, own);
    if (now.at < now.last) load_other<side>(s, 0, p, job, head, gpu_other_of<side>(graph, now));
    gpu_cp_async_commit();

    gpu_sums<D> sums[side == GW_CUDA_KEYS ? 2 : 1] = {};
    for (int stage = 0; now.at < now.last; stage ^= 1) {
        const gpu_tiles next = gpu_next_tile(graph, now, T);
        if (next.at < next.last) load_other<side>(s, stage ^ 1, p, job, head, gpu_other_of<side>(graph, next));
        gpu_cp_async_commit();
        gpu_cp_async_wait<1>(); // for all but the next stage
        __syncthreads();
        gpu_sums<T> z, dp;
        gpu_multiply_rows(z, s.own.first, s.other[stage].first);
        gpu_multiply_rows(dp, s.own.second, s.other[stage].second);
        const int64_t edge = gpu_edge_number<side>(graph, now);
        const place at = {own, gpu_other_of<side>(graph, now), p.a.scale * GPU_LOG2_E,
                          graph.log_multiplicity ? graph.log_multiplicity[edge] * GPU_LOG2_E : 0.0f};
        weigh<side>(z, dp, s.query[side == GW_CUDA_KEYS ? stage : 0], gpu_edge_of(graph, edge), job, at);
        gpu_add_product(sums[0], dp, s.other[stage].first);
        if (side == GW_CUDA_KEYS) gpu_add_product(sums[side == GW_CUDA_KEYS], z, s.other[stage].second);
        now = next;
        __syncthreads(); // the next round's loads overwrite what this one read
    }
    gpu_cp_async_wait<0>(); // of rows without edges
    write<side>(p, job, sums, head, own);
}

template <gw_cuda_side side> gw_status launch(const gpu_mma_attention *p) {
    return gpu_with_shape(gw_mma_backward_tile(&p->a), p->a.head_size, [p](auto shape) {
        constexpr int D = decltype(shape)::head, T = decltype(shape)::tile < MOST<D> ? decltype(shape)::tile : MOST<D>;
        const dim3 grid(unsigned(p->jobs.tiles), unsigned(p->jobs.heads));
        return gw_cuda_status(gpu_launch(attention_gradients<side, T, D>, grid, dim3(gpu_tile_threads<T>),
                                         sizeof(shared_memory<T, D>), gw_cuda_stream, *p),
                              "attention_backward");
    });
}

} // namespace

int gw_mma_backward_tile(const gw_attention_args *args) {
    return gw_mma_tile(args, args->head_size == 128 ? MOST<128> : MOST<64>);
}

gw_status gw_mma_gradients_launch(const gpu_mma_attention *p, gw_cuda_side side) {
    if (p->jobs.tiles == 0) return GW_OK;
    return side == GW_CUDA_QUERIES ? launch<GW_CUDA_QUERIES>(p) : launch<GW_CUDA_KEYS>(p);
}
