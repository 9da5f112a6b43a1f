// SPDX-License-Identifier: MIT
// Attention over graphs of tokens: a warp a query, 32 of its keys at a time. In the backward pass also a warp a key,
// which looks for itself among the keys of each query, 32 queries at a time: there is no graph of the other direction,
// and sums run in the order of queries.
#include "kernels/cuda/attention_row.h"

namespace {

// A head of a sequence; pointers are to its first row.
struct part {
    gw_token_attention_args a;
    gw_token_graph graph;
    const float *query, *key, *value;
    const float *u, *z; // memberships
    int64_t at_query, at_key, at_u, at_z, at_log_sum, membership_stride;
    float *edge_gradient; // or NULL
    int parts;            // of the head's numbers
};

part part_of(const gw_token_attention_args *args, int s, int head) {
    const gw_token_sequence *sequence = &args->sequence[s];
    part p = {};
    p.a = *args;
    p.graph = sequence->graph[head];
    p.membership_stride = int64_t(args->heads) * args->clusters;
    p.at_query = sequence->query_begin * args->stride + int64_t(head) * args->head_size;
    p.at_key = sequence->key_begin * args->stride + int64_t(head) * args->head_size;
    p.at_u = sequence->query_begin * p.membership_stride + int64_t(head) * args->clusters;
    p.at_z = sequence->key_begin * p.membership_stride + int64_t(head) * args->clusters;
    p.at_log_sum = head * args->query_rows + sequence->query_begin;
    p.query = args->query + p.at_query;
    p.key = args->key + p.at_key;
    p.value = args->value + p.at_key;
    p.edge_gradient = sequence->edge_gradient ? sequence->edge_gradient[head] : nullptr;
    p.parts = int(gw_cuda_divide(args->head_size, GW_CUDA_PART));
    if (args->clusters > 0) {
        p.u = args->query_membership + p.at_u;
        p.z = args->key_membership + p.at_z;
    }
    return p;
}

GPU_FN float score(const part &p, int64_t i, int64_t j) {
    return p.a.scale * gpu_dot(p.query + i * p.a.stride, p.key + j * p.a.stride, p.a.head_size, false);
}

// body(first edge, how many) for the edges of a query, 32 at a time.
template <typename F> GPU_FN void each_edges(const part &p, int64_t i, F body) {
    for (int64_t e = p.graph.row_start[i]; e < p.graph.row_start[i + 1]; e += GW_CUDA_WARP)
        body(e, int(min(int64_t(GW_CUDA_WARP), p.graph.row_start[i + 1] - e)));
}

__global__ void token_attention(part p) {
    const int64_t i = gpu_row();
    if (i >= p.graph.queries) return; // a whole warp
    const int which = int(blockIdx.y), first = which * GW_CUDA_PART,
              numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    gpu_softmax_row row = {-INFINITY, 0.0f, {}};
    each_edges(p, i, [&](int64_t e, int count) {
        const float z = gpu_lane() < count ? score(p, i, p.graph.column[e + gpu_lane()]) : -INFINITY;
        gpu_add_keys(row, z, count, numbers,
                     [&](int k, int d) { return p.value[p.graph.column[e + k] * p.a.stride + first + d]; });
    });
    gpu_write_row(row, which, p.a.head_size, p.a.out + p.at_query + i * p.a.stride, p.a.log_sum + p.at_log_sum + i);
}

// ---- backward

GPU_FN float delta_of(const part &p, int64_t i) {
    const int64_t at = p.at_query + i * p.a.stride;
    return gpu_dot(p.a.out_gradient + at, p.a.out + at, p.a.head_size, false);
}

// P_ij, dz_ij and g_ij of an edge.
struct edge {
    float weight, dz, gradient;
};

GPU_FN edge edge_of(const part &p, int64_t i, int64_t j, float delta) {
    const float z = score(p, i, j), weight = expf(z - p.a.log_sum[p.at_log_sum + i]);
    const float product =
        gpu_dot(p.a.out_gradient + p.at_query + i * p.a.stride, p.value + j * p.a.stride, p.a.head_size, false);
    const float dz = weight * (product - delta), price = p.a.penalty / (float(p.graph.queries) * float(p.graph.keys));
    const bool drawn = (j > i ? j - i : i - j) > p.a.fixed;
    return {weight, dz, drawn ? (p.a.mask_gradient ? dz : dz * z) + price : 0.0f};
}

// to += scale x
GPU_FN void add_numbers(float *to, const gpu_numbers &x, float scale, int numbers) {
    for (int n = 0; n < GW_CUDA_NUMBERS; n++) {
        const int d = n * GW_CUDA_WARP + gpu_lane();
        if (d < numbers) to[d] += scale * x.of[n];
    }
}

// The density's price on clusters of a row: weight times the sums over all rows of the others.
GPU_FN void add_density(const part &p, const float *others, int64_t count, float *to, int first, int numbers) {
    const float price = p.a.density_penalty / (float(p.graph.queries) * float(p.graph.keys));
    for (int c = gpu_lane(); c < numbers && price != 0.0f; c += GW_CUDA_WARP) {
        float sum = 0;
        for (int64_t r = 0; r < count; r++) sum += others[r * p.membership_stride + first + c];
        to[c] += price * sum;
    }
}

// dq_i += scale sum_j dz_ij k_j, and the gradients of edges.
__global__ void query_gradient(part p) {
    const int64_t i = gpu_row();
    if (i >= p.graph.queries) return; // a whole warp
    const int which = int(blockIdx.y), first = which * GW_CUDA_PART,
              numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    const float delta = delta_of(p, i);
    gpu_numbers sum = {};
    each_edges(p, i, [&](int64_t e, int count) {
        edge mine = {};
        if (gpu_lane() < count) mine = edge_of(p, i, p.graph.column[e + gpu_lane()], delta);
        if (gpu_lane() < count && p.edge_gradient && which == 0) p.edge_gradient[e + gpu_lane()] = mine.gradient;
        gpu_add_weighted(sum, gpu_share_lanes(mine.dz), count, numbers,
                         [&](int k, int d) { return p.key[p.graph.column[e + k] * p.a.stride + first + d]; });
    });
    add_numbers(p.a.query_gradient + p.at_query + i * p.a.stride + first, sum, p.a.scale, numbers);
}

// du_i += sum_j g_ij z_j, a part of the clusters.
__global__ void query_membership_gradient(part p) {
    const int64_t i = gpu_row();
    if (i >= p.graph.queries) return; // a whole warp
    const int first = int(blockIdx.y) * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.clusters - first);
    const float delta = delta_of(p, i);
    gpu_numbers sum = {};
    each_edges(p, i, [&](int64_t e, int count) {
        edge mine = {};
        if (gpu_lane() < count) mine = edge_of(p, i, p.graph.column[e + gpu_lane()], delta);
        gpu_add_weighted(sum, gpu_share_lanes(mine.gradient), count, numbers,
                         [&](int k, int c) { return p.z[p.graph.column[e + k] * p.membership_stride + first + c]; });
    });
    float *to = p.a.query_membership_gradient + p.at_u + i * p.membership_stride + first;
    add_numbers(to, sum, 1.0f, numbers);
    add_density(p, p.z, p.graph.keys, to, first, numbers);
}

GPU_FN bool reads(const part &p, int64_t i, int64_t j) {
    int64_t low = p.graph.row_start[i], high = p.graph.row_start[i + 1];
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (p.graph.column[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low < p.graph.row_start[i + 1] && p.graph.column[low] == j;
}

// body(first query, how many, the lane's edge) for the queries that may read key j, 32 at a time.
template <typename F> GPU_FN void each_queries(const part &p, int64_t j, F body) {
    for (int64_t begin = 0; begin < p.graph.queries; begin += GW_CUDA_WARP) {
        const int count = int(min(int64_t(GW_CUDA_WARP), p.graph.queries - begin));
        const int64_t i = begin + gpu_lane();
        const bool mine = gpu_lane() < count && reads(p, i, j);
        if (!__any_sync(0xffffffffu, mine)) continue;
        body(begin, count, mine ? edge_of(p, i, j, delta_of(p, i)) : edge{});
    }
}

// dk_j += scale sum_i dz_ij q_i;  dv_j += sum_i P_ij dout_i
__global__ void key_gradients(part p) {
    const int64_t j = gpu_row();
    if (j >= p.graph.keys) return; // a whole warp
    const int first = int(blockIdx.y) * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.head_size - first);
    gpu_numbers of_key = {}, of_value = {};
    each_queries(p, j, [&](int64_t begin, int count, const edge &mine) {
        gpu_add_weighted(of_key, gpu_share_lanes(mine.dz), count, numbers,
                         [&](int k, int d) { return p.query[(begin + k) * p.a.stride + first + d]; });
        gpu_add_weighted(of_value, gpu_share_more_lanes(mine.weight), count, numbers, [&](int k, int d) {
            return p.a.out_gradient[p.at_query + (begin + k) * p.a.stride + first + d];
        });
    });
    const int64_t at = p.at_key + j * p.a.stride + first;
    add_numbers(p.a.key_gradient + at, of_key, p.a.scale, numbers);
    add_numbers(p.a.value_gradient + at, of_value, 1.0f, numbers);
}

// dz_j += sum_i g_ij u_i
__global__ void key_membership_gradient(part p) {
    const int64_t j = gpu_row();
    if (j >= p.graph.keys) return; // a whole warp
    const int first = int(blockIdx.y) * GW_CUDA_PART, numbers = min(int(GW_CUDA_PART), p.a.clusters - first);
    gpu_numbers sum = {};
    each_queries(p, j, [&](int64_t begin, int count, const edge &mine) {
        gpu_add_weighted(sum, gpu_share_lanes(mine.gradient), count, numbers,
                         [&](int k, int c) { return p.u[(begin + k) * p.membership_stride + first + c]; });
    });
    float *to = p.a.key_membership_gradient + p.at_z + j * p.membership_stride + first;
    add_numbers(to, sum, 1.0f, numbers);
    add_density(p, p.u, p.graph.queries, to, first, numbers);
}

gw_status launch(const char *op, void (*kernel)(part), int64_t rows, int64_t width, const part &p) {
    if (rows == 0 || width == 0) return GW_OK;
    const dim3 grid(unsigned(gw_cuda_divide(rows, GW_CUDA_ROWS)), unsigned(gw_cuda_divide(width, GW_CUDA_PART)));
    const dim3 block(GW_CUDA_ROWS * GW_CUDA_WARP);
    return gw_cuda_status(gpu_launch(kernel, grid, block, 0, gw_cuda_stream, p), op);
}

gw_status launch_backward(const part &p) {
    static const char *const op = "token_attention_backward";
    GW_TRY(launch(op, query_gradient, p.graph.queries, p.a.head_size, p));
    GW_TRY(launch(op, key_gradients, p.graph.keys, p.a.head_size, p));
    GW_TRY(launch(op, query_membership_gradient, p.graph.queries, p.a.clusters, p));
    return launch(op, key_membership_gradient, p.graph.keys, p.a.clusters, p);
}

} // namespace

GW_CUDA_OP(token_attention, gw_token_attention_args) {
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) {
            const part p = part_of(args, s, head);
            GW_TRY(launch("token_attention", token_attention, p.graph.queries, args->head_size, p));
        }
    return GW_OK;
}

GW_CUDA_OP(token_attention_backward, gw_token_attention_args) {
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) GW_TRY(launch_backward(part_of(args, s, head)));
    return GW_OK;
}
