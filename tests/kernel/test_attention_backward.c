// SPDX-License-Identifier: MIT
// attention_backward over every kind of graph, and the reference's gradient against central differences.
#include "reference/ref.h"
#include "tests/kernel/attention_cases.h"
#include "tests/kernel/emulated.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double GRADIENT_LIMIT = 1.2e-6;

static void check_backward(const gw_backend *backend, const attention_case *shape, bool bf16) {
    // the last bit of a score of 15, as rising ones are, is a millionth
    const double limit = bf16 ? ATTENTION_BF16_LIMIT : (shape->rising ? 4 : 1) * GRADIENT_LIMIT;
    attention_test t;
    attention_begin(&t, shape, bf16 ? GW_BF16 : GW_F32);
    attention_want_forward(&t);
    attention_want_backward(&t);
    for (int64_t i = 0; i < t.out.count; i++) t.out.value[i] = (float)t.out.wide[i];
    for (int64_t i = 0; i < t.log_sum.count; i++) t.log_sum.value[i] = (float)t.log_sum.wide[i];
    attention_give_scratch(&t, backend, GW_OP_attention);
    if (bf16) cr_assert(backend->attention(&t.args) == GW_OK); // log_sum of the rounded numbers
    attention_give_scratch(&t, backend, GW_OP_attention_backward);
    cr_assert(backend->attention_backward(&t.args) == GW_OK);
    test_compare("query_gradient", t.dquery, limit);
    test_compare("key_gradient", t.dkey, limit);
    test_compare("value_gradient", t.dvalue, limit);
    attention_end(&t);
    test_release();
}

void check_attention_backward(const gw_backend *backend) {
    for (int c = 0; c < ATTENTION_CASE_COUNT; c++) {
        check_backward(backend, &ATTENTION_CASES[c], false);
        if (gw_has_bf16()) check_backward(backend, &ATTENTION_CASES[c], true);
    }
}

// Small ones of every kind of graph.
static void check_few(const gw_backend *backend) {
    static const int FEW[] = {0, 3, 4, 7, 8, 9, 10, 11};
    for (size_t c = 0; c < sizeof FEW / sizeof FEW[0]; c++) {
        check_backward(backend, &ATTENTION_CASES[FEW[c]], false);
        check_backward(backend, &ATTENTION_CASES[FEW[c]], true);
    }
}

Test(cuda, attention_backward_in_any_order) {
    test_emulated(check_few, GW_OP_attention_backward, TEST_ORDERS);
}

// All products are on tensor cores: 2 of the forward pass, 3 for the gradient of queries, 4 for those of keys and
// values.
static void check_tensor_cores(const gw_backend *backend) {
    for (int c = 0; c < TENSOR_CASE_COUNT; c++) {
        const attention_case *shape = &TENSOR_CASES[c];
        const long before = test_tensor_products(), late = test_late_blocks();
        check_backward(backend, shape, true);
        const long made = test_tensor_products() - before;
        const long wanted = 5 * attention_products(shape, 64, false) + 4 * attention_products(shape, 64, true);
        if (before >= 0) cr_assert_eq(made, wanted, "case %d", c);
        cr_assert_eq(test_late_blocks(), late, "late blocks of case %d", c);
    }
}

Test(cuda, attention_backward_on_tensor_cores) {
    test_emulated(check_tensor_cores, GW_OP_attention_backward, TEST_ORDERS);
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
