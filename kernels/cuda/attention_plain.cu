// SPDX-License-Identifier: MIT
// Attention of any block graph: each warp walks the edges of one query row, 32 keys at a time, with an online softmax;
// lanes hold one key each for the scores, and numbers of the head for the sums. Heads wider than PART are computed in
// parts, each of which takes the scores anew.
#include "kernels/cuda/attention_plain.h"

#include "kernels/cuda/attention_edge.h"

namespace {

enum { PART = 128, NUMBERS = PART / GW_CUDA_WARP };

struct plain_args {
    gw_attention_args a;
    gw_attention_sequence s;
    gw_graph graph;
    int head, parts;
};

struct row_state {
    float most, sum, out[NUMBERS]; // of the row; numbers lane, lane + 32 ... of the part
};

GPU_FN float rounded(float x, bool bf16) {
    return bf16 ? __uint_as_float(gpu_pack_bf16(0.0f, x)) : x;
}

GPU_FN float dot(const plain_args &p, const float *query, const float *key) {
    const bool bf16 = p.a.precision == GW_BF16;
    float sum = 0;
    for (int d = 0; d < p.a.head_size; d++) sum += rounded(query[d], bf16) * rounded(key[d], bf16);
    return sum;
}

GPU_FN bool reads(const plain_args &p, int64_t edge, int64_t i, int64_t j) {
    return j < p.s.key_count && gpu_edge_reads(p.graph, edge, i, j);
}

GPU_FN float score(const plain_args &p, int head, int64_t edge, int64_t i, int64_t j) {
    const int64_t at = int64_t(head) * p.a.head_size;
    const float *query = p.a.query + (p.s.query_begin + i) * p.a.query_stride + at;
    const float *key = p.a.key + (p.s.key_begin + j) * p.a.key_stride + at;
    const float more = p.graph.log_multiplicity ? p.graph.log_multiplicity[edge] : 0.0f;
    return p.a.scale * dot(p, query, key) + more;
}

// A number of each lane, for the whole warp to read.
typedef float warp_numbers[GW_CUDA_WARP];
GPU_FN warp_numbers &exchange(float number) {
    __shared__ warp_numbers of_warp[GW_CUDA_ROWS];
    warp_numbers &mine = of_warp[threadIdx.x >> 5];
    __syncwarp(); // the last exchange has been read
    mine[gpu_lane()] = number;
    __syncwarp();
    return mine;
}

// Adds up to 32 keys, of which the lane's has weight e^z.
GPU_FN void add_keys(const plain_args &p, row_state &row, float z, const float *value, int count, int numbers) {
    const bool bf16 = p.a.precision == GW_BF16;
    const float most = fmaxf(row.most, gpu_warp_max(z));
    if (most == -INFINITY) return; // the whole warp: none of the row's keys so far is read
    const float shrink = expf(row.most - most), weight = expf(z - most);
    row.most = most;
    row.sum = row.sum * shrink + gpu_warp_sum(weight);
    for (float &x : row.out) x *= shrink;
    const warp_numbers &weights = exchange(weight);
    for (int k = 0; k < count; k++) {
        const float w = weights[k];
        if (w == 0.0f) continue; // what is not read may be NaN
        for (int n = 0; n < NUMBERS; n++) {
            const int d = n * GW_CUDA_WARP + gpu_lane();
            if (d < numbers) row.out[n] += w * rounded(value[k * p.a.value_stride + d], bf16);
        }
    }
}

GPU_FN void add_edge(const plain_args &p, row_state &row, int head, int part, int64_t edge, int64_t i) {
    const int64_t block = p.graph.block, first = p.graph.column[edge] * block;
    const int numbers = min(int(PART), p.a.head_size - part * PART);
    for (int64_t begin = first; begin < first + block && begin < p.s.key_count; begin += GW_CUDA_WARP) {
        const int64_t end = min(min(begin + int64_t(GW_CUDA_WARP), first + block), p.s.key_count),
                      j = begin + gpu_lane();
        const float z = j < end && reads(p, edge, i, j) ? score(p, head, edge, i, j) : -INFINITY;
        const float *value = p.a.value + (p.s.key_begin + begin) * p.a.value_stride + int64_t(head) * p.a.head_size;
        add_keys(p, row, z, value + part * PART, int(end - begin), numbers);
    }
}

GPU_FN void write_row(const plain_args &p, const row_state &row, int head, int part, int64_t i) {
    const int64_t at = p.s.query_begin + i;
    float *out = p.a.out + at * p.a.out_stride + int64_t(head) * p.a.head_size;
    for (int n = 0; n < NUMBERS; n++) {
        const int d = part * PART + n * GW_CUDA_WARP + gpu_lane();
        if (d < p.a.head_size) out[d] = row.sum > 0.0f ? row.out[n] / row.sum : 0.0f;
    }
    if (gpu_lane() == 0 && part == 0)
        p.a.log_sum[int64_t(head) * p.a.query_rows + at] = row.sum > 0.0f ? row.most + logf(row.sum) : -INFINITY;
}

__global__ void attention_plain(plain_args p) {
    const int64_t i = gpu_row();
    if (i >= p.s.query_count) return; // a whole warp
    const int head = p.head + int(blockIdx.y) / p.parts, part = int(blockIdx.y) % p.parts;
    const int64_t block_row = i / p.graph.block;
    row_state row = {-INFINITY, 0.0f, {}};
    for (int64_t e = p.graph.row_start[block_row]; e < p.graph.row_start[block_row + 1]; e++)
        add_edge(p, row, head, part, e, i);
    write_row(p, row, head, part, i);
}

} // namespace

gw_status gw_cuda_attention_plain(const gw_attention_args *args, const gw_attention_sequence *s, int head, int heads) {
    const int parts = int(gw_cuda_divide(args->head_size, PART));
    const plain_args p = {*args, *s, *s->graphs[head * s->graph_step], head, parts};
    const dim3 grid(unsigned(gw_cuda_divide(s->query_count, GW_CUDA_ROWS)), unsigned(heads * parts));
    if (s->query_count == 0) return GW_OK;
    const dim3 block(GW_CUDA_ROWS * GW_CUDA_WARP);
    return gw_cuda_status(gpu_launch(attention_plain, grid, block, 0, gw_cuda_stream, p), "attention");
}
