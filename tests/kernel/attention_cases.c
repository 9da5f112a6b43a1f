// SPDX-License-Identifier: MIT
// The cases of the attention tests: their graphs and arrays.
#include "tests/kernel/attention_cases.h"

#include "graph/pattern.h"

#include <criterion/criterion.h>
#include <math.h>

const attention_case ATTENTION_CASES[] = {
    {64, 1, 64, {64, 1, 130}, {64, 1, 130}, .kind = TEST_FULL},
    {16, 2, 5, {7, 33, 16}, {40, 3, 16}, .kind = TEST_FULL},
    {64, 2, 64, {448, 385, 70}, {448, 385, 70}, .kind = TEST_SPARSE},
    {13, 3, 17, {100, 79, 1}, {100, 79, 1}, .kind = TEST_SPARSE, .per_head = true},
    {24, 2, 32, {150, 97, 24}, {150, 97, 24}, .kind = TEST_MULTIPLICITY},
    {16, 2, 16, {40, 70, 16}, {80, 70, 16}, .kind = TEST_FULL, .rising = true},
    {16, 2, 8, {100, 80, 5}, {100, 80, 5}, .kind = TEST_CAUSAL},
    {9, 1, 8, {40, 27, 5}, {31, 27, 5}, .kind = TEST_CAUSAL},
    {10, 1, 12, {71, 50, 9}, {71, 50, 9}, .kind = TEST_BAND},
    {20, 2, 16, {90, 61, 20}, {90, 61, 20}, .kind = TEST_BITS},
    {100, 1, 16, {230, 61, 70}, {210, 101, 20}, .kind = TEST_BITS},
    {16, 2, 16, {90, 64, 20}, {90, 64, 20}, .kind = TEST_EMPTY_ROW},
    {18, 2, 9, {90, 61, 20}, {90, 61, 20}, .kind = TEST_SPARSE},
    {12, 2, 9, {45, 30, 7}, {45, 30, 7}, .kind = TEST_CAUSAL},
    // blocks and heads of whole tiles of 16 rows and 32 numbers, and with something left of either
    {64, 2, 64, {150, 64, 33}, {150, 64, 33}, .kind = TEST_CAUSAL},
    {48, 1, 96, {200, 96, 47}, {200, 96, 47}, .kind = TEST_BAND},
    {32, 2, 80, {100, 64, 31}, {110, 32, 31}, .kind = TEST_BITS},
    {40, 2, 48, {130, 80, 17}, {130, 80, 17}, .kind = TEST_EMPTY_ROW},
    {32, 2, 32, {140, 65, 1}, {140, 65, 1}, .kind = TEST_MULTIPLICITY, .padding = 2, .per_head = true},
    {64, 1, 64, {190, 64, 16}, {190, 128, 16}, .kind = TEST_FULL, .rising = true},
    // graphs of longer, padded inputs: blocks past a sequence's end are neither read nor computed
    {16, 2, 16, {100, 33, 1}, {100, 33, 1}, .kind = TEST_MULTIPLICITY, .padding = 5, .per_head = true},
    {13, 1, 8, {40, 13, 5}, {40, 13, 5}, .kind = TEST_FULL, .padding = 2},
    {20, 2, 16, {90, 61, 20}, {70, 81, 20}, .kind = TEST_BITS, .padding = 3},
    // patterns: rectangular, causal from a position on, bands, token-exact edges; a single query, as a decoder has
    {16, 2, 16, {64, 33, 1}, {64, 70, 20}, .spec = "full+causal+block:16", .offset = {0, 37, 19}},
    {16, 2, 12, {90, 40, 1}, {90, 61, 50}, .spec = "band:21+global:1+block:16", .offset = {0, 16, 49}},
    {11,
     2,
     9,
     {80, 25, 3},
     {80, 55, 30},
     .spec = "band:7+window:1+random:1+causal+block:11",
     .offset = {0, 17, 27},
     .per_head = true},
    {8,
     2,
     16,
     {100, 41, 2},
     {100, 81, 58},
     .spec = "itc+random:1+causal+block:8",
     .offset = {0, 40, 56},
     .per_head = true},
    {16,
     2,
     16,
     {90, 20, 7},
     {90, 61, 30},
     .spec = "window:1+causal+block:16",
     .offset = {0, 40, 23},
     .structure = true},
    {64, 1, 64, {200, 70, 65}, {200, 200, 130}, .spec = "band:30+block:64", .offset = {0, 130, 64}, .structure = true},
    {16, 2, 8, {7, 90, 33}, {64, 3, 40}, .spec = "full+block:16"},
};
const int ATTENTION_CASE_COUNT = sizeof ATTENTION_CASES / sizeof ATTENTION_CASES[0];

const attention_case TENSOR_CASES[] = {
    {64, 1, 64, {64, 1, 130}, {64, 1, 130}, .kind = TEST_FULL},
    {64, 2, 32, {130, 64, 33}, {130, 64, 33}, .kind = TEST_CAUSAL, .per_head = true},
    {64, 1, 128, {70, 64, 16}, {190, 128, 16}, .kind = TEST_FULL, .rising = true},
    {64, 1, 64, {90, 61, 20}, {150, 81, 20}, .kind = TEST_BITS, .padding = 3},
    {64, 1, 64, {200, 70, 65}, {200, 200, 130}, .spec = "band:30+block:64", .offset = {0, 130, 64}, .structure = true},
    {32, 1, 128, {100, 33, 7}, {100, 33, 7}, .kind = TEST_CAUSAL},
    {32, 2, 64, {100, 64, 31}, {110, 32, 31}, .kind = TEST_BITS},
    {32, 1, 32, {150, 97, 24}, {150, 97, 24}, .kind = TEST_BAND},
    {32, 2, 32, {140, 65, 1}, {140, 65, 1}, .kind = TEST_MULTIPLICITY, .padding = 2, .per_head = true},
    {32, 2, 64, {64, 33, 1}, {64, 70, 20}, .spec = "full+causal+block:32", .offset = {0, 37, 19}},
    {16, 2, 32, {60, 16, 17}, {60, 16, 17}, .kind = TEST_CAUSAL},
    {16, 1, 64, {90, 40, 1}, {90, 61, 50}, .spec = "band:21+global:1+block:16", .offset = {0, 16, 49}},
    {16, 1, 128, {35, 20, 3}, {70, 20, 3}, .kind = TEST_FULL},
    // blocks of more tiles than one
    {48, 1, 32, {110, 48, 3}, {110, 48, 3}, .kind = TEST_BITS},
    {128, 1, 32, {270, 130, 5}, {270, 130, 5}, .kind = TEST_BAND},
    {96, 1, 64, {200, 96, 47}, {200, 96, 47}, .kind = TEST_EMPTY_ROW},
};
const int TENSOR_CASE_COUNT = sizeof TENSOR_CASES / sizeof TENSOR_CASES[0];

static int64_t bit_words(const gw_graph *graph) {
    int64_t cells = 0;
    for (int64_t e = 0; e < graph->edges; e++)
        if (graph->kind[e] == GW_EDGE_BITS && graph->bits_index[e] >= cells) cells = graph->bits_index[e] + 1;
    return cells * gw_graph_words(graph->block);
}

// A copy in memory that ops reach.
static gw_graph *place_graph(const gw_graph *from) {
    gw_graph *to = test_copy(from, 1, sizeof *from);
    const int64_t edges = from->edges;
    to->row_start = test_copy(from->row_start, from->query_blocks + 1, sizeof *to->row_start);
    to->column = test_copy(from->column, edges, sizeof *to->column);
    to->column_start = test_copy(from->column_start, from->key_blocks + 1, sizeof *to->column_start);
    to->row = test_copy(from->row, edges, sizeof *to->row);
    to->edge = test_copy(from->edge, edges, sizeof *to->edge);
    if (from->kind) to->kind = test_copy(from->kind, edges, sizeof *to->kind);
    if (from->log_multiplicity)
        to->log_multiplicity = test_copy(from->log_multiplicity, edges, sizeof *to->log_multiplicity);
    if (!from->bits) return to;
    to->bits_index = test_copy(from->bits_index, edges, sizeof *to->bits_index);
    to->bits = test_copy(from->bits, bit_words(from), sizeof *to->bits);
    return to;
}

static gw_graph *pattern_graph(const attention_case *c, int s, int head) {
    uint8_t *global = test_alloc(c->keys[s], 1);
    for (int j = 0; j < c->keys[s]; j++) global[j] = j % 7 == 3;
    const gw_graph_shape shape = {c->queries[s], c->keys[s], c->offset[s], c->structure ? global : NULL, c->keys[s]};
    gw_pattern pattern;
    gw_graph *graph = NULL;
    cr_assert(gw_pattern_parse(c->spec, &pattern) == GW_OK && pattern.block == c->block, "%s", gw_message());
    cr_assert(gw_pattern_graph(&pattern, &shape, 1, head, c->heads, 128, &graph) == GW_OK, "%s", gw_message());
    gw_graph *placed = place_graph(graph);
    gw_graph_free(graph);
    return placed;
}

static const gw_graph *const *make_graphs(const attention_case *shape, int s) {
    const int graphs = shape->per_head ? shape->heads : 1, queries = shape->queries[s], keys = shape->keys[s];
    const gw_graph **list = test_alloc(graphs, sizeof *list);
    for (int g = 0; g < graphs; g++)
        list[g] = shape->spec ? pattern_graph(shape, s, g)
                              : test_graph(shape->kind, shape->block,
                                           (queries + shape->block - 1) / shape->block + shape->padding,
                                           (keys + shape->block - 1) / shape->block + shape->padding);
    return list;
}

static void make_sequences(attention_test *t) {
    const attention_case *shape = t->shape;
    for (int s = 0; s < SEQUENCES; s++) {
        t->sequence[s] = (gw_attention_sequence){.query_begin = t->query_rows,
                                                 .query_count = shape->queries[s],
                                                 .key_begin = t->key_rows,
                                                 .key_count = shape->keys[s],
                                                 .graphs = make_graphs(shape, s),
                                                 .graph_step = shape->per_head};
        t->query_rows += shape->queries[s];
        t->key_rows += shape->keys[s];
    }
}

// Of every row and head the first number, which bf16 holds, too.
static void set_first(const attention_test *t, test_array array, int64_t row, double value) {
    for (int64_t head = 0; head < t->shape->heads; head++) {
        const int64_t at = row * (t->width + GAP) + head * t->shape->head_size;
        array.wide[at] = value, array.value[at] = (float)value;
    }
}

// Scores rise by 3 from one block of keys to the next, beside what the other numbers make them.
static void raise_scores(const attention_test *t) {
    for (int64_t row = 0; row < t->query_rows; row++) set_first(t, t->query, row, sqrt(t->shape->head_size));
    for (int s = 0; s < SEQUENCES; s++)
        for (int64_t j = 0; j < t->sequence[s].key_count; j++)
            set_first(t, t->key, t->sequence[s].key_begin + j, 3.0 * (double)(j / t->shape->block));
}

void attention_begin(attention_test *t, const attention_case *shape, gw_precision precision) {
    test_draw_again(); // a case's numbers do not depend on the cases before it
    *t = (attention_test){.shape = shape, .width = shape->heads * shape->head_size};
    make_sequences(t);
    const int64_t stride = t->width + GAP;
    t->query = test_normal(t->query_rows * stride, 1.5), t->key = test_normal(t->key_rows * stride, 1.5);
    if (shape->rising) raise_scores(t);
    t->value = test_normal(t->key_rows * stride, 1.0), t->out = test_filled(t->query_rows * stride, 3.0);
    t->log_sum = test_zeros(shape->heads * t->query_rows);
    t->dout = test_normal(t->query_rows * stride, 1.0), t->dquery = test_normal(t->query_rows * stride, 0.1);
    t->dkey = test_normal(t->key_rows * stride, 0.1), t->dvalue = test_normal(t->key_rows * stride, 0.1);
    t->args = (gw_attention_args){.sequences = SEQUENCES,
                                  .sequence = t->sequence,
                                  .precision = precision,
                                  .heads = shape->heads,
                                  .head_size = shape->head_size,
                                  .block = shape->block,
                                  .query_rows = t->query_rows,
                                  .key_rows = t->key_rows,
                                  .scale = 1.0f / sqrtf((float)shape->head_size),
                                  .query = t->query.value,
                                  .key = t->key.value,
                                  .value = t->value.value,
                                  .query_stride = stride,
                                  .key_stride = stride,
                                  .value_stride = stride,
                                  .out = t->out.value,
                                  .out_stride = stride,
                                  .log_sum = t->log_sum.value,
                                  .out_gradient = t->dout.value,
                                  .query_gradient = t->dquery.value,
                                  .key_gradient = t->dkey.value,
                                  .value_gradient = t->dvalue.value};
}

static long listed(const attention_test *t, int s, int head, int tile, bool by_keys) {
    const gw_graph *graph = t->sequence[s].graphs[head * t->sequence[s].graph_step];
    const int64_t rows = by_keys ? t->sequence[s].key_count : t->sequence[s].query_count,
                  *start = by_keys ? graph->column_start : graph->row_start;
    int64_t pairs = 0;
    for (int64_t i = 0; i < rows; i += tile)
        pairs += (start[i / graph->block + 1] - start[i / graph->block]) * (graph->block / tile);
    return (long)pairs;
}

long attention_products(const attention_case *shape, int most, bool by_keys) {
    int tile = most;
    while (shape->block % tile != 0) tile /= 2;
    attention_test t;
    attention_begin(&t, shape, GW_BF16);
    long pairs = 0;
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < shape->heads; head++) pairs += listed(&t, s, head, tile, by_keys);
    test_release();
    return pairs * (tile / 16) * (tile / 8) * (shape->head_size / 16);
}

void attention_give_scratch(attention_test *t, const gw_backend *backend, gw_op op) {
    t->scratch = test_filled(backend->scratch(op, &t->args), NAN);
    t->args.scratch = t->scratch.value;
}

void attention_end(attention_test *t) {
    for (int64_t i = 0; i < t->scratch.count; i++) t->scratch.wide[i] = t->scratch.value[i];
    if (t->scratch.value) test_unchanged("scratch", t->scratch); // its sentinels
}
