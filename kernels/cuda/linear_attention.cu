// SPDX-License-Identifier: MIT
// Attention by products of features. Blocks go through the rows of a head of a sequence CHUNK at a time, with a state
// in scratch memory of the rows that all of a chunk read: with values and gradients that have one more number,
//   v' = (v, 1),  a' = (a, b),  a = gradient / sum,  b = -(a . out)
//   S[f][d] = sum of key[f] v'[d],  out = query S / (query S)[last],  query_gradient[f] += S[f] . a'
//   T[f][d] = sum of query[f] a'[d],  key_gradient[f] += T[f] . v',   value_gradient += key T
// Where it is causal one block has all of it, and the rows of a chunk read each other as well, pair by pair; else up
// to PARTS of them sum parts of the state, which are added in their order, and then share out the chunks.
#include "kernels/cuda/parts.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/sequences.h"

#include <float.h>

namespace {

enum { CHUNK = 32, PARTS = 16, PART_ROWS = 128 }; // of a part: at least

// Of a' of a chunk's rows: 1 / sum, and b.
struct chunk_shares {
    float inverse[CHUNK], rest[CHUNK];
};

GPU_FN chunk_shares &shared_shares() {
    __shared__ chunk_shares shares;
    return shares;
}

struct work {
    gw_linear_attention_args a;
    int64_t head, begin, end; // rows
    float *state;             // [features][size + 1]
    chunk_shares *shares;     // of the rows from `first`
    int64_t first;
};

// Parts of so many rows.
GPU_FN int64_t parts_of(int64_t rows) {
    const int64_t parts = (rows + PART_ROWS - 1) / PART_ROWS;
    return parts < 1 ? 1 : parts > PARTS ? int64_t(PARTS) : parts;
}

// How many states there are of the rows before a sequence: as many as their parts, or more.
__host__ __device__ inline int64_t states_before(const gw_linear_attention_args &a, int64_t sequence, int64_t row) {
    return a.heads * (sequence + (a.causal ? 0 : row / PART_ROWS));
}

// With the first of the states that belong to the block's head of a sequence.
GPU_FN work work_of(const gw_linear_attention_args &a, chunk_shares *shares) {
    const int64_t s = blockIdx.x, head = blockIdx.y, begin = a.start[s], end = a.start[s + 1];
    const int64_t own = a.causal ? 1 : parts_of(end - begin), state = states_before(a, s, begin) + head * own;
    return {a, head, begin, end, a.scratch + state * a.features * (a.size + 1), shares, 0};
}

GPU_FN const float *features_of(const work &w, const float *rows, int64_t row) {
    return rows + (row * w.a.heads + w.head) * w.a.features;
}
GPU_FN int64_t values_at(const work &w, int64_t row) {
    return (row * w.a.heads + w.head) * w.a.size;
}

// A sum of 0 is one of features that all vanish: the row reads nothing then.
GPU_FN float inverse_of(float sum) {
    return sum < FLT_MIN ? 0 : 1 / sum;
}

struct values { // v' of a row
    static __device__ void prepare(work &, int64_t, int64_t) {}
    static __device__ float of(const work &w, int64_t row, int64_t d) {
        return d < w.a.size ? w.a.value[values_at(w, row) + d] : 1.0f;
    }
};

GPU_FN float gradient_product(const work &w, int64_t row) {
    const int64_t at = values_at(w, row);
    float sum = 0;
    for (int64_t i = 0; i < w.a.size; i++) sum += w.a.out_gradient[at + i] * w.a.out[at + i];
    return sum;
}

struct shares { // a' of a row
    // Of the chunk's rows from now on. The whole block calls it.
    static __device__ void prepare(work &w, int64_t first, int64_t end) {
        const int64_t row = first + threadIdx.x;
        __syncthreads(); // the last have been read
        w.first = first;
        if (row < end) {
            const float inverse = inverse_of(w.a.sum[row * w.a.heads + w.head]);
            w.shares->inverse[threadIdx.x] = inverse;
            w.shares->rest[threadIdx.x] = -inverse * gradient_product(w, row);
        }
        __syncthreads();
    }
    static __device__ float of(const work &w, int64_t row, int64_t d) {
        const int64_t i = row - w.first;
        return d < w.a.size ? w.shares->inverse[i] * w.a.out_gradient[values_at(w, row) + d] : w.shares->rest[i];
    }
};

// body(f, d) for the thread's numbers of the state.
template <typename F> GPU_FN void each_state(const work &w, F body) {
    const int64_t wide = w.a.size + 1;
    for (int64_t i = threadIdx.x; i < w.a.features * wide; i += GW_CUDA_THREADS) body(w.state[i], i / wide, i % wide);
}

GPU_FN void clear(const work &w) {
    each_state(w, [](float &state, int64_t, int64_t) { state = 0; });
    __syncthreads();
}

// state[f][d] += sum over rows of left[f] R[d]
template <typename R> GPU_FN void add_rows(const work &w, const float *left, int64_t begin, int64_t end) {
    __syncthreads(); // the state has been read
    each_state(w, [&](float &state, int64_t f, int64_t d) {
        float sum = 0;
        for (int64_t r = begin; r < end; r++) sum += features_of(w, left, r)[f] * R::of(w, r, d);
        state += sum;
    });
    __syncthreads();
}

// The state of a part of the rows.
template <typename R> __global__ void sum_part(gw_linear_attention_args a, const float *left) {
    work w = work_of(a, &shared_shares());
    const int64_t rows = w.end - w.begin, parts = parts_of(rows);
    if (blockIdx.z >= parts) return; // a whole block
    const gpu_part mine = gpu_part_of(rows, parts, blockIdx.z);
    const int64_t begin = w.begin + mine.first, end = w.begin + mine.end;
    w.state += int64_t(blockIdx.z) * a.features * (a.size + 1);
    clear(w);
    for (int64_t first = begin; first < end; first += CHUNK) {
        R::prepare(w, first, min(first + CHUNK, end));
        add_rows<R>(w, left, first, min(first + CHUNK, end));
    }
}

// The first part becomes the sum of all.
__global__ void add_part_states(gw_linear_attention_args a) {
    const work w = work_of(a, nullptr);
    const int64_t floats = a.features * (a.size + 1), parts = parts_of(w.end - w.begin);
    each_state(w, [&](float &state, int64_t, int64_t) {
        float sum = state;
        for (int64_t part = 1; part < parts; part++) sum += (&state)[part * floats];
        state = sum;
    });
}

// What the rows of a chunk read of each other: of row first + i and the later of both.
typedef float pairs[CHUNK][CHUNK];

GPU_FN float product(const float *x, const float *y, int64_t count) {
    float sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

// pair[i][j] = body(first + i, first + j), of the rows of a chunk.
template <typename F> GPU_FN void make_pairs(pairs &pair, int64_t first, int64_t end, F body) {
    __syncthreads(); // the last have been read
    for (int k = threadIdx.x; k < CHUNK * CHUNK; k += GW_CUDA_THREADS) {
        const int64_t i = first + k / CHUNK, j = first + k % CHUNK;
        if (i < end && j < end) pair[k / CHUNK][k % CHUNK] = body(i, j);
    }
    __syncthreads();
}

// body(row, i) for the numbers i < count of the chunk's rows.
template <typename F> GPU_FN void each_number(int64_t first, int64_t end, int64_t count, F body) {
    for (int64_t k = threadIdx.x; k < (end - first) * count; k += GW_CUDA_THREADS) body(first + k / count, k % count);
}

GPU_FN float read_state(const work &w, const float *left, int64_t d) {
    float sum = 0;
    for (int64_t f = 0; f < w.a.features; f++) sum += left[f] * w.state[f * (w.a.size + 1) + d];
    return sum;
}

// ---- forward

GPU_FN void write_sums(const work &w, const pairs &pair, int64_t first, int64_t end) {
    each_number(first, end, 1, [&](int64_t r, int64_t) {
        float sum = read_state(w, features_of(w, w.a.query, r), w.a.size);
        for (int64_t j = first; j <= r && w.a.causal; j++) sum += pair[r - first][j - first];
        w.a.sum[r * w.a.heads + w.head] = sum;
    });
    __syncthreads();
}

GPU_FN void write_outs(const work &w, const pairs &pair, int64_t first, int64_t end) {
    each_number(first, end, w.a.size, [&](int64_t r, int64_t d) {
        float sum = read_state(w, features_of(w, w.a.query, r), d);
        for (int64_t j = first; j <= r && w.a.causal; j++) sum += pair[r - first][j - first] * values::of(w, j, d);
        w.a.out[values_at(w, r) + d] = sum * inverse_of(w.a.sum[r * w.a.heads + w.head]);
    });
}

__global__ void linear_attention(gw_linear_attention_args a) {
    __shared__ pairs pair;
    const work w = work_of(a, nullptr);
    if (a.causal) clear(w);
    for (int64_t first = w.begin + blockIdx.z * CHUNK; first < w.end; first += gridDim.z * CHUNK) {
        const int64_t end = min(first + CHUNK, w.end);
        if (a.causal)
            make_pairs(pair, first, end, [&](int64_t i, int64_t j) {
                return product(features_of(w, a.query, i), features_of(w, a.key, j), a.features);
            });
        write_sums(w, pair, first, end);
        write_outs(w, pair, first, end);
        if (a.causal) add_rows<values>(w, a.key, first, end);
    }
}

// ---- backward

// a'_i . v'_j
GPU_FN float share_product(const work &w, int64_t i, int64_t j) {
    float sum = shares::of(w, i, w.a.size);
    for (int64_t d = 0; d < w.a.size; d++) sum += shares::of(w, i, d) * values::of(w, j, d);
    return sum;
}

// gradient[f] += state[f] . R(row)
template <typename R> GPU_FN float feature_gradient(const work &w, int64_t row, int64_t f) {
    float sum = 0;
    for (int64_t d = 0; d <= w.a.size; d++) sum += w.state[f * (w.a.size + 1) + d] * R::of(w, row, d);
    return sum;
}

__global__ void spread_to_queries(gw_linear_attention_args a) {
    __shared__ pairs pair;
    work w = work_of(a, &shared_shares());
    if (a.causal) clear(w);
    for (int64_t first = w.begin + blockIdx.z * CHUNK; first < w.end; first += gridDim.z * CHUNK) {
        const int64_t end = min(first + CHUNK, w.end);
        shares::prepare(w, first, end);
        if (a.causal) make_pairs(pair, first, end, [&](int64_t i, int64_t j) { return share_product(w, i, j); });
        each_number(first, end, a.features, [&](int64_t r, int64_t f) {
            float sum = feature_gradient<shares>(w, r, f);
            for (int64_t j = first; j <= r && a.causal; j++)
                sum += pair[r - first][j - first] * features_of(w, a.key, j)[f];
            a.query_gradient[(r * a.heads + w.head) * a.features + f] += sum;
        });
        if (a.causal) add_rows<values>(w, a.key, first, end);
    }
}

GPU_FN void spread_to_keys(const work &w, pairs &pair, int64_t first, int64_t end) {
    const gw_linear_attention_args &a = w.a;
    if (a.causal) make_pairs(pair, first, end, [&](int64_t i, int64_t j) { return share_product(w, i, j); });
    each_number(first, end, a.features, [&](int64_t r, int64_t f) {
        float sum = feature_gradient<values>(w, r, f);
        for (int64_t i = r; i < end && a.causal; i++) sum += pair[i - first][r - first] * features_of(w, a.query, i)[f];
        a.key_gradient[(r * a.heads + w.head) * a.features + f] += sum;
    });
}

GPU_FN void spread_to_values(const work &w, pairs &pair, int64_t first, int64_t end) {
    const gw_linear_attention_args &a = w.a;
    if (a.causal)
        make_pairs(pair, first, end, [&](int64_t i, int64_t j) {
            return product(features_of(w, a.query, i), features_of(w, a.key, j), a.features);
        });
    each_number(first, end, a.size, [&](int64_t r, int64_t d) {
        float sum = read_state(w, features_of(w, a.key, r), d);
        for (int64_t i = r; i < end && a.causal; i++) sum += pair[i - first][r - first] * shares::of(w, i, d);
        a.value_gradient[values_at(w, r) + d] += sum;
    });
}

// Where it is causal from the last chunk to the first.
__global__ void spread_to_keys_and_values(gw_linear_attention_args a) {
    __shared__ pairs pair;
    work w = work_of(a, &shared_shares());
    const int64_t chunks = (w.end - w.begin + CHUNK - 1) / CHUNK;
    if (a.causal) clear(w);
    for (int64_t c = chunks - 1 - blockIdx.z; c >= 0; c -= gridDim.z) {
        const int64_t first = w.begin + c * CHUNK, end = min(first + CHUNK, w.end);
        shares::prepare(w, first, end);
        spread_to_keys(w, pair, first, end);
        spread_to_values(w, pair, first, end);
        if (a.causal) add_rows<shares>(w, a.query, first, end);
    }
}

gw_status launch(const char *op, void (*kernel)(gw_linear_attention_args), const gw_linear_attention_args &a) {
    return gw_cuda_launch_chunks(op, kernel, a.sequences, a.heads, a.causal ? 1 : int(PARTS), a);
}

// S or T of whole sequences, where it is not causal.
template <typename R> gw_status sum_state(const char *op, const gw_linear_attention_args &a, const float *left) {
    if (a.causal) return GW_OK;
    GW_TRY(gw_cuda_launch_chunks(op, sum_part<R>, a.sequences, a.heads, PARTS, a, left));
    return gw_cuda_launch_whole_sequences(op, add_part_states, a.sequences, a.heads, a);
}

} // namespace

int64_t gw_cuda_linear_attention_scratch(const gw_linear_attention_args *args) {
    return states_before(*args, args->sequences, args->rows) * args->features * (args->size + 1);
}

GW_CUDA_OP(linear_attention, gw_linear_attention_args) {
    GW_TRY(sum_state<values>("linear_attention", *args, args->key));
    return launch("linear_attention", linear_attention, *args);
}

GW_CUDA_OP(linear_attention_backward, gw_linear_attention_args) {
    static const char name[] = "linear_attention_backward";
    GW_TRY(sum_state<values>(name, *args, args->key));
    GW_TRY(launch(name, spread_to_queries, *args));
    GW_TRY(sum_state<shares>(name, *args, args->query));
    return launch(name, spread_to_keys_and_values, *args);
}
