// SPDX-License-Identifier: MIT
// attention and attention_backward over every kind of graph, against dense attention in double.
#include "base/parallel.h"
#include "graph/pattern.h"
#include "reference/ref.h"
#include "tests/kernel/graphs.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double OUT_LIMIT = 6e-7, LOG_SUM_LIMIT = 1e-7, GRADIENT_LIMIT = 1.2e-6;
// Queries and keys are rounded by 2^-9 at most, scores have a deviation of 2.25 sqrt(D) / sqrt(D).
static const double BF16_LIMIT = 1e-2, BF16_GRADIENT_LIMIT = 1e-2;

enum { SEQUENCES = 3, GAP = 3 };
typedef struct {
    test_graph_kind kind;
    int block, heads, head_size;
    int queries[SEQUENCES], keys[SEQUENCES]; // tokens of each sequence
    int padding;                             // blocks of the graphs past the sequences' ends
    bool masked, bias, per_head;             // key_mask; bias with its gradient; one graph for each head
    bool rising;                             // each block of keys has higher scores than the one before
    const char *spec;                        // graphs are the pattern's, not of `kind` ...
    int offset[SEQUENCES];                   // ... from this position on
    bool structure;                          // ... with every seventh token global
} attention_case;

static const attention_case CASES[] = {
    {.kind = TEST_FULL, .block = 64, .heads = 1, .head_size = 64, .queries = {64, 1, 130}, .keys = {64, 1, 130}},
    {.kind = TEST_FULL, .block = 16, .heads = 2, .head_size = 5, .queries = {7, 33, 16}, .keys = {40, 3, 16}},
    {.kind = TEST_SPARSE, .block = 64, .heads = 2, .head_size = 64, .queries = {448, 385, 70}, .keys = {448, 385, 70}},
    {.kind = TEST_SPARSE,
     .block = 13,
     .heads = 3,
     .head_size = 17,
     .queries = {100, 79, 1},
     .keys = {100, 79, 1},
     .masked = true,
     .per_head = true},
    {.kind = TEST_MULTIPLICITY,
     .block = 24,
     .heads = 2,
     .head_size = 32,
     .queries = {150, 97, 24},
     .keys = {150, 97, 24}},
    {.kind = TEST_FULL,
     .block = 16,
     .heads = 2,
     .head_size = 16,
     .queries = {40, 70, 16},
     .keys = {80, 70, 16},
     .rising = true},
    {.kind = TEST_CAUSAL, .block = 16, .heads = 2, .head_size = 8, .queries = {100, 80, 5}, .keys = {100, 80, 5}},
    {.kind = TEST_CAUSAL,
     .block = 9,
     .heads = 1,
     .head_size = 8,
     .queries = {40, 27, 5},
     .keys = {31, 27, 5},
     .masked = true},
    {.kind = TEST_BAND, .block = 10, .heads = 1, .head_size = 12, .queries = {71, 50, 9}, .keys = {71, 50, 9}},
    {.kind = TEST_BITS,
     .block = 20,
     .heads = 2,
     .head_size = 16,
     .queries = {90, 61, 20},
     .keys = {90, 61, 20},
     .masked = true},
    {.kind = TEST_EMPTY_ROW, .block = 16, .heads = 2, .head_size = 16, .queries = {90, 64, 20}, .keys = {90, 64, 20}},
    {.kind = TEST_SPARSE,
     .block = 18,
     .heads = 2,
     .head_size = 9,
     .queries = {90, 61, 20},
     .keys = {90, 61, 20},
     .bias = true},
    {.kind = TEST_CAUSAL,
     .block = 12,
     .heads = 2,
     .head_size = 9,
     .queries = {45, 30, 7},
     .keys = {45, 30, 7},
     .bias = true,
     .masked = true},
    // blocks and heads of whole tiles of 16 rows and 32 numbers, and with something left of either
    {.kind = TEST_CAUSAL,
     .block = 64,
     .heads = 2,
     .head_size = 64,
     .queries = {150, 64, 33},
     .keys = {150, 64, 33},
     .masked = true},
    {.kind = TEST_BAND, .block = 48, .heads = 1, .head_size = 96, .queries = {200, 96, 47}, .keys = {200, 96, 47}},
    {.kind = TEST_BITS,
     .block = 32,
     .heads = 2,
     .head_size = 80,
     .queries = {100, 64, 31},
     .keys = {110, 32, 31},
     .masked = true,
     .bias = true},
    {.kind = TEST_EMPTY_ROW, .block = 40, .heads = 2, .head_size = 48, .queries = {130, 80, 17}, .keys = {130, 80, 17}},
    {.kind = TEST_MULTIPLICITY,
     .block = 32,
     .heads = 2,
     .head_size = 32,
     .queries = {140, 65, 1},
     .keys = {140, 65, 1},
     .padding = 2,
     .per_head = true},
    {.kind = TEST_FULL,
     .block = 64,
     .heads = 1,
     .head_size = 64,
     .queries = {190, 64, 16},
     .keys = {190, 128, 16},
     .rising = true},
    // graphs of longer, padded inputs: blocks past a sequence's end are neither read nor computed
    {.kind = TEST_MULTIPLICITY,
     .block = 16,
     .heads = 2,
     .head_size = 16,
     .queries = {100, 33, 1},
     .keys = {100, 33, 1},
     .padding = 5,
     .per_head = true},
    {.kind = TEST_FULL,
     .block = 13,
     .heads = 1,
     .head_size = 8,
     .queries = {40, 13, 5},
     .keys = {40, 13, 5},
     .padding = 2},
    {.kind = TEST_BITS,
     .block = 20,
     .heads = 2,
     .head_size = 16,
     .queries = {90, 61, 20},
     .keys = {70, 81, 20},
     .padding = 3,
     .masked = true,
     .bias = true},
    // patterns: rectangular, causal from a position on, bands, token-exact edges; a single query, as a decoder has
    {.spec = "full+causal+block:16",
     .block = 16,
     .heads = 2,
     .head_size = 16,
     .queries = {64, 33, 1},
     .keys = {64, 70, 20},
     .offset = {0, 37, 19}},
    {.spec = "band:21+global:1+block:16",
     .block = 16,
     .heads = 2,
     .head_size = 12,
     .queries = {90, 40, 1},
     .keys = {90, 61, 50},
     .offset = {0, 16, 49},
     .masked = true},
    {.spec = "band:7+window:1+random:1+causal+block:11",
     .block = 11,
     .heads = 2,
     .head_size = 9,
     .queries = {80, 25, 3},
     .keys = {80, 55, 30},
     .offset = {0, 17, 27},
     .per_head = true},
    {.spec = "itc+random:1+causal+block:8",
     .block = 8,
     .heads = 2,
     .head_size = 16,
     .queries = {100, 41, 2},
     .keys = {100, 81, 58},
     .offset = {0, 40, 56},
     .per_head = true},
    {.spec = "window:1+causal+block:16",
     .block = 16,
     .heads = 2,
     .head_size = 16,
     .queries = {90, 20, 7},
     .keys = {90, 61, 30},
     .offset = {0, 40, 23},
     .structure = true},
    {.spec = "band:30+block:64",
     .block = 64,
     .heads = 1,
     .head_size = 64,
     .queries = {200, 70, 65},
     .keys = {200, 200, 130},
     .offset = {0, 130, 64},
     .structure = true},
    {.spec = "full+block:16", .block = 16, .heads = 2, .head_size = 8, .queries = {7, 90, 33}, .keys = {64, 3, 40}},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

// One case with its arrays; rows hold heads * head_size numbers and a gap.
typedef struct {
    const attention_case *shape;
    gw_attention_sequence sequence[SEQUENCES];
    gw_attention_args args;
    int64_t width, query_rows, key_rows;
    test_array query, key, value, out, log_sum, scratch, bias, dout, dquery, dkey, dvalue, dbias;
} attention_test;

static gw_graph *pattern_graph(const attention_case *c, int s, int head) {
    uint8_t *global = test_alloc(c->keys[s], 1);
    for (int j = 0; j < c->keys[s]; j++) global[j] = j % 7 == 3;
    const gw_graph_shape shape = {c->queries[s], c->keys[s], c->offset[s], c->structure ? global : NULL, c->keys[s]};
    gw_pattern pattern;
    gw_graph *graph = NULL;
    cr_assert(gw_pattern_parse(c->spec, &pattern) == GW_OK && pattern.block == c->block, "%s", gw_message());
    cr_assert(gw_pattern_graph(&pattern, &shape, 1, head, c->heads, 128, &graph) == GW_OK, "%s", gw_message());
    return graph;
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

// All keys of the second sequence are masked where the case masks, and a third of the others'.
static const uint8_t *make_mask(int sequence, int keys) {
    uint8_t *mask = test_alloc(keys, 1);
    for (int j = 0; j < keys; j++) mask[j] = sequence != 1 && test_uniform() > 0.33;
    return mask;
}

static void free_pattern_graphs(const attention_test *t) {
    for (int s = 0; t->shape->spec && s < SEQUENCES; s++)
        for (int g = 0; g < (t->shape->per_head ? t->shape->heads : 1); g++)
            gw_graph_free((gw_graph *)t->sequence[s].graphs[g]);
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
        if (shape->masked) t->sequence[s].key_mask = make_mask(s, shape->keys[s]);
        t->query_rows += shape->queries[s];
        t->key_rows += shape->keys[s];
    }
}

static int64_t bias_count(const attention_test *t) {
    const int64_t block = t->shape->block;
    return t->shape->heads * t->sequence[0].graphs[0]->edges * block * block;
}

// One bias is shared by all sequences of the case (their graphs are then the first one's).
static void share_bias(attention_test *t) {
    t->bias = test_normal(bias_count(t), 0.5);
    t->dbias = test_normal(bias_count(t), 0.5);
    for (int s = 0; s < SEQUENCES; s++) {
        t->sequence[s].graphs = t->sequence[0].graphs;
        t->sequence[s].bias = t->bias.value;
        t->sequence[s].bias_gradient = t->dbias.value;
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

static attention_test make_test(const attention_case *shape) {
    attention_test t = {.shape = shape, .width = shape->heads * shape->head_size};
    make_sequences(&t);
    if (shape->bias) share_bias(&t);
    const int64_t stride = t.width + GAP;
    t.query = test_normal(t.query_rows * stride, 1.5), t.key = test_normal(t.key_rows * stride, 1.5);
    if (shape->rising) raise_scores(&t);
    t.value = test_normal(t.key_rows * stride, 1.0), t.out = test_filled(t.query_rows * stride, 3.0);
    t.log_sum = test_zeros(shape->heads * t.query_rows);
    t.dout = test_normal(t.query_rows * stride, 1.0), t.dquery = test_normal(t.query_rows * stride, 0.1);
    t.dkey = test_normal(t.key_rows * stride, 0.1), t.dvalue = test_normal(t.key_rows * stride, 0.1);
    t.args = (gw_attention_args){.heads = shape->heads,
                                 .head_size = shape->head_size,
                                 .block = shape->block,
                                 .query_rows = t.query_rows,
                                 .key_rows = t.key_rows,
                                 .scale = 1.0f / sqrtf((float)shape->head_size),
                                 .query = t.query.value,
                                 .key = t.key.value,
                                 .value = t.value.value,
                                 .query_stride = stride,
                                 .key_stride = stride,
                                 .value_stride = stride,
                                 .out = t.out.value,
                                 .out_stride = stride,
                                 .log_sum = t.log_sum.value,
                                 .out_gradient = t.dout.value,
                                 .query_gradient = t.dquery.value,
                                 .key_gradient = t.dkey.value,
                                 .value_gradient = t.dvalue.value};
    return t;
}

// Scratch memory of what is there beforehand as little as behind it.
static void give_scratch(const gw_backend *backend, attention_test *t, gw_op op) {
    t->scratch = test_filled(backend->scratch(op, &t->args), NAN);
    t->args.scratch = t->scratch.value;
}

// Numbers of one head of one sequence, dense.
static double *head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head) {
    const int64_t size = t->shape->head_size;
    double *dense = test_alloc(count * size, sizeof *dense);
    for (int64_t i = 0; i < count * size; i++)
        dense[i] = array.wide[(begin + i / size) * (t->width + GAP) + head * size + i % size];
    return dense;
}

static void put_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head,
                          const double *dense) {
    const int64_t size = t->shape->head_size;
    for (int64_t i = 0; i < count * size; i++)
        array.wide[(begin + i / size) * (t->width + GAP) + head * size + i % size] = dense[i];
}

// Calls visit for every query i and key j of the sequence that an edge covers and the graph and key_mask let read.
typedef void (*visit_pair)(const attention_test *t, int64_t pair, int64_t bias, float log_multiplicity,
                           double *numbers);

static void each_pair(const attention_test *t, int s, int head, visit_pair visit, double *numbers) {
    const gw_attention_sequence *sequence = &t->sequence[s];
    const gw_graph *graph = sequence->graphs[head * sequence->graph_step];
    const int64_t block = graph->block;
    for (int64_t i = 0; i < sequence->query_count; i++)
        for (int64_t e = graph->row_start[i / block]; e < graph->row_start[i / block + 1]; e++)
            for (int64_t j = graph->column[e] * block; j < (graph->column[e] + 1) * block; j++) {
                if (j >= sequence->key_count || (sequence->key_mask && !sequence->key_mask[j])) continue;
                if (!test_graph_reads(graph, e, i, j)) continue;
                const int64_t bias = ((head * graph->edges + e) * block + i % block) * block + j % block;
                visit(t, i * sequence->key_count + j, bias, graph->log_multiplicity ? graph->log_multiplicity[e] : 0.0f,
                      numbers);
            }
}

static void set_term(const attention_test *t, int64_t pair, int64_t bias, float log_multiplicity, double *term) {
    term[pair] = log_multiplicity + (t->shape->bias ? t->bias.wide[bias] : 0.0);
}

static void add_bias_gradient(const attention_test *t, int64_t pair, int64_t bias, float log_multiplicity,
                              double *dterm) {
    (void)log_multiplicity;
    t->dbias.wide[bias] += dterm[pair];
}

static double *make_terms(const attention_test *t, int s, int head) {
    const int64_t pairs = t->sequence[s].query_count * t->sequence[s].key_count;
    double *term = test_alloc(pairs, sizeof *term);
    for (int64_t i = 0; i < pairs; i++) term[i] = -INFINITY;
    each_pair(t, s, head, set_term, term);
    return term;
}

// The reference's out and log_sum, into the wide halves.
static void want_forward(attention_test *t) {
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < t->shape->heads; head++) {
            const gw_attention_sequence *q = &t->sequence[s];
            double *out = test_alloc(q->query_count * t->shape->head_size, sizeof *out);
            ref_attention(q->query_count, q->key_count, t->shape->head_size, t->args.scale,
                          head_rows(t, t->query, q->query_begin, q->query_count, head),
                          head_rows(t, t->key, q->key_begin, q->key_count, head),
                          head_rows(t, t->value, q->key_begin, q->key_count, head), make_terms(t, s, head), out,
                          t->log_sum.wide + head * t->query_rows + q->query_begin);
            put_head_rows(t, t->out, q->query_begin, q->query_count, head, out);
        }
}

static void want_backward(attention_test *t) {
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < t->shape->heads; head++) {
            const gw_attention_sequence *q = &t->sequence[s];
            double *dquery = head_rows(t, t->dquery, q->query_begin, q->query_count, head);
            double *dkey = head_rows(t, t->dkey, q->key_begin, q->key_count, head);
            double *dvalue = head_rows(t, t->dvalue, q->key_begin, q->key_count, head);
            double *dterm = test_alloc(q->query_count * q->key_count, sizeof *dterm);
            ref_attention_backward(q->query_count, q->key_count, t->shape->head_size, t->args.scale,
                                   head_rows(t, t->query, q->query_begin, q->query_count, head),
                                   head_rows(t, t->key, q->key_begin, q->key_count, head),
                                   head_rows(t, t->value, q->key_begin, q->key_count, head), make_terms(t, s, head),
                                   head_rows(t, t->dout, q->query_begin, q->query_count, head), dquery, dkey, dvalue,
                                   dterm);
            put_head_rows(t, t->dquery, q->query_begin, q->query_count, head, dquery);
            put_head_rows(t, t->dkey, q->key_begin, q->key_count, head, dkey);
            put_head_rows(t, t->dvalue, q->key_begin, q->key_count, head, dvalue);
            if (t->shape->bias) each_pair(t, s, head, add_bias_gradient, dterm);
        }
}

static void assert_scratch(attention_test *t) {
    for (int64_t i = 0; i < t->scratch.count; i++) t->scratch.wide[i] = t->scratch.value[i];
    test_unchanged("scratch", t->scratch); // its sentinels
}

static void check_forward(const gw_backend *backend, const attention_case *shape, bool bf16) {
    attention_test t = make_test(shape);
    t.args.sequences = SEQUENCES, t.args.sequence = t.sequence;
    t.args.precision = bf16 ? GW_BF16 : GW_F32;
    give_scratch(backend, &t, GW_OP_attention);
    want_forward(&t);
    cr_assert(backend->attention(&t.args) == GW_OK);
    const double limit = shape->rising ? 2 * OUT_LIMIT : OUT_LIMIT; // the last bit of a score of 15 is a millionth
    test_compare("out", t.out, bf16 ? BF16_LIMIT : limit);
    test_compare("log_sum", t.log_sum, bf16 ? BF16_LIMIT : LOG_SUM_LIMIT);
    assert_scratch(&t);
    free_pattern_graphs(&t);
    test_release();
}

void check_attention(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        check_forward(backend, &CASES[c], false);
        if (gw_has_bf16()) check_forward(backend, &CASES[c], true);
    }
}

static void check_backward(const gw_backend *backend, const attention_case *shape, bool bf16) {
    const double limit = bf16 ? BF16_GRADIENT_LIMIT : shape->rising ? 4 * GRADIENT_LIMIT : GRADIENT_LIMIT;
    attention_test t = make_test(shape);
    t.args.sequences = SEQUENCES, t.args.sequence = t.sequence;
    t.args.precision = bf16 ? GW_BF16 : GW_F32;
    give_scratch(backend, &t, GW_OP_attention);
    want_forward(&t);
    want_backward(&t);
    for (int64_t i = 0; i < t.out.count; i++) t.out.value[i] = (float)t.out.wide[i];
    for (int64_t i = 0; i < t.log_sum.count; i++) t.log_sum.value[i] = (float)t.log_sum.wide[i];
    if (bf16) cr_assert(backend->attention(&t.args) == GW_OK); // log_sum of the rounded numbers
    give_scratch(backend, &t, GW_OP_attention_backward);
    cr_assert(backend->attention_backward(&t.args) == GW_OK);
    test_compare("query_gradient", t.dquery, limit);
    test_compare("key_gradient", t.dkey, limit);
    test_compare("value_gradient", t.dvalue, limit);
    if (shape->bias) test_compare("bias_gradient", t.dbias, limit);
    assert_scratch(&t);
    free_pattern_graphs(&t);
    test_release();
}

void check_attention_backward(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        check_backward(backend, &CASES[c], false);
        if (gw_has_bf16()) check_backward(backend, &CASES[c], true);
    }
}

static const gw_backend *find_backend(const char *name) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(backends[i]->name, name) == 0 && backends[i]->supported()) return backends[i];
    return NULL;
}

// What `after` computes beside what `before` does, which stands in the wide half.
static void compare_backends(const gw_backend *before, const gw_backend *after, const attention_case *shape) {
    attention_test t = make_test(shape);
    t.args.sequences = SEQUENCES, t.args.sequence = t.sequence;
    t.args.precision = GW_BF16;
    const int64_t forward = before->scratch(GW_OP_attention, &t.args),
                  backward = before->scratch(GW_OP_attention_backward, &t.args);
    t.args.scratch = test_zeros(forward > backward ? forward : backward).value;
    const test_array results[] = {t.out, t.log_sum, t.dquery, t.dkey, t.dvalue};
    enum { RESULTS = sizeof results / sizeof results[0] };
    float *at_first[RESULTS];
    for (int r = 0; r < RESULTS; r++) {
        at_first[r] = test_alloc(results[r].count, sizeof(float));
        memcpy(at_first[r], results[r].value, (size_t)results[r].count * sizeof(float));
    }
    cr_assert(before->attention(&t.args) == GW_OK);
    cr_assert(before->attention_backward(&t.args) == GW_OK);
    for (int r = 0; r < RESULTS; r++)
        for (int64_t i = 0; i < results[r].count; i++) {
            results[r].wide[i] = results[r].value[i];
            results[r].value[i] = at_first[r][i];
        }
    cr_assert(after->attention(&t.args) == GW_OK);
    cr_assert(after->attention_backward(&t.args) == GW_OK);
    for (int r = 0; r < RESULTS; r++) test_compare("tiles beside vectors", results[r], BF16_LIMIT);
    free_pattern_graphs(&t);
    test_release();
}

Test(kernel, attention_in_tiles_and_in_vectors) {
    const gw_backend *tiles = find_backend("amx"), *vectors = find_backend("avx512");
    if (!tiles) cr_skip_test("no tiles here");
    test_restart();
    for (int c = 0; c < CASE_COUNT; c++)
        if (!CASES[c].bias) compare_backends(vectors, tiles, &CASES[c]);
}

enum { QUERIES = 4, KEYS = 5, SIZE = 3 };
typedef struct {
    double *query, *key, *value, *term, *dout;
} dense_inputs;

static double dense_loss(const void *context) {
    const dense_inputs *in = context;
    double out[QUERIES * SIZE], log_sum[QUERIES], sum = 0.0;
    ref_attention(QUERIES, KEYS, SIZE, 0.7, in->query, in->key, in->value, in->term, out, log_sum);
    for (int i = 0; i < QUERIES * SIZE; i++) sum += out[i] * in->dout[i];
    return sum;
}

Test(reference, attention_gradient) {
    test_restart();
    double dquery[QUERIES * SIZE] = {0}, dkey[KEYS * SIZE] = {0}, dvalue[KEYS * SIZE] = {0},
                            dterm[QUERIES * KEYS] = {0};
    dense_inputs in = {test_normal(QUERIES * SIZE, 1.0).wide, test_normal(KEYS * SIZE, 1.0).wide,
                       test_normal(KEYS * SIZE, 1.0).wide, test_normal(QUERIES * KEYS, 1.0).wide,
                       test_normal(QUERIES * SIZE, 1.0).wide};
    for (int j = 0; j < KEYS; j++) in.term[KEYS + j] = -INFINITY; // query 1 reads nothing
    in.term[0] = -INFINITY;
    ref_attention_backward(QUERIES, KEYS, SIZE, 0.7, in.query, in.key, in.value, in.term, in.dout, dquery, dkey, dvalue,
                           dterm);
    test_central_differences("query", dense_loss, &in, in.query, dquery, QUERIES * SIZE);
    test_central_differences("key", dense_loss, &in, in.key, dkey, KEYS * SIZE);
    test_central_differences("value", dense_loss, &in, in.value, dvalue, KEYS * SIZE);
    test_central_differences("term", dense_loss, &in, in.term + 2 * KEYS, dterm + 2 * KEYS, 2 * KEYS);
    for (int j = 0; j < KEYS; j++) cr_assert(dterm[KEYS + j] == 0.0);
    test_release();
}
