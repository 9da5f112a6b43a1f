// SPDX-License-Identifier: MIT
// linear_attention and its gradients: packed sequences of one row and of many, features and values of odd sizes, causal
// and not.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 (sums of 130 rows).
static const double LIMIT = 1e-6, GRADIENT_LIMIT = 4e-6;

static const int64_t LENGTH[] = {5, 1, 300, 2, 64}, SIZES[][2] = {{1, 1}, {3, 5}, {16, 16}, {37, 9}, {64, 32}};
enum { SEQUENCES = sizeof LENGTH / sizeof LENGTH[0], CASES = 2 * sizeof SIZES / sizeof SIZES[0], HEADS = 2 };

typedef struct {
    int64_t start[SEQUENCES + 1], rows;
    test_array query, key, value, out, sum;
    gw_linear_attention_args args;
} problem;

static test_array positive(int64_t count) {
    test_array array = test_normal(count, 1.0);
    for (int64_t i = 0; i < count; i++) array.wide[i] = array.value[i] = fabsf(array.value[i]);
    return array;
}

static void make(problem *p, const gw_backend *backend, int c) {
    const int64_t features = SIZES[c / 2][0], size = SIZES[c / 2][1];
    p->start[0] = 0;
    for (int s = 0; s < SEQUENCES; s++) p->start[s + 1] = p->start[s] + LENGTH[s];
    p->rows = p->start[SEQUENCES];
    p->query = positive(p->rows * HEADS * features);
    p->key = positive(p->rows * HEADS * features);
    p->value = test_normal(p->rows * HEADS * size, 1.0);
    p->out = test_filled(p->rows * HEADS * size, 5.0);
    p->sum = test_zeros(p->rows * HEADS);
    p->args = (gw_linear_attention_args){.sequences = SEQUENCES,
                                         .rows = p->rows,
                                         .heads = HEADS,
                                         .features = features,
                                         .size = size,
                                         .causal = c % 2,
                                         .start = test_copy(p->start, SEQUENCES + 1, sizeof p->start[0]),
                                         .query = p->query.value,
                                         .key = p->key.value,
                                         .value = p->value.value,
                                         .out = p->out.value,
                                         .sum = p->sum.value};
    p->args.scratch = test_alloc(backend->scratch(GW_OP_linear_attention_backward, &p->args), sizeof(float));
}

// A head's part of a sequence's rows, and back.
static double *head_of(const double *rows, const problem *p, int s, int h, int64_t size) {
    double *part = test_alloc(LENGTH[s] * size, sizeof *part);
    for (int64_t r = 0; r < LENGTH[s]; r++)
        for (int64_t i = 0; i < size; i++) part[r * size + i] = rows[((p->start[s] + r) * HEADS + h) * size + i];
    return part;
}

static void put_head(double *rows, const problem *p, int s, int h, int64_t size, const double *part, double before) {
    for (int64_t r = 0; r < LENGTH[s]; r++)
        for (int64_t i = 0; i < size; i++)
            rows[((p->start[s] + r) * HEADS + h) * size + i] = before + part[r * size + i];
}

void check_linear_attention(const gw_backend *backend) {
    for (int c = 0; c < CASES; c++) {
        problem p;
        make(&p, backend, c);
        const int64_t features = p.args.features, size = p.args.size;
        cr_assert(backend->linear_attention(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                double *out = test_alloc(LENGTH[s] * size, sizeof *out);
                ref_linear_attention(LENGTH[s], features, size, p.args.causal,
                                     head_of(p.query.wide, &p, s, h, features), head_of(p.key.wide, &p, s, h, features),
                                     head_of(p.value.wide, &p, s, h, size), out);
                put_head(p.out.wide, &p, s, h, size, out, 0);
            }
        test_compare("out", p.out, LIMIT);
        test_unchanged("query", p.query);
        test_unchanged("key", p.key);
        test_unchanged("value", p.value);
    }
}

// The gradients are added to what is there.
void check_linear_attention_backward(const gw_backend *backend) {
    for (int c = 0; c < CASES; c++) {
        problem p;
        make(&p, backend, c);
        const int64_t features = p.args.features, size = p.args.size, wide = p.rows * HEADS * features,
                      width = p.rows * HEADS * size;
        test_array gradient = test_normal(width, 1.0), dquery = test_filled(wide, 1.0), dkey = test_filled(wide, 1.0),
                   dvalue = test_filled(width, 1.0);
        p.args.out_gradient = gradient.value;
        p.args.query_gradient = dquery.value;
        p.args.key_gradient = dkey.value;
        p.args.value_gradient = dvalue.value;
        cr_assert(backend->linear_attention(&p.args) == GW_OK);
        cr_assert(backend->linear_attention_backward(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                const int64_t n = LENGTH[s];
                double *dq = test_alloc(n * features, sizeof *dq), *dk = test_alloc(n * features, sizeof *dk),
                       *dv = test_alloc(n * size, sizeof *dv);
                ref_linear_attention_backward(
                    n, features, size, p.args.causal, head_of(p.query.wide, &p, s, h, features),
                    head_of(p.key.wide, &p, s, h, features), head_of(p.value.wide, &p, s, h, size),
                    head_of(gradient.wide, &p, s, h, size), dq, dk, dv);
                put_head(dquery.wide, &p, s, h, features, dq, 1);
                put_head(dkey.wide, &p, s, h, features, dk, 1);
                put_head(dvalue.wide, &p, s, h, size, dv, 1);
            }
        test_compare("gradient of query", dquery, GRADIENT_LIMIT);
        test_compare("gradient of key", dkey, GRADIENT_LIMIT);
        test_compare("gradient of value", dvalue, GRADIENT_LIMIT);
        test_unchanged("value", p.value);
    }
}

enum { ROWS = 7, FEATURES = 3, SIZE = 2 };

typedef struct {
    const double *query, *key, *value, *dout;
    bool causal;
} read_loss;

static double read_rows(const void *context) {
    const read_loss *l = context;
    double out[ROWS * SIZE], sum = 0;
    ref_linear_attention(ROWS, FEATURES, SIZE, l->causal, l->query, l->key, l->value, out);
    for (int i = 0; i < ROWS * SIZE; i++) sum += out[i] * l->dout[i];
    return sum;
}

Test(reference, linear_attention_gradients) {
    for (int causal = 0; causal < 2; causal++) {
        test_restart();
        test_array query = positive(ROWS * FEATURES), key = positive(ROWS * FEATURES),
                   value = test_normal(ROWS * SIZE, 1), dout = test_normal(ROWS * SIZE, 1);
        double dquery[ROWS * FEATURES], dkey[ROWS * FEATURES], dvalue[ROWS * SIZE];
        const read_loss loss = {query.wide, key.wide, value.wide, dout.wide, causal};
        ref_linear_attention_backward(ROWS, FEATURES, SIZE, causal, query.wide, key.wide, value.wide, dout.wide, dquery,
                                      dkey, dvalue);
        test_central_differences("query", read_rows, &loss, query.wide, dquery, ROWS * FEATURES);
        test_central_differences("key", read_rows, &loss, key.wide, dkey, ROWS * FEATURES);
        test_central_differences("value", read_rows, &loss, value.wide, dvalue, ROWS * SIZE);
        test_release();
    }
}
