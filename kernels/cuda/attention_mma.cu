// SPDX-License-Identifier: MIT
// A thread block takes one query block of one head and walks its list of key blocks (FlashAttention-2's order: Dao,
// 2023). Four warps hold 16 query rows each; keys and values come by cp.async, two stages deep; products are
// mma.sync m16n8k16; scores never leave registers, since the accumulator of Q K^T is the A operand of P V; the softmax
// is online and in base 2.
#include "kernels/cuda/attention_mma.h"

namespace {

constexpr int B = GW_MMA_BLOCK, D = GW_MMA_HEAD, THREADS = GW_MMA_THREADS, CHUNK = 8;
constexpr float NONE = -INFINITY, LOG2_E = 1.4426950408889634f, LN_2 = 0.6931471805599453f;

// 64 rows of 64 numbers, 8 chunks of 16 bytes a row; chunk c of row r lies at c ^ (r & 7): no bank conflicts.
struct tile {
    uint16_t number[B * D];
};
struct shared_memory {
    tile query, key[2], value[2];
};
// Of the two rows, lane / 4 and lane / 4 + 8 of the warp's 16, whose numbers a lane holds a fourth of.
struct running {
    float out[D / 8][4], most[2], sum[2];
};
typedef float scores[B / 8][4];

GPU_FN uint16_t *chunk_of(tile &t, int row, int chunk) {
    return t.number + row * D + ((chunk ^ (row & 7)) * CHUNK);
}

// Rows first.. of one head; those at and past `rows` are zeros.
GPU_FN void load(tile &to, const uint16_t *from, int64_t stride, int first, int rows) {
    constexpr int STEP = THREADS / 8; // a thread's rows, of which the swizzle is the same
    const int row = int(threadIdx.x) >> 3, chunk = int(threadIdx.x) & 7;
    uint16_t *const target = chunk_of(to, row, chunk);
    const uint16_t *const source = from + int64_t(first + row) * stride + chunk * CHUNK;
#pragma unroll
    for (int i = 0; i < B / STEP; i++) {
        const bool inside = first + row + i * STEP < rows;
        gpu_cp_async16(target + i * STEP * D, inside ? source + i * STEP * stride : from, inside ? 16 : 0);
    }
}

GPU_FN void load_pair(shared_memory &s, int stage, const gw_mma_attention &a, int head, int column) {
    load(s.key[stage], a.key + head * D, a.stride, column * B, a.keys);
    load(s.value[stage], a.value + head * D, a.stride, column * B, a.keys);
}

// The warp's 16 rows, as operands A.
GPU_FN void load_query(uint32_t (&q)[D / 16][4], tile &from) {
    const int warp = int(threadIdx.x) >> 5, lane = int(threadIdx.x) & 31, matrix = lane >> 3, r = lane & 7;
#pragma unroll
    for (int k = 0; k < D / 16; k++)
        gpu_ldmatrix_x4(q[k], chunk_of(from, warp * 16 + (matrix & 1) * 8 + r, 2 * k + (matrix >> 1)));
}

// z = q k^T
GPU_FN void multiply_keys(scores &z, const uint32_t (&q)[D / 16][4], tile &key) {
    const int lane = int(threadIdx.x) & 31, matrix = lane >> 3, r = lane & 7;
#pragma unroll
    for (int j = 0; j < B / 8; j++)
        for (int i = 0; i < 4; i++) z[j][i] = 0.0f;
#pragma unroll
    for (int k = 0; k < D / 16; k++)
#pragma unroll
        for (int j = 0; j < B / 16; j++) {
            uint32_t b[4];
            gpu_ldmatrix_x4(b, chunk_of(key, j * 16 + (matrix >> 1) * 8 + r, 2 * k + (matrix & 1)));
            gpu_mma_bf16(z[2 * j], q[k], b[0], b[1]);
            gpu_mma_bf16(z[2 * j + 1], q[k], b[2], b[3]);
        }
}

// Scores in base 2; none of keys past the `left` ones that are there.
GPU_FN void scale_scores(scores &z, float scale, float more, int left) {
#pragma unroll
    for (int j = 0; j < B / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int number = j * 8 + (int(threadIdx.x) & 3) * 2 + (i & 1);
            z[j][i] = z[j][i] * scale + more;
            if (number >= left) z[j][i] = NONE;
        }
}

// Of the four lanes that share a row.
GPU_FN float quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
GPU_FN float quad_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Scores become weights, and what was summed so far shrinks to their base.
GPU_FN void take_softmax(scores &z, running &row) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float high = row.most[h];
#pragma unroll
        for (int j = 0; j < B / 8; j++) high = fmaxf(high, fmaxf(z[j][2 * h], z[j][2 * h + 1]));
        high = quad_max(high);
        const float base = high == NONE ? 0.0f : high, shrink = gpu_exp2(row.most[h] - base);
        row.most[h] = high;
        row.sum[h] *= shrink;
#pragma unroll
        for (int j = 0; j < B / 8; j++) {
            z[j][2 * h] = gpu_exp2(z[j][2 * h] - base);
            z[j][2 * h + 1] = gpu_exp2(z[j][2 * h + 1] - base);
            row.sum[h] += z[j][2 * h] + z[j][2 * h + 1];
            row.out[j][2 * h] *= shrink;
            row.out[j][2 * h + 1] *= shrink;
        }
    }
}

// out += weights v
GPU_FN void add_values(running &row, const scores &z, tile &value) {
    const int lane = int(threadIdx.x) & 31, matrix = lane >> 3, r = lane & 7;
#pragma unroll
    for (int k = 0; k < B / 16; k++) {
        const uint32_t p[4] = {gpu_pack_bf16(z[2 * k][0], z[2 * k][1]), gpu_pack_bf16(z[2 * k][2], z[2 * k][3]),
                               gpu_pack_bf16(z[2 * k + 1][0], z[2 * k + 1][1]),
                               gpu_pack_bf16(z[2 * k + 1][2], z[2 * k + 1][3])};
#pragma unroll
        for (int j = 0; j < D / 16; j++) {
            uint32_t b[4];
            gpu_ldmatrix_x4_trans(b, chunk_of(value, k * 16 + (matrix & 1) * 8 + r, 2 * j + (matrix >> 1)));
            gpu_mma_bf16(row.out[2 * j], p, b[0], b[1]);
            gpu_mma_bf16(row.out[2 * j + 1], p, b[2], b[3]);
        }
    }
}

GPU_FN void write_row(float *to, const running &row, int h, float part, bool in_twos) {
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        const float2 two = {row.out[j][2 * h] * part, row.out[j][2 * h + 1] * part};
        if (in_twos) *reinterpret_cast<float2 *>(to + j * 8) = two;
        else to[j * 8] = two.x, to[j * 8 + 1] = two.y;
    }
}

GPU_FN void write(const gw_mma_attention &a, const running &row, int block, int head) {
    const int warp = int(threadIdx.x) >> 5, lane = int(threadIdx.x) & 31;
    const bool in_twos = a.out_stride % 2 == 0 && reinterpret_cast<uintptr_t>(a.out) % sizeof(float2) == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float all = quad_sum(row.sum[h]);
        const int number = block * B + warp * 16 + (lane >> 2) + 8 * h;
        if (number >= a.queries) continue;
        float *to = a.out + int64_t(number) * a.out_stride + head * D + (lane & 3) * 2;
        write_row(to, row, h, all > 0.0f ? 1.0f / all : 0.0f, in_twos);
        if ((lane & 3) == 0)
            a.log_sum[head * a.log_sum_stride + number] = all > 0.0f ? (row.most[h] + gpu_log2(all)) * LN_2 : NONE;
    }
}

} // namespace

extern "C" __global__ void __launch_bounds__(GW_MMA_THREADS) gw_attention_mma(gw_mma_attention a) {
    GPU_SHARED(shared_memory, s);
    const int block = int(blockIdx.x), head = int(blockIdx.y);
    const int64_t first = a.row_start[block], last = a.row_start[block + 1];
    load(s.query, a.query + head * D, a.stride, block * B, a.queries);
    if (first < last) load_pair(s, 0, a, head, a.column[first]);
    gpu_cp_async_commit();

    uint32_t q[D / 16][4] = {};
    running row = {{}, {NONE, NONE}, {0.0f, 0.0f}};
    for (int64_t e = first; e < last; e++) {
        const int stage = int(e - first) & 1;
        if (e + 1 < last) load_pair(s, stage ^ 1, a, head, a.column[e + 1]);
        gpu_cp_async_commit();
        gpu_cp_async_wait<1>(); // for all but the next stage
        __syncthreads();
        if (e == first) load_query(q, s.query);
        scores z;
        multiply_keys(z, q, s.key[stage]);
        const float more = a.log_multiplicity ? a.log_multiplicity[e] * LOG2_E : 0.0f;
        scale_scores(z, a.scale * LOG2_E, more, a.keys - a.column[e] * B);
        take_softmax(z, row);
        add_values(row, z, s.value[stage]);
        __syncthreads(); // the next round's loads overwrite what this one read
    }
    gpu_cp_async_wait<0>(); // of a query block without keys
    write(a, row, block, head);
}

bool gw_mma_attention_fits(const gw_attention_args *args) {
    return args->precision == GW_BF16 && args->block == B && args->head_size == D;
}

bool gw_mma_attention_takes(const gw_attention_args *args, const gw_attention_sequence *s) {
    for (int head = 0; head < (s->graph_step ? args->heads : 1); head++)
        if (s->graphs[head]->kind) return false;
    return gw_mma_attention_fits(args);
}

gw_status gw_mma_attention_launch(const gw_mma_attention *a, int heads) {
    if (a->queries == 0) return GW_OK;
    const dim3 grid(unsigned((a->queries + B - 1) / B), unsigned(heads));
    return gw_cuda_status(gpu_launch(gw_attention_mma, grid, dim3(THREADS), sizeof(shared_memory), gw_cuda_stream, *a),
                          "attention");
}
