// SPDX-License-Identifier: MIT
// distance_attention and its gradients: sequences shorter and longer than a block of queries, heads that share keys,
// odd sizes, queries that are some rows of their sequence, with a table of distances and without; the reference's
// gradients against central differences.
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double LIMIT = 1e-6, GRADIENT_LIMIT = 2e-6;
// Products of bf16 round queries with their biases, R and weights too, which the reference does not.
static const double BF16_LIMIT = 8e-3;

enum { SEQUENCES = 3 };
typedef struct {
    int heads, groups;
    int64_t key_size, value_size, most, features; // features 0: no table
    int64_t keys[SEQUENCES], first[SEQUENCES], queries[SEQUENCES];
} distance_case;
static const distance_case CASES[] = {
    {1, 1, 1, 1, 1, 1, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
    {2, 1, 5, 3, 9, 4, {9, 1, 7}, {0, 0, 2}, {9, 1, 3}},
    {4, 2, 16, 24, 40, 6, {33, 40, 17}, {0, 5, 0}, {33, 30, 17}},
    {2, 2, 64, 72, 300, 20, {300, 131, 0}, {0, 128, 0}, {300, 3, 0}},
    {4, 2, 33, 70, 290, 0, {260, 1, 290}, {0, 0, 128}, {260, 1, 130}},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

typedef struct {
    const distance_case *shape;
    gw_distance_sequence sequence[SEQUENCES];
    int64_t query_rows, key_rows;
    test_array query, key, value, table, weight, content_bias, position_bias, out, log_sum, dout;
    test_array dquery, dkey, dvalue, dweight, dcontent, dposition, scratch;
    gw_distance_attention_args args;
} problem;

static void make(problem *p, const gw_backend *backend, const distance_case *c, gw_precision precision, gw_op op) {
    *p = (problem){.shape = c};
    for (int s = 0; s < SEQUENCES; s++) {
        p->sequence[s] = (gw_distance_sequence){p->query_rows, c->queries[s], p->key_rows, c->keys[s], c->first[s]};
        p->query_rows += c->queries[s], p->key_rows += c->keys[s];
    }
    const int64_t wide = c->heads * c->key_size, narrow = c->groups * c->key_size;
    p->query = test_normal(p->query_rows * wide, 1);
    p->key = test_normal(p->key_rows * narrow, 1);
    p->value = test_normal(p->key_rows * c->groups * c->value_size, 1);
    p->table = test_normal((2 * c->most - 1) * c->features, 1);
    p->weight = test_normal(wide * c->features, 0.1);
    p->content_bias = test_normal(wide, 0.5);
    p->position_bias = test_normal(wide, 0.5);
    p->out = test_filled(p->query_rows * c->heads * c->value_size, 5);
    p->log_sum = test_filled(c->heads * p->query_rows, 5);
    p->dout = test_normal(p->out.count, 1);
    p->dquery = test_normal(p->query.count, 1), p->dkey = test_normal(p->key.count, 1);
    p->dvalue = test_normal(p->value.count, 1), p->dweight = test_normal(p->weight.count, 1);
    p->dcontent = test_normal(wide, 1), p->dposition = test_normal(wide, 1);
    p->args = (gw_distance_attention_args){.sequences = SEQUENCES,
                                           .sequence = p->sequence,
                                           .heads = c->heads,
                                           .groups = c->groups,
                                           .key_size = c->key_size,
                                           .value_size = c->value_size,
                                           .most = c->most,
                                           .features = c->features,
                                           .scale = 0.2f,
                                           .precision = precision,
                                           .query = p->query.value,
                                           .key = p->key.value,
                                           .value = p->value.value,
                                           .query_rows = p->query_rows,
                                           .table = c->features > 0 ? p->table.value : NULL,
                                           .weight = p->weight.value,
                                           .content_bias = p->content_bias.value,
                                           .position_bias = p->position_bias.value,
                                           .out = p->out.value,
                                           .log_sum = p->log_sum.value,
                                           .out_gradient = p->dout.value,
                                           .query_gradient = p->dquery.value,
                                           .key_gradient = p->dkey.value,
                                           .value_gradient = p->dvalue.value,
                                           .weight_gradient = p->dweight.value,
                                           .content_bias_gradient = p->dcontent.value,
                                           .position_bias_gradient = p->dposition.value};
    p->scratch = test_filled(backend->scratch(op, &p->args), NAN);
    p->args.scratch = p->scratch.value;
}

// A head's part of `rows` rows from `begin` on, dense.
static double *part_of(test_array array, int64_t begin, int64_t rows, int64_t heads, int64_t head, int64_t size) {
    double *part = test_alloc(rows * size, sizeof *part);
    for (int64_t i = 0; i < rows * size; i++)
        part[i] = array.wide[((begin + i / size) * heads + head) * size + i % size];
    return part;
}

static void put_part(test_array array, int64_t begin, int64_t rows, int64_t heads, int64_t head, int64_t size,
                     const double *part) {
    for (int64_t i = 0; i < rows * size; i++)
        array.wide[((begin + i / size) * heads + head) * size + i % size] = part[i];
}

static ref_distance reference_of(const problem *p, int s, int64_t head) {
    const distance_case *c = p->shape;
    const gw_distance_sequence *q = &p->sequence[s];
    const int64_t group = head / (c->heads / c->groups), bias = head * c->key_size;
    return (ref_distance){
        .queries = q->query_count,
        .keys = q->key_count,
        .first = q->first,
        .key_size = c->key_size,
        .value_size = c->value_size,
        .most = c->most,
        .features = c->features,
        .scale = (double)p->args.scale,
        .query = part_of(p->query, q->query_begin, q->query_count, c->heads, head, c->key_size),
        .key = part_of(p->key, q->key_begin, q->key_count, c->groups, group, c->key_size),
        .value = part_of(p->value, q->key_begin, q->key_count, c->groups, group, c->value_size),
        .table = c->features > 0 ? p->table.wide : NULL,
        .weight = p->weight.wide + bias * c->features,
        .content_bias = p->content_bias.wide + bias,
        .position_bias = p->position_bias.wide + bias,
    };
}

static void expect_out(problem *p, int s, int64_t head) {
    const distance_case *c = p->shape;
    const gw_distance_sequence *q = &p->sequence[s];
    const ref_distance of = reference_of(p, s, head);
    double *out = test_alloc(q->query_count * c->value_size, sizeof *out);
    ref_distance_attention(&of, out, p->log_sum.wide + head * p->query_rows + q->query_begin);
    put_part(p->out, q->query_begin, q->query_count, c->heads, head, c->value_size, out);
}

static void expect_gradients(problem *p, int s, int64_t head) {
    const distance_case *c = p->shape;
    const gw_distance_sequence *q = &p->sequence[s];
    const int64_t group = head / (c->heads / c->groups), bias = head * c->key_size;
    const ref_distance of = reference_of(p, s, head);
    const ref_distance_gradients to = {
        .query = part_of(p->dquery, q->query_begin, q->query_count, c->heads, head, c->key_size),
        .key = part_of(p->dkey, q->key_begin, q->key_count, c->groups, group, c->key_size),
        .value = part_of(p->dvalue, q->key_begin, q->key_count, c->groups, group, c->value_size),
        .weight = p->dweight.wide + bias * c->features,
        .content_bias = p->dcontent.wide + bias,
        .position_bias = p->dposition.wide + bias,
    };
    ref_distance_attention_backward(
        &of, part_of(p->dout, q->query_begin, q->query_count, c->heads, head, c->value_size), &to);
    put_part(p->dquery, q->query_begin, q->query_count, c->heads, head, c->key_size, to.query);
    put_part(p->dkey, q->key_begin, q->key_count, c->groups, group, c->key_size, to.key);
    put_part(p->dvalue, q->key_begin, q->key_count, c->groups, group, c->value_size, to.value);
}

static void check_case(const gw_backend *backend, const distance_case *c, gw_precision precision, bool backward) {
    const bool exact = precision == GW_F32;
    problem p;
    make(&p, backend, c, precision, backward ? GW_OP_distance_attention_backward : GW_OP_distance_attention);
    if (backward) { // what it reads of the forward is the reference's
        for (int s = 0; s < SEQUENCES; s++)
            for (int64_t h = 0; h < c->heads; h++) expect_out(&p, s, h);
        for (int64_t i = 0; i < p.out.count; i++) p.out.value[i] = (float)p.out.wide[i];
        for (int64_t i = 0; i < p.log_sum.count; i++) p.log_sum.value[i] = (float)p.log_sum.wide[i];
        cr_assert(backend->distance_attention_backward(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int64_t h = 0; h < c->heads; h++) expect_gradients(&p, s, h);
        const double limit = exact ? test_sum_limit(GRADIENT_LIMIT, c->most) : 2 * BF16_LIMIT;
        test_compare("gradient of query", p.dquery, limit);
        test_compare("gradient of key", p.dkey, limit);
        test_compare("gradient of value", p.dvalue, limit);
        test_compare("gradient of weight", p.dweight, limit);
        test_compare("gradient of content bias", p.dcontent, limit);
        test_compare("gradient of position bias", p.dposition, limit);
    } else {
        cr_assert(backend->distance_attention(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int64_t h = 0; h < c->heads; h++) expect_out(&p, s, h);
        test_compare("out", p.out, exact ? test_sum_limit(LIMIT, c->most) : BF16_LIMIT);
        test_compare("log sum", p.log_sum, exact ? LIMIT : BF16_LIMIT);
    }
    test_unchanged("query", p.query);
    test_unchanged("key", p.key);
    test_unchanged("value", p.value);
    test_unchanged("table", p.table);
    for (int64_t i = 0; i < p.scratch.count; i++) p.scratch.wide[i] = (double)p.scratch.value[i];
    test_unchanged("scratch", p.scratch); // its sentinels
    test_release();
}

static void check_cases(const gw_backend *backend, bool backward) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
        for (int c = 0; c < CASE_COUNT; c++) check_case(backend, &CASES[c], precision, backward);
}

void check_distance_attention(const gw_backend *backend) {
    check_cases(backend, false);
}

void check_distance_attention_backward(const gw_backend *backend) {
    check_cases(backend, true);
}

static void check_small(const gw_backend *backend) {
    check_case(backend, &CASES[1], GW_F32, true);
    check_case(backend, &CASES[1], GW_F32, false);
}

Test(cuda, distance_attention_in_any_order) {
    test_emulated(check_small, GW_OP_distance_attention_backward, TEST_ORDERS);
}

// Blocks of queries alone have the bits that they have among all.
Test(kernel, distance_attention_of_some_rows) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    const distance_case *c = &CASES[3];
    for (int i = 0; i < count; i++)
        for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
            enum { FIRST = 128, QUERIES = 128 };
            problem p;
            if (!backends[i]->supported()) continue;
            test_restart();
            make(&p, backends[i], c, precision, GW_OP_distance_attention);
            cr_assert(backends[i]->distance_attention(&p.args) == GW_OK);
            const int64_t wide = c->heads * c->key_size, width = c->heads * c->value_size;
            test_array some = test_zeros(QUERIES * width), log_sum = test_zeros(c->heads * QUERIES);
            const gw_distance_sequence sequence = {0, QUERIES, 0, c->keys[0], FIRST};
            p.args.sequences = 1, p.args.sequence = &sequence;
            p.args.query += FIRST * wide;
            p.args.query_rows = QUERIES;
            p.args.out = some.value, p.args.log_sum = log_sum.value;
            cr_assert(backends[i]->distance_attention(&p.args) == GW_OK);
            cr_assert(memcmp(some.value, p.out.value + FIRST * width, (size_t)some.count * sizeof(float)) == 0,
                      "%s: rows have other bits alone", backends[i]->name);
            test_release();
        }
}

enum { KEYS = 5, QUERIES = 3, KEY_SIZE = 2, VALUE_SIZE = 3, FEATURES = 2, MOST = 6 };

typedef struct {
    ref_distance of;
    const double *dout;
} distance_loss;

static double read_keys(const void *context) {
    const distance_loss *l = context;
    double out[QUERIES * VALUE_SIZE], log_sum[QUERIES], sum = 0;
    ref_distance_attention(&l->of, out, log_sum);
    for (int i = 0; i < QUERIES * VALUE_SIZE; i++) sum += out[i] * l->dout[i];
    return sum;
}

Test(reference, distance_attention_gradients) {
    for (int with = 0; with < 2; with++) {
        test_restart();
        test_array query = test_normal(QUERIES * KEY_SIZE, 1), key = test_normal(KEYS * KEY_SIZE, 1),
                   value = test_normal(KEYS * VALUE_SIZE, 1), table = test_normal((2 * MOST - 1) * FEATURES, 1),
                   weight = test_normal(KEY_SIZE * FEATURES, 1), u = test_normal(KEY_SIZE, 1),
                   v = test_normal(KEY_SIZE, 1), dout = test_normal(QUERIES * VALUE_SIZE, 1);
        const distance_loss loss = {{QUERIES, KEYS, 1, KEY_SIZE, VALUE_SIZE, MOST, FEATURES, 0.7, query.wide, key.wide,
                                     value.wide, with ? table.wide : NULL, weight.wide, u.wide, v.wide},
                                    dout.wide};
        double dquery[QUERIES * KEY_SIZE] = {0}, dkey[KEYS * KEY_SIZE] = {0}, dvalue[KEYS * VALUE_SIZE] = {0},
                                dweight[KEY_SIZE * FEATURES] = {0}, du[KEY_SIZE] = {0}, dv[KEY_SIZE] = {0};
        ref_distance_attention_backward(&loss.of, dout.wide,
                                        &(ref_distance_gradients){dquery, dkey, dvalue, dweight, du, dv});
        test_central_differences("query", read_keys, &loss, query.wide, dquery, QUERIES * KEY_SIZE);
        test_central_differences("key", read_keys, &loss, key.wide, dkey, KEYS * KEY_SIZE);
        test_central_differences("value", read_keys, &loss, value.wide, dvalue, KEYS * VALUE_SIZE);
        if (!with) { // nothing of the table is read
            test_release();
            continue;
        }
        test_central_differences("weight", read_keys, &loss, weight.wide, dweight, KEY_SIZE * FEATURES);
        test_central_differences("content bias", read_keys, &loss, u.wide, du, KEY_SIZE);
        test_central_differences("position bias", read_keys, &loss, v.wide, dv, KEY_SIZE);
        test_release();
    }
}
