// SPDX-License-Identifier: MIT
// Block-graph attention with terms of where a key stands for a query: the plain kernels with these, always of f32. The
// segments of global tokens and the links of long ones, which lie on the host, are copied into scratch memory first;
// the stream is waited for.
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/scratch.h"

#include <vector>

namespace {

// Scratch memory: begins and ends of segments by row, and links, behind them (backward) delta [H][rows] and sums
// [H][rows][ids].
struct memory {
    int32_t *begin, *end, *linked;
    float *delta, *sums;
};

memory memory_of(const gw_relative_attention_args *args) {
    const int64_t rows = args->attention.query_rows;
    int32_t *begin = reinterpret_cast<int32_t *>(args->attention.scratch);
    float *delta = args->attention.scratch + 3 * rows;
    return {begin, begin + rows, begin + 2 * rows, delta, delta + args->attention.heads * rows};
}

gw_attention_args in_f32(const gw_relative_attention_args *args) {
    gw_attention_args a = args->attention;
    a.precision = GW_F32;
    return a;
}

std::vector<gpu_terms> terms_of(const gw_relative_attention_args *args, const memory &m) {
    std::vector<gpu_terms> terms;
    for (int s = 0; s < args->attention.sequences; s++) {
        const int64_t first = args->attention.sequence[s].query_begin;
        terms.push_back({args->embedding, args->bias, args->globals[s], args->distance, args->ids, m.begin + first,
                         m.end + first, args->linked ? m.linked + first : nullptr, m.sums});
    }
    return terms;
}

gw_status send_segments(const gw_relative_attention_args *args, const memory &m) {
    for (int s = 0; s < args->attention.sequences; s++) {
        const int64_t first = args->attention.sequence[s].query_begin,
                      bytes = args->globals[s] * int64_t(sizeof *m.begin);
        if (bytes == 0) continue;
        GW_TRY(gw_cuda_to_device(m.begin + first, args->segment_begin + first, bytes));
        GW_TRY(gw_cuda_to_device(m.end + first, args->segment_end + first, bytes));
    }
    if (!args->linked) return GW_OK;
    return gw_cuda_to_device(m.linked, args->linked, args->attention.query_rows * int64_t(sizeof *m.linked));
}

// A sequence's rows of one kind, whose sums go to the tables' gradients.
struct table_rows {
    gw_relative_attention_args r;
    int64_t begin, end, kind;
    const float *sums;
};

// dE[id] += scale sum over rows of sum[id] q, and db[id] += scale sum over rows of sum[id] as number D: a thread a
// number of a head and id.
__global__ void table_gradients(table_rows t) {
    const gw_attention_args &a = t.r.attention;
    const int64_t wide = a.head_size + 1, at = gpu_element(), d = at % wide, head = at / wide % a.heads;
    const int64_t id = at / wide / a.heads, row = (t.kind * t.r.ids + id) * a.heads + head;
    if (id >= t.r.ids) return;
    float sum = 0;
    for (int64_t i = t.begin; i < t.end; i++) {
        const float x = d < a.head_size ? a.query[i * a.query_stride + head * a.head_size + d] : 1.0f;
        sum += t.sums[(head * a.query_rows + i) * t.r.ids + id] * x;
    }
    float *to = d < a.head_size ? t.r.embedding_gradient + row * a.head_size + d : t.r.bias_gradient + row;
    *to += a.scale * sum;
}

gw_status add_to_tables(const gw_relative_attention_args *args, const memory &m) {
    const gw_attention_args &a = args->attention;
    for (int s = 0; s < a.sequences; s++) {
        const int64_t first = a.sequence[s].query_begin, middle = first + args->globals[s];
        const int64_t rows[] = {middle, first + a.sequence[s].query_count, first,
                                middle}; // of long rows, of global ones
        for (int kind = 0; kind < 2; kind++) {
            const table_rows t = {*args, rows[2 * kind], rows[2 * kind + 1], kind, m.sums};
            const int64_t count = args->ids * a.heads * (a.head_size + 1);
            if (t.begin < t.end)
                GW_TRY(gw_cuda_launch_elements("relative_attention_backward", table_gradients, count, t));
        }
    }
    return GW_OK;
}

} // namespace

int64_t gw_cuda_relative_attention_scratch(const gw_relative_attention_args *args) {
    return 3 * args->attention.query_rows;
}

int64_t gw_cuda_relative_attention_backward_scratch(const gw_relative_attention_args *args) {
    return (3 + args->attention.heads * (1 + args->ids)) * args->attention.query_rows;
}

GW_CUDA_OP(relative_attention, gw_relative_attention_args) {
    const memory m = memory_of(args);
    const gw_attention_args a = in_f32(args);
    GW_TRY(send_segments(args, m));
    return gw_cuda_attention_plain_all(&a, terms_of(args, m).data());
}

GW_CUDA_OP(relative_attention_backward, gw_relative_attention_args) {
    const memory m = memory_of(args);
    const gw_attention_args a = in_f32(args);
    GW_TRY(send_segments(args, m));
    GW_TRY(gw_cuda_attention_plain_backward(&a, terms_of(args, m).data(), m.delta));
    return add_to_tables(args, m);
}
