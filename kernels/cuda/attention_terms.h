// SPDX-License-Identifier: MIT
// Attention of one sequence for the plain kernels, with or without terms of relative positions
// (gw_relative_attention_args).
#ifndef GW_KERNELS_CUDA_ATTENTION_TERMS_H
#define GW_KERNELS_CUDA_ATTENTION_TERMS_H

#include "kernels/cuda/attention_edge.h"
#include "kernels/cuda/attention_row.h"

struct gpu_terms {
    const float *embedding, *bias; // NULL: no terms
    int64_t globals, distance, ids;
    const int32_t *segment_begin, *segment_end; // [globals], of the sequence; device memory
    const int32_t *linked;                      // [rows], of the sequence; device memory; NULL: none is
    float *sums;                                // backward: [H][rows][ids] sums of dz by id
};

struct gpu_attention {
    gw_attention_args a;
    gw_attention_sequence s;
    gw_graph graph;
    int head, parts; // a launch takes heads from `head` on, each in `parts` parts
    gpu_terms terms;
};

GPU_FN int64_t gpu_id_of_distance(const gpu_terms &t, int64_t i, int64_t j) {
    return j >= i ? min(j - i, t.distance) : t.distance + min(i - j, t.distance);
}

GPU_FN int64_t gpu_id_of(const gpu_terms &t, int64_t i, int64_t j) {
    const bool query_is_global = i < t.globals;
    if (query_is_global == (j < t.globals)) return gpu_id_of_distance(t, i, j);
    const int64_t global = query_is_global ? i : j, other = query_is_global ? j : i, begin = t.segment_begin[global];
    if (t.linked && t.linked[other] == global) return 2 * t.distance + 2;
    if (begin < 0) return 2 * t.distance + 3;
    return 2 * t.distance + 1 + (begin <= other && other < t.segment_end[global]);
}

// The rows of the tables for query i: embedding and bias.
GPU_FN int64_t gpu_table_row(const gpu_attention &p, int head, int64_t i, int64_t id) {
    return ((i < p.terms.globals) * p.terms.ids + id) * p.a.heads + head;
}

GPU_FN bool gpu_reads(const gpu_attention &p, int64_t edge, int64_t i, int64_t j) {
    return i < p.s.query_count && j < p.s.key_count && gpu_edge_reads(gpu_edge_of(p.graph, edge), int(i), int(j));
}

GPU_FN const float *gpu_query(const gpu_attention &p, int head, int64_t i) {
    return p.a.query + (p.s.query_begin + i) * p.a.query_stride + int64_t(head) * p.a.head_size;
}
GPU_FN const float *gpu_key(const gpu_attention &p, int head, int64_t j) {
    return p.a.key + (p.s.key_begin + j) * p.a.key_stride + int64_t(head) * p.a.head_size;
}
GPU_FN const float *gpu_value(const gpu_attention &p, int head, int64_t j) {
    return p.a.value + (p.s.key_begin + j) * p.a.value_stride + int64_t(head) * p.a.head_size;
}

// The score z_ij of an edge. id: the row of the terms, if there are terms.
template <bool relative> GPU_FN float gpu_score(const gpu_attention &p, int head, int64_t edge, int64_t i, int64_t j) {
    const float *query = gpu_query(p, head, i);
    float product = gpu_dot(query, gpu_key(p, head, j), p.a.head_size, p.a.precision == GW_BF16);
    if (relative) {
        const int64_t row = gpu_table_row(p, head, i, gpu_id_of(p.terms, i, j));
        product += gpu_dot(query, p.terms.embedding + row * p.a.head_size, p.a.head_size, false) + p.terms.bias[row];
    }
    return p.a.scale * product + (p.graph.log_multiplicity ? p.graph.log_multiplicity[edge] : 0.0f);
}

#endif
