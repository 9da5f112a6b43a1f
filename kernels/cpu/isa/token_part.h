// SPDX-License-Identifier: MIT
// Data of a head of a sequence for attention over token graphs, and data of a query in its backward pass.
#ifndef GW_KERNELS_CPU_ISA_TOKEN_PART_H
#define GW_KERNELS_CPU_ISA_TOKEN_PART_H

#include "kernels/cpu/isa/row_sums.h"
#include "kernels/kernel.h"

// A head of a sequence.
typedef struct {
    const gw_token_attention_args *args;
    const gw_token_sequence *sequence;
    const gw_token_graph *graph;
    int64_t query, key;                       // offsets of the first row in queries and keys
    int64_t query_membership, key_membership; // offsets in memberships
    int64_t membership_stride, log_sum;
    int head;
} gw_token_part;

GW_INLINE gw_token_part gw_token_part_of(const gw_token_attention_args *args, int64_t item) {
    const gw_token_sequence *sequence = &args->sequence[item / args->heads];
    const int64_t head = item % args->heads, clusters = args->clusters, stride = args->heads * clusters;
    return (gw_token_part){.args = args,
                           .sequence = sequence,
                           .graph = &sequence->graph[head],
                           .query = sequence->query_begin * args->stride + head * args->head_size,
                           .key = sequence->key_begin * args->stride + head * args->head_size,
                           .query_membership = sequence->query_begin * stride + head * clusters,
                           .key_membership = sequence->key_begin * stride + head * clusters,
                           .membership_stride = stride,
                           .log_sum = head * args->query_rows + sequence->query_begin,
                           .head = (int)head};
}

// Data of a query in the backward pass.
typedef struct {
    int64_t i;
    const float *query, *out_gradient;
    float *query_gradient;
    float delta, log_sum, price; // price: of an edge
} gw_token_asked;

GW_INLINE gw_token_asked gw_token_asked_of(const gw_token_part *p, int64_t i) {
    const gw_token_attention_args *args = p->args;
    const int64_t row = p->query + i * args->stride;
    return (gw_token_asked){.i = i,
                            .query = args->query + row,
                            .out_gradient = args->out_gradient + row,
                            .query_gradient = args->query_gradient + row,
                            .delta = gw_row_product(args->out_gradient + row, args->out + row, args->head_size),
                            .log_sum = args->log_sum[p->log_sum + i],
                            .price = args->penalty / ((float)p->graph->queries * (float)p->graph->keys)};
}

#endif
