// SPDX-License-Identifier: MIT
// relative_attention and its backward pass over every kind of graph, against dense attention in double; the
// reference's gradients against central differences.
#include "reference/ref.h"
#include "tests/kernel/attention_cases.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 on the same numbers, as in attention without terms.
static const double OUT_LIMIT = 6e-7, LOG_SUM_LIMIT = 1e-7, GRADIENT_LIMIT = 1.4e-6;

typedef struct {
    attention_case shape;
    int globals[SEQUENCES], distance, ids;
    bool linked; // some long rows
} relative_case;

// Graphs of each kind; blocks with tokens of both kinds, none of one, one id for all distances; heads and ids that fill
// no vector, and more ids than a block has tokens.
static const relative_case CASES[] = {
    {{64, 1, 64, {64, 1, 130}, {64, 1, 130}, .kind = TEST_FULL}, {5, 0, 70}, 12, 32, true},
    {{16, 2, 5, {7, 33, 16}, {7, 33, 16}, .kind = TEST_FULL}, {7, 16, 0}, 3, 10},
    {{13, 3, 17, {100, 79, 1}, {100, 79, 1}, .kind = TEST_SPARSE, .per_head = true}, {20, 4, 1}, 12, 28, true},
    {{24, 2, 32, {150, 97, 24}, {150, 97, 24}, .kind = TEST_MULTIPLICITY}, {30, 0, 3}, 42, 88, true},
    {{10, 1, 12, {71, 50, 9}, {71, 50, 9}, .kind = TEST_BAND}, {9, 12, 2}, 0, 4},
    {{20, 2, 16, {90, 61, 20}, {90, 61, 20}, .kind = TEST_BITS, .padding = 3}, {12, 25, 19}, 1, 6, true},
    {{16, 4, 16, {90, 64, 20}, {90, 64, 20}, .kind = TEST_EMPTY_ROW}, {40, 3, 0}, 6, 17},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

typedef struct {
    attention_test attention;
    const relative_case *shape;
    int64_t globals[SEQUENCES];
    int32_t *begin, *end, *linked; // [rows]
    test_array embedding, bias, dembedding, dbias;
    gw_relative_attention_args args;
} relative_test;

// Segments of a sequence's global tokens: one after the other, some empty, each fourth of none, the first of all rows.
static void make_segments(const relative_test *t, int s) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    const int64_t globals = t->globals[s], longs = q->query_count - globals;
    for (int64_t g = 0; g < globals; g++) {
        int32_t *begin = t->begin + q->query_begin + g, *end = t->end + q->query_begin + g;
        *begin = g % 4 == 3 ? -1 : (int32_t)(globals + longs * (g / 2) / globals);
        *end = g == 0 ? (int32_t)q->query_count : (int32_t)(globals + longs * (g / 2 + 1) / globals);
    }
}

// Pairs of long rows with one global token after the other, and rows between them with none.
static void make_links(const relative_test *t, int s) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    for (int64_t i = 0; i < q->query_count; i++) {
        const bool some = i >= t->globals[s] && t->globals[s] > 0 && i % 5 < 2;
        t->linked[q->query_begin + i] = some ? (int32_t)(i / 5 % t->globals[s]) : -1;
    }
}

static void begin(relative_test *t, const relative_case *shape) {
    *t = (relative_test){.shape = shape};
    attention_begin(&t->attention, &shape->shape, GW_F32);
    const int64_t rows = t->attention.query_rows, table = 2 * shape->ids * shape->shape.heads,
                  size = shape->shape.head_size;
    t->begin = test_alloc(rows, sizeof *t->begin), t->end = test_alloc(rows, sizeof *t->end);
    t->linked = test_alloc(rows, sizeof *t->linked);
    for (int s = 0; s < SEQUENCES; s++) {
        t->globals[s] = shape->globals[s];
        make_segments(t, s);
        make_links(t, s);
    }
    t->embedding = test_normal(table * size, 0.7), t->bias = test_normal(table, 0.7);
    t->dembedding = test_normal(table * size, 0.1), t->dbias = test_normal(table, 0.1);
    t->args = (gw_relative_attention_args){.attention = t->attention.args,
                                           .globals = t->globals,
                                           .segment_begin = t->begin,
                                           .segment_end = t->end,
                                           .linked = shape->linked ? t->linked : NULL,
                                           .distance = shape->distance,
                                           .ids = shape->ids,
                                           .embedding = t->embedding.value,
                                           .bias = t->bias.value,
                                           .embedding_gradient = t->dembedding.value,
                                           .bias_gradient = t->dbias.value};
}

static void give_scratch(relative_test *t, const gw_backend *backend, gw_op op) {
    t->attention.scratch = test_filled(backend->scratch(op, &t->args), NAN);
    t->args.attention.scratch = t->attention.scratch.value;
}

// A head's rows of a table of [2][ids][heads][width], dense; with `put` the other way round.
static void copy_table(const relative_test *t, test_array table, int64_t width, int head, double *dense, bool put) {
    const int64_t rows = 2 * t->shape->ids, heads = t->shape->shape.heads;
    for (int64_t i = 0; i < rows * width; i++) {
        double *at = &table.wide[(i / width * heads + head) * width + i % width];
        if (put) *at = dense[i];
        else dense[i] = *at;
    }
}

static double *table_of(const relative_test *t, test_array table, int64_t width, int head) {
    double *dense = test_alloc(2 * t->shape->ids * width, sizeof *dense);
    copy_table(t, table, width, head, dense, false);
    return dense;
}

static double *rows_of(const relative_test *t, test_array array, int s, int head) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    return attention_head_rows(&t->attention, array, q->query_begin, q->query_count, head);
}

static ref_relative reference_of(const relative_test *t, int s, int head) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    const int64_t size = t->shape->shape.head_size;
    return (ref_relative){.rows = q->query_count,
                          .globals = t->globals[s],
                          .head_size = size,
                          .distance = t->shape->distance,
                          .ids = t->shape->ids,
                          .scale = t->args.attention.scale,
                          .segment_begin = t->begin + q->query_begin,
                          .segment_end = t->end + q->query_begin,
                          .linked = t->shape->linked ? t->linked + q->query_begin : NULL,
                          .query = rows_of(t, t->attention.query, s, head),
                          .key = rows_of(t, t->attention.key, s, head),
                          .value = rows_of(t, t->attention.value, s, head),
                          .term = attention_terms(&t->attention, s, head),
                          .embedding = table_of(t, t->embedding, size, head),
                          .bias = table_of(t, t->bias, 1, head)};
}

static void want_forward(relative_test *t, int s, int head) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    const ref_relative of = reference_of(t, s, head);
    double *out = test_alloc(of.rows * of.head_size, sizeof *out);
    ref_relative_attention(&of, out, t->attention.log_sum.wide + head * t->attention.query_rows + q->query_begin);
    attention_put_head_rows(&t->attention, t->attention.out, q->query_begin, q->query_count, head, out);
}

static void want_backward(relative_test *t, int s, int head) {
    const gw_attention_sequence *q = &t->attention.sequence[s];
    const ref_relative of = reference_of(t, s, head);
    attention_test *a = &t->attention;
    double *dquery = rows_of(t, a->dquery, s, head), *dkey = rows_of(t, a->dkey, s, head),
           *dvalue = rows_of(t, a->dvalue, s, head), *dembedding = table_of(t, t->dembedding, of.head_size, head),
           *dbias = table_of(t, t->dbias, 1, head);
    ref_relative_attention_backward(&of, rows_of(t, a->dout, s, head), dquery, dkey, dvalue, dembedding, dbias);
    attention_put_head_rows(a, a->dquery, q->query_begin, q->query_count, head, dquery);
    attention_put_head_rows(a, a->dkey, q->query_begin, q->query_count, head, dkey);
    attention_put_head_rows(a, a->dvalue, q->query_begin, q->query_count, head, dvalue);
    copy_table(t, t->dembedding, of.head_size, head, dembedding, true);
    copy_table(t, t->dbias, 1, head, dbias, true);
}

static void want(relative_test *t, void (*make)(relative_test *t, int s, int head)) {
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < t->shape->shape.heads; head++) make(t, s, head);
}

void check_relative_attention(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        relative_test t;
        begin(&t, &CASES[c]);
        want(&t, want_forward);
        give_scratch(&t, backend, GW_OP_relative_attention);
        cr_assert(backend->relative_attention(&t.args) == GW_OK);
        test_compare("out", t.attention.out, OUT_LIMIT);
        test_compare("log_sum", t.attention.log_sum, LOG_SUM_LIMIT);
        attention_end(&t.attention);
        test_release();
    }
}

void check_relative_attention_backward(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        relative_test t;
        begin(&t, &CASES[c]);
        want(&t, want_forward);
        want(&t, want_backward);
        attention_test *a = &t.attention;
        for (int64_t i = 0; i < a->out.count; i++) a->out.value[i] = (float)a->out.wide[i];
        for (int64_t i = 0; i < a->log_sum.count; i++) a->log_sum.value[i] = (float)a->log_sum.wide[i];
        give_scratch(&t, backend, GW_OP_relative_attention_backward);
        cr_assert(backend->relative_attention_backward(&t.args) == GW_OK);
        test_compare("query_gradient", a->dquery, GRADIENT_LIMIT);
        test_compare("key_gradient", a->dkey, GRADIENT_LIMIT);
        test_compare("value_gradient", a->dvalue, GRADIENT_LIMIT);
        test_compare("embedding_gradient", t.dembedding, GRADIENT_LIMIT);
        test_compare("bias_gradient", t.dbias, GRADIENT_LIMIT);
        attention_end(a);
        test_release();
    }
}

enum { ROWS = 9, GLOBALS = 3, SIZE = 3, DISTANCE = 2, IDS = 8 };
typedef struct {
    ref_relative of;
    const double *dout;
} dense_inputs;

static double dense_loss(const void *context) {
    const dense_inputs *in = context;
    double out[ROWS * SIZE], log_sum[ROWS], sum = 0.0;
    ref_relative_attention(&in->of, out, log_sum);
    for (int i = 0; i < ROWS * SIZE; i++) sum += out[i] * in->dout[i];
    return sum;
}

Test(reference, relative_attention_gradient) {
    test_restart();
    static const int32_t from[GLOBALS] = {3, 5, -1}, to[GLOBALS] = {5, 9, -1},
                         linked[ROWS] = {-1, -1, -1, -1, 2, 0, -1, 2, -1};
    double *query = test_normal(ROWS * SIZE, 1.0).wide, *key = test_normal(ROWS * SIZE, 1.0).wide,
           *value = test_normal(ROWS * SIZE, 1.0).wide, *term = test_zeros(ROWS * ROWS).wide,
           *embedding = test_normal(2 * IDS * SIZE, 1.0).wide, *bias = test_normal(2 * IDS, 1.0).wide;
    double dquery[ROWS * SIZE] = {0}, dkey[ROWS * SIZE] = {0}, dvalue[ROWS * SIZE] = {0},
                         dembedding[2 * IDS * SIZE] = {0}, dbias[2 * IDS] = {0};
    for (int i = GLOBALS; i < ROWS; i++) term[i * ROWS + (i * 5 % ROWS)] = -INFINITY;
    const dense_inputs in = {
        {ROWS, GLOBALS, SIZE, DISTANCE, IDS, 0.7, from, to, query, key, value, term, embedding, bias, linked},
        test_normal(ROWS * SIZE, 1.0).wide};
    ref_relative_attention_backward(&in.of, in.dout, dquery, dkey, dvalue, dembedding, dbias);
    test_central_differences("query", dense_loss, &in, query, dquery, ROWS * SIZE);
    test_central_differences("key", dense_loss, &in, key, dkey, ROWS * SIZE);
    test_central_differences("value", dense_loss, &in, value, dvalue, ROWS * SIZE);
    test_central_differences("embedding", dense_loss, &in, embedding, dembedding, 2 * IDS * SIZE);
    test_central_differences("bias", dense_loss, &in, bias, dbias, 2 * IDS);
    test_release();
}

// The ids of a query with its neighbours, and of pairs of a global token and a long one.
Test(reference, relative_ids) {
    static const int32_t from[] = {2, 4}, to[] = {4, 6};
    static const int32_t linked[] = {-1, -1, -1, -1, -1, 0, -1};
    const ref_relative of = {
        .rows = 7, .globals = 2, .distance = 2, .segment_begin = from, .segment_end = to, .linked = linked};
    static const int64_t wanted[] = {5, 6, 4, 3, 0, 1, 2};
    for (int j = 0; j < 7; j++)
        cr_expect(ref_relative_id(&of, 4, j) == wanted[j], "%d: %lld", j, (long long)ref_relative_id(&of, 4, j));
    cr_expect(ref_relative_id(&of, 0, 3) == 6 && ref_relative_id(&of, 0, 4) == 5);
    cr_expect(ref_relative_id(&of, 0, 5) == 6 && ref_relative_id(&of, 5, 0) == 6 && ref_relative_id(&of, 6, 0) == 5);
    cr_expect(ref_relative_id(&of, 0, 1) == 1 && ref_relative_id(&of, 1, 0) == 3);
}
