// SPDX-License-Identifier: MIT
// The rows that an edge reads: keys for its first product, and values for its second, in place or as pairs of bf16.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_ROWS_H
#define GW_KERNELS_CPU_ISA_ATTENTION_ROWS_H

#include "kernels/cpu/isa/attention_edge.h"
#include "kernels/cpu/isa/attention_pair.h"

typedef struct {
    void (*multiply)(const gw_tile_product *product);
    const float *key, *value;
    int64_t key_step;                     // from row to row
    int64_t value_step, value_depth_step; // from a number of the head to the next, and from row (or pair) to row
    int64_t key_depth, value_depth;       // numbers or pairs in a score; rows or pairs in an output
} gw_edge_rows;

GW_INLINE gw_edge_rows gw_rows_in_place(const gw_attention_args *args, const gw_edge *edge, int64_t block) {
    const int64_t row = edge->sequence->key_begin + block * edge->graph->block;
    const int64_t first = (int64_t)edge->head * args->head_size;
    return (gw_edge_rows){.multiply = gw_tile_multiply,
                          .key = args->key + row * args->key_stride + first,
                          .value = args->value + row * args->value_stride + first,
                          .key_step = args->key_stride,
                          .value_step = 1,
                          .value_depth_step = args->value_stride,
                          .key_depth = args->head_size,
                          .value_depth = gw_block_rows(edge->sequence->key_count, edge->graph->block, block)};
}

// The head's numbers in `count` rows of an array, in place.
GW_INLINE gw_prefetch gw_head_prefetch(const gw_attention_args *args, const float *array, int64_t stride, int64_t row,
                                       int64_t count, int head) {
    return (gw_prefetch){array + row * stride + (int64_t)head * args->head_size, stride, count, args->head_size};
}

GW_INLINE bool gw_has_pairs(const gw_attention_args *args) {
    return args->precision == GW_BF16 && gw_pairs.multiply;
}

// Called before and after a thread's products.
GW_INLINE void gw_begin_products(const gw_attention_args *args) {
    if (gw_has_pairs(args) && gw_pairs.begin) gw_pairs.begin();
}

GW_INLINE void gw_end_products(const gw_attention_args *args) {
    if (gw_has_pairs(args) && gw_pairs.end) gw_pairs.end();
}

// The rows of `block` in the workspace's pairs: keys [H][key_rows][pairs of D], then values [H][key_rows][D]. A block
// of b rows fills the first half as pairs: [b / 2][D] or, transposed, [D][b / 2].
GW_INLINE gw_edge_rows gw_rows_in_pairs(const gw_attention_args *args, const gw_edge *edge, int64_t block) {
    const int64_t row = edge->head * args->key_rows + edge->sequence->key_begin + block * edge->graph->block;
    const int64_t keys = gw_block_rows(edge->sequence->key_count, edge->graph->block, block);
    const int64_t depth = (args->head_size + 1) / 2, value_depth = (keys + 1) / 2;
    const float *keys_at = gw_attention_workspace_of(args)->pairs,
                *values = keys_at + args->heads * args->key_rows * depth;
    return (gw_edge_rows){.multiply = gw_pairs.multiply,
                          .key = keys_at + row * depth,
                          .value = values + row * args->head_size,
                          .key_step = depth,
                          .value_step = gw_pairs.turned ? value_depth : 1,
                          .value_depth_step = gw_pairs.turned ? 1 : args->head_size,
                          .key_depth = depth,
                          .value_depth = value_depth};
}

GW_INLINE gw_edge_rows gw_rows_of(const gw_attention_args *args, const gw_edge *edge, int64_t block) {
    return gw_has_pairs(args) ? gw_rows_in_pairs(args, edge, block) : gw_rows_in_place(args, edge, block);
}

#endif
