// SPDX-License-Identifier: MIT
// Sizes and offsets in the scratch memory of distance attention.
#include "kernels/cpu/distance_work.h"

#include "base/number.h"
#include "base/parallel.h"
#include "kernels/cpu/matmul/gemm_onednn.h"

#include <stddef.h>

// oneDNN's tiles have at most so many columns: the scratch memory of products grows with n in steps of them.
enum { TILE_COLUMNS = 768 };

static int64_t round_up(int64_t count, int64_t step) {
    return (count + step - 1) / step * step;
}

static int64_t distances(const gw_distance_attention_args *args) {
    return args->table ? 2 * args->most - 1 : 0;
}

gw_gemm_args gw_distance_positions(const gw_distance_attention_args *args, float *position) {
    const int64_t width = args->heads * args->key_size;
    return (gw_gemm_args){.transpose_b = true,
                          .m = distances(args),
                          .n = width,
                          .k = args->features,
                          .a = args->table,
                          .a_stride = args->features,
                          .b = args->weight,
                          .b_stride = args->features,
                          .c = position,
                          .c_stride = width};
}

gw_gemm_args gw_distance_weight_gradient(const gw_distance_attention_args *args, const float *gradient) {
    const int64_t width = args->heads * args->key_size;
    return (gw_gemm_args){.transpose_a = true,
                          .accumulate = true,
                          .m = width,
                          .n = args->features,
                          .k = distances(args),
                          .a = gradient,
                          .a_stride = width,
                          .b = args->table,
                          .b_stride = args->features,
                          .c = args->weight_gradient,
                          .c_stride = args->features};
}

static int64_t table_floats(const gw_distance_attention_args *args) {
    return round_up(distances(args) * args->heads * args->key_size, GW_DISTANCE_FILL);
}

static int64_t table_product_floats(const gw_distance_attention_args *args, bool backward) {
    const gw_gemm_args positions = gw_distance_positions(args, NULL), weights = gw_distance_weight_gradient(args, NULL);
    if (!args->table) return 0;
    const int64_t forward = gw_gemm_onednn_scratch(&positions);
    return round_up(backward ? gw_max(forward, gw_gemm_onednn_scratch(&weights)) : forward, GW_DISTANCE_FILL);
}

// Of the products of a thread: of any number of rows, and so many columns and depth at most.
static int64_t product_floats(const gw_distance_attention_args *args, int64_t widest) {
    const int64_t of_panels = GW_DISTANCE_DEPTH / 2 * (GW_DISTANCE_LINES + GW_DISTANCE_PANEL);
    const gw_gemm_args most = {
        .m = 1, .n = round_up(gw_max(widest, args->value_size), TILE_COLUMNS), .k = gw_max(widest, args->value_size)};
    return round_up(gw_max(of_panels, gw_gemm_onednn_scratch(&most)), GW_DISTANCE_FILL);
}

// Floats of a thread's rows of each kind.
typedef struct {
    int64_t score_stride, term_stride, narrow, scores, terms, product;
} row_floats;

static row_floats floats_of(const gw_distance_attention_args *args) {
    row_floats f = {.score_stride = round_up(args->most, GW_DISTANCE_FILL),
                    .term_stride = round_up(args->most + GW_DISTANCE_QUERIES, GW_DISTANCE_FILL),
                    .narrow = GW_DISTANCE_QUERIES * args->key_size};
    f.scores = GW_DISTANCE_QUERIES * f.score_stride;
    f.terms = args->table ? GW_DISTANCE_QUERIES * f.term_stride : 0;
    f.product = product_floats(args, f.term_stride);
    return f;
}

static int64_t thread_floats(const gw_distance_attention_args *args, bool backward) {
    const row_floats f = floats_of(args);
    return (backward ? 4 : 2) * f.narrow + (backward ? 2 : 1) * f.scores + f.terms + f.product;
}

static int64_t shared_floats(const gw_distance_attention_args *args, bool backward) {
    return (backward ? 2 : 1) * table_floats(args) + table_product_floats(args, backward);
}

gw_distance_rows gw_distance_rows_of(const gw_distance_attention_args *args, bool backward, int thread) {
    const row_floats f = floats_of(args);
    float *at = args->scratch + shared_floats(args, backward) + thread * thread_floats(args, backward);
    gw_distance_rows r = {.score_stride = f.score_stride, .term_stride = f.term_stride};
    r.content = at;
    r.position = r.content + f.narrow;
    r.content_gradient = r.position + f.narrow;
    r.position_gradient = r.content_gradient + (backward ? f.narrow : 0);
    r.score = r.position_gradient + (backward ? f.narrow : 0);
    r.score_gradient = r.score + f.scores;
    r.term = r.score_gradient + (backward ? f.scores : 0);
    r.product = r.term + f.terms;
    return r;
}

gw_distance_table gw_distance_table_of(const gw_distance_attention_args *args, bool backward) {
    const int64_t floats = table_floats(args);
    return (gw_distance_table){args->scratch, args->scratch + floats, args->scratch + (backward ? 2 : 1) * floats};
}

int64_t gw_distance_scratch(const gw_distance_attention_args *args, bool backward) {
    return shared_floats(args, backward) + gw_threads() * thread_floats(args, backward);
}
