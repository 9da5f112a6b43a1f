// SPDX-License-Identifier: MIT
// Dense attention with terms of the distance, as products of a head's block of queries with all keys and with the rows
// of R that belong to its distances (the order of these: kernels/cpu/isa/distance_attention.c). All products are of
// f32; what lies between them is a warp a query.
#include "kernels/cuda/products.h"
#include "kernels/cuda/scratch.h"

GW_CUDA_OP(column_sum, gw_column_sum_args);

namespace {

enum : int64_t { QUERIES = 1024 }; // of a block

// Scratch memory: R [2 most - 1][H key_size] and its gradient; of a block: scale q + u, scale q + v and their
// gradients, scores and their gradients, terms.
struct memory {
    float *position, *dposition, *content, *place, *dcontent, *dplace, *score, *dscore, *term;
    int64_t term_stride, floats;
};

int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

memory memory_of(const gw_distance_attention_args *args, bool backward) {
    const int64_t queries = least(QUERIES, args->query_rows), width = args->heads * args->key_size;
    const int64_t table = args->table ? (2 * args->most - 1) * width : 0, narrow = queries * args->key_size;
    memory m = {};
    m.term_stride = args->table ? args->most + queries : 0;
    float *at = args->scratch;
    const auto take = [&](int64_t floats) {
        float *taken = at ? at + m.floats : nullptr;
        m.floats += gw_cuda_divide(floats, 4) * 4;
        return taken;
    };
    m.position = take(table);
    m.content = take(narrow);
    m.place = take(narrow);
    m.score = take(queries * args->most);
    m.term = take(queries * m.term_stride);
    if (!backward) return m;
    m.dposition = take(table);
    m.dcontent = take(narrow);
    m.dplace = take(narrow);
    m.dscore = take(queries * args->most);
    return m;
}

// Queries [0, count) from row `query` on, of one head.
struct block {
    gw_distance_attention_args a;
    memory m;
    int64_t head, group, query, key, count, keys;
    int64_t position; // the first row of R that is read
};

block block_of(const gw_distance_attention_args *args, const memory &m, int s, int64_t head, int64_t first) {
    const gw_distance_sequence *q = &args->sequence[s];
    const int64_t count = least(least(QUERIES, args->query_rows), q->query_count - first);
    return {*args,        m,     head,         head / (args->heads / args->groups),  q->query_begin + first,
            q->key_begin, count, q->key_count, args->most - q->first - first - count};
}

// Floats before the block's part of arrays of query rows, and of key rows.
__host__ __device__ int64_t query_at(const block &b, int64_t size) {
    return (b.query * b.a.heads + b.head) * size;
}
__host__ __device__ int64_t key_at(const block &b, int64_t size) {
    return (b.key * b.a.groups + b.group) * size;
}

// scale q + u and scale q + v: a thread a number.
__global__ void scale_queries(block b) {
    const int64_t at = gpu_element(), size = b.a.key_size, i = at / size, c = at % size;
    if (i >= b.count) return;
    const float q = b.a.scale * b.a.query[query_at(b, size) + i * b.a.heads * size + c];
    b.m.content[at] = q + (b.a.table ? b.a.content_bias[b.head * size + c] : 0.0f);
    if (b.a.table) b.m.place[at] = q + b.a.position_bias[b.head * size + c];
}

GPU_FN float *terms_of(const block &b, int64_t i) {
    return b.m.term + i * b.m.term_stride + b.count - 1 - i;
}

GPU_FN float score(const block &b, int64_t i, int64_t j) {
    return b.m.score[i * b.a.most + j] + (b.a.table ? terms_of(b, i)[j] : 0.0f);
}

// Scores become weights.
__global__ void weigh(block b) {
    const int64_t i = gpu_row();
    if (i >= b.count) return; // a whole warp
    float largest = -INFINITY, sum = 0, *row = b.m.score + i * b.a.most;
    for (int64_t j = gpu_lane(); j < b.keys; j += GW_CUDA_WARP) largest = fmaxf(largest, score(b, i, j));
    largest = gpu_warp_max(largest);
    for (int64_t j = gpu_lane(); j < b.keys; j += GW_CUDA_WARP) {
        row[j] = expf(score(b, i, j) - largest);
        sum += row[j];
    }
    sum = gpu_warp_sum(sum);
    for (int64_t j = gpu_lane(); j < b.keys; j += GW_CUDA_WARP) row[j] /= sum;
    if (gpu_lane() == 0) b.a.log_sum[b.head * b.a.query_rows + b.query + i] = largest + logf(sum);
}

// Scores become weights again, dout . value becomes dz, and the terms become those of dz.
__global__ void spread(block b) {
    const int64_t i = gpu_row(), size = b.a.value_size, at = query_at(b, size) + i * b.a.heads * size;
    if (i >= b.count) return; // a whole warp
    const float log_sum = b.a.log_sum[b.head * b.a.query_rows + b.query + i];
    float delta = 0, *row = b.m.score + i * b.a.most, *dz = b.m.dscore + i * b.a.most;
    for (int64_t c = gpu_lane(); c < size; c += GW_CUDA_WARP) delta += b.a.out_gradient[at + c] * b.a.out[at + c];
    delta = gpu_warp_sum(delta);
    for (int64_t j = gpu_lane(); j < b.keys; j += GW_CUDA_WARP) {
        row[j] = expf(score(b, i, j) - log_sum);
        dz[j] = row[j] * (dz[j] - delta);
        if (b.a.table) terms_of(b, i)[j] = dz[j];
    }
    if (!b.a.table) return;
    float *all = b.m.term + i * b.m.term_stride;
    const int64_t before = b.count - 1 - i;
    for (int64_t t = gpu_lane(); t < b.count - 1; t += GW_CUDA_WARP) all[t < before ? t : t + b.keys] = 0.0f;
}

__global__ void add_to_queries(block b) {
    const int64_t at = gpu_element(), size = b.a.key_size, i = at / size, c = at % size;
    if (i >= b.count) return;
    b.a.query_gradient[query_at(b, size) + i * b.a.heads * size + c] +=
        b.a.scale * (b.m.dcontent[at] + (b.a.table ? b.m.dplace[at] : 0.0f));
}

struct matrix {
    const float *at;
    int64_t stride;
    bool turned;
};

// c (+)= op(a) op(b)
gw_status multiply(int64_t m, int64_t n, int64_t k, const matrix &a, const matrix &b, float *c, int64_t stride,
                   bool adds) {
    if (m == 0 || n == 0 || k == 0) return GW_OK;
    const gw_cuda_product p = {
        a.turned, b.turned,           adds,   GW_F32, m, n, k, a.at, b.at, a.stride, b.stride, c, stride,
        nullptr,  GW_ACTIVATION_NONE, nullptr};
    return gw_cuda_multiply(&p);
}

// Rows of R that a block reads.
matrix positions(const block &b, bool turned) {
    const int64_t width = b.a.heads * b.a.key_size;
    return {b.m.position + b.position * width + b.head * b.a.key_size, width, turned};
}

gw_status score_block(const char *op, const block &b) {
    const int64_t size = b.a.key_size;
    GW_TRY(gw_cuda_launch_elements(op, scale_queries, b.count * size, b));
    GW_TRY(multiply(b.count, b.keys, size, {b.m.content, size, false},
                    {b.a.key + key_at(b, size), b.a.groups * size, true}, b.m.score, b.a.most, false));
    if (!b.a.table) return GW_OK;
    return multiply(b.count, b.keys + b.count - 1, size, {b.m.place, size, false}, positions(b, true), b.m.term,
                    b.m.term_stride, false);
}

gw_status read_block(const block &b) {
    const int64_t size = b.a.value_size;
    GW_TRY(score_block("distance_attention", b));
    GW_TRY(gw_cuda_launch_rows("distance_attention", weigh, b.count, b));
    return multiply(b.count, size, b.keys, {b.m.score, b.a.most, false},
                    {b.a.value + key_at(b, size), b.a.groups * size, false}, b.a.out + query_at(b, size),
                    b.a.heads * size, false);
}

gw_status sum_columns(const block &b, const float *in, float *out) {
    gw_column_sum_args sums = {};
    sums.rows = b.count, sums.width = sums.in_stride = b.a.key_size;
    sums.in = in, sums.out = out + b.head * b.a.key_size;
    return gw_column_sum_cuda(&sums);
}

gw_status spread_to_positions(const block &b) {
    const int64_t size = b.a.key_size, width = b.a.heads * size, terms = b.keys + b.count - 1;
    GW_TRY(multiply(terms, size, b.count, {b.m.term, b.m.term_stride, true}, {b.m.place, size, false},
                    b.m.dposition + b.position * width + b.head * size, width, true));
    GW_TRY(multiply(b.count, size, terms, {b.m.term, b.m.term_stride, false}, positions(b, false), b.m.dplace, size,
                    false));
    GW_TRY(sum_columns(b, b.m.dcontent, b.a.content_bias_gradient));
    return sum_columns(b, b.m.dplace, b.a.position_bias_gradient);
}

gw_status spread_block(const block &b) {
    static const char *const op = "distance_attention_backward";
    const int64_t size = b.a.key_size, value_size = b.a.value_size;
    const matrix dout = {b.a.out_gradient + query_at(b, value_size), b.a.heads * value_size, false};
    GW_TRY(score_block(op, b));
    GW_TRY(multiply(b.count, b.keys, value_size, dout,
                    {b.a.value + key_at(b, value_size), b.a.groups * value_size, true}, b.m.dscore, b.a.most, false));
    GW_TRY(gw_cuda_launch_rows(op, spread, b.count, b));
    GW_TRY(multiply(b.keys, value_size, b.count, {b.m.score, b.a.most, true}, dout,
                    b.a.value_gradient + key_at(b, value_size), b.a.groups * value_size, true));
    GW_TRY(multiply(b.keys, size, b.count, {b.m.dscore, b.a.most, true}, {b.m.content, size, false},
                    b.a.key_gradient + key_at(b, size), b.a.groups * size, true));
    GW_TRY(multiply(b.count, size, b.keys, {b.m.dscore, b.a.most, false},
                    {b.a.key + key_at(b, size), b.a.groups * size, false}, b.m.dcontent, size, false));
    if (b.a.table) GW_TRY(spread_to_positions(b));
    return gw_cuda_launch_elements(op, add_to_queries, b.count * size, b);
}

gw_status make_positions(const gw_distance_attention_args *args, const memory &m) {
    const int64_t width = args->heads * args->key_size;
    if (!args->table) return GW_OK;
    return multiply(2 * args->most - 1, width, args->features, {args->table, args->features, false},
                    {args->weight, args->features, true}, m.position, width, false);
}

gw_status each_block(const gw_distance_attention_args *args, const memory &m, gw_status (*run)(const block &b)) {
    for (int s = 0; s < args->sequences; s++)
        for (int64_t head = 0; head < args->heads; head++)
            for (int64_t first = 0; first < args->sequence[s].query_count; first += least(QUERIES, args->query_rows))
                GW_TRY(run(block_of(args, m, s, head, first)));
    return GW_OK;
}

} // namespace

int64_t gw_cuda_distance_attention_scratch(const gw_distance_attention_args *args) {
    return memory_of(args, false).floats;
}

int64_t gw_cuda_distance_attention_backward_scratch(const gw_distance_attention_args *args) {
    return memory_of(args, true).floats;
}

GW_CUDA_OP(distance_attention, gw_distance_attention_args) {
    const memory m = memory_of(args, false);
    GW_TRY(make_positions(args, m));
    return each_block(args, m, read_block);
}

GW_CUDA_OP(distance_attention_backward, gw_distance_attention_args) {
    const memory m = memory_of(args, true);
    const int64_t width = args->heads * args->key_size;
    GW_TRY(make_positions(args, m));
    if (args->table) GW_TRY(gw_cuda_zero(m.dposition, (2 * args->most - 1) * width * int64_t(sizeof(float))));
    GW_TRY(each_block(args, m, spread_block));
    if (!args->table) return GW_OK;
    return multiply(width, args->features, 2 * args->most - 1, {m.dposition, width, true},
                    {args->table, args->features, false}, args->weight_gradient, args->features, true);
}
