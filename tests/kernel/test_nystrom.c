// SPDX-License-Identifier: MIT
// segment_mean, landmark_product, head_convolution and their gradients: packed sequences of one row and of many, sizes
// that fill no vector.
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>

// At most twice the error of the plain formula in f32; of inverses a multiple of that, as six iterations carry on what
// rounding leaves.
static const double LIMIT = 1e-6, INVERSE_LIMIT = 2e-5;

static const int64_t LENGTH[] = {5, 1, 37, 2, 32};
enum { SEQUENCES = sizeof LENGTH / sizeof LENGTH[0], HEADS = 2, ITERATIONS = 6 };

static const int64_t *starts(int64_t most, int64_t *rows) {
    int64_t start[SEQUENCES + 1] = {0};
    for (int s = 0; s < SEQUENCES; s++) start[s + 1] = start[s] + (LENGTH[s] < most ? LENGTH[s] : most);
    *rows = start[SEQUENCES];
    return test_copy(start, SEQUENCES + 1, sizeof start[0]);
}

// A head's part of rows, and back, added to `before`.
static double *head_of(const double *rows, int64_t begin, int64_t count, int h, int64_t size) {
    double *part = test_alloc(count * size, sizeof *part);
    for (int64_t r = 0; r < count; r++)
        for (int64_t i = 0; i < size; i++) part[r * size + i] = rows[((begin + r) * HEADS + h) * size + i];
    return part;
}

static void put_head(double *rows, int64_t begin, int64_t count, int h, int64_t size, const double *part,
                     double before) {
    for (int64_t r = 0; r < count; r++)
        for (int64_t i = 0; i < size; i++) rows[((begin + r) * HEADS + h) * size + i] = before + part[r * size + i];
}

// --- segment_mean --------------------------------------------------------------------------------------------------

static const struct { int64_t segments, width; } MEANS[] = {{1, 3}, {4, 16}, {64, 5}, {7, 33}};
enum { MEAN_CASES = sizeof MEANS / sizeof MEANS[0] };

static void check_means(const gw_backend *backend, bool backward) {
    for (int c = 0; c < MEAN_CASES; c++) {
        int64_t rows, segments;
        const int64_t width = MEANS[c].width, *start = starts(1000, &rows), *out = starts(MEANS[c].segments, &segments);
        test_array in = test_normal(rows * width, 1), means = test_filled(segments * width, 5),
                   gradient = test_normal(segments * width, 1), din = test_filled(rows * width, 1);
        const gw_segment_mean_args args = {.sequences = SEQUENCES,
                                           .width = width,
                                           .start = start,
                                           .out_start = out,
                                           .in = in.value,
                                           .out = means.value,
                                           .out_gradient = gradient.value,
                                           .in_gradient = din.value};
        cr_assert(backend->segment_mean(&args) == GW_OK);
        cr_assert(!backward || backend->segment_mean_backward(&args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++) {
            double *part = test_alloc(LENGTH[s] * width, sizeof *part);
            ref_segment_mean(LENGTH[s], out[s + 1] - out[s], width, in.wide + start[s] * width,
                             means.wide + out[s] * width);
            ref_segment_mean_backward(LENGTH[s], out[s + 1] - out[s], width, gradient.wide + out[s] * width, part);
            for (int64_t i = 0; i < LENGTH[s] * width; i++) din.wide[start[s] * width + i] = 1 + part[i];
        }
        test_compare("means", means, LIMIT);
        if (backward) test_compare("gradient of in", din, LIMIT);
        test_unchanged("in", in);
    }
}

void check_segment_mean(const gw_backend *backend) {
    check_means(backend, false);
}

void check_segment_mean_backward(const gw_backend *backend) {
    check_means(backend, true);
}

// --- landmark_product ----------------------------------------------------------------------------------------------

static const int64_t SIZES[] = {1, 5, 16, 33};
enum { SIZE_CASES = sizeof SIZES / sizeof SIZES[0] };

typedef struct {
    int64_t rows, width;
    test_array query, key, value, out, gradient, dquery, dkey, dvalue;
    gw_landmark_product_args args;
} product;

static void make_product(product *p, const gw_backend *backend, int64_t size) {
    const int64_t *start = starts(1000, &p->rows), count = p->rows * HEADS * size;
    test_array *const normal[] = {&p->query, &p->key, &p->value, &p->gradient}, *const filled[] = {&p->out, &p->dquery,
                                                                                                   &p->dkey,
                                                                                                   &p->dvalue};
    for (int i = 0; i < 4; i++) *normal[i] = test_normal(count, 1);
    for (int i = 0; i < 4; i++) *filled[i] = test_filled(count, 1);
    p->args = (gw_landmark_product_args){.sequences = SEQUENCES,
                                         .heads = HEADS,
                                         .iterations = ITERATIONS,
                                         .size = size,
                                         .most = 37,
                                         .scale = 0.4f,
                                         .start = start,
                                         .query = p->query.value,
                                         .key = p->key.value,
                                         .value = p->value.value,
                                         .out = p->out.value,
                                         .out_gradient = p->gradient.value,
                                         .query_gradient = p->dquery.value,
                                         .key_gradient = p->dkey.value,
                                         .value_gradient = p->dvalue.value};
    p->args.scratch = test_alloc(backend->scratch(GW_OP_landmark_product_backward, &p->args), sizeof(float));
}

static void expect_product(product *p, int s, int h) {
    const int64_t begin = p->args.start[s], count = LENGTH[s], size = p->args.size;
    double *part[8], *const rows[8] = {p->query.wide, p->key.wide,    p->value.wide, p->gradient.wide,
                                       p->out.wide,   p->dquery.wide, p->dkey.wide,  p->dvalue.wide};
    for (int i = 0; i < 8; i++) part[i] = head_of(rows[i], begin, count, h, size);
    ref_landmark_product(count, size, (double)p->args.scale, ITERATIONS, part[0], part[1], part[2], part[4]);
    ref_landmark_product_backward(count, size, (double)p->args.scale, ITERATIONS, part[0], part[1], part[2], part[3],
                                  part[5], part[6], part[7]);
    for (int i = 4; i < 8; i++) put_head(rows[i], begin, count, h, size, part[i], i > 4);
}

static void check_product(const gw_backend *backend, int64_t size, bool backward) {
    product p;
    make_product(&p, backend, size);
    cr_assert(backend->landmark_product(&p.args) == GW_OK);
    cr_assert(!backward || backend->landmark_product_backward(&p.args) == GW_OK);
    for (int s = 0; s < SEQUENCES; s++)
        for (int h = 0; h < HEADS; h++) expect_product(&p, s, h);
    test_compare("out", p.out, INVERSE_LIMIT);
    test_unchanged("query", p.query);
    if (!backward) return;
    test_compare("gradient of query", p.dquery, 10 * INVERSE_LIMIT);
    test_compare("gradient of key", p.dkey, 10 * INVERSE_LIMIT);
    test_compare("gradient of value", p.dvalue, INVERSE_LIMIT);
}

static void check_products(const gw_backend *backend, bool backward) {
    for (int c = 0; c < SIZE_CASES; c++) check_product(backend, SIZES[c], backward);
}

void check_landmark_product(const gw_backend *backend) {
    check_products(backend, false);
}

void check_landmark_product_backward(const gw_backend *backend) {
    check_products(backend, true);
}

static void check_small_product(const gw_backend *backend) {
    check_product(backend, 5, true);
}

Test(cuda, landmark_product_backward_in_any_order) {
    test_emulated(check_small_product, GW_OP_landmark_product_backward, TEST_ORDERS);
}

// --- head_convolution ----------------------------------------------------------------------------------------------

static const int64_t TAPS[] = {1, 3, 35, 9};

static void check_convolutions(const gw_backend *backend, bool backward) {
    for (int c = 0; c < SIZE_CASES; c++) {
        int64_t rows;
        const int64_t size = SIZES[c], taps = TAPS[c], *start = starts(1000, &rows), count = rows * HEADS * size;
        test_array in = test_normal(count, 1), weight = test_normal(HEADS * taps, 1), out = test_filled(count, 5),
                   gradient = test_normal(count, 1), din = test_filled(count, 1),
                   dweight = test_filled(HEADS * taps, 1);
        const gw_head_convolution_args args = {.sequences = SEQUENCES,
                                               .heads = HEADS,
                                               .taps = (int)taps,
                                               .size = size,
                                               .start = start,
                                               .in = in.value,
                                               .weight = weight.value,
                                               .out = out.value,
                                               .out_gradient = gradient.value,
                                               .in_gradient = din.value,
                                               .weight_gradient = dweight.value};
        cr_assert(backend->head_convolution(&args) == GW_OK);
        cr_assert(!backward || backend->head_convolution_backward(&args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                double *x = head_of(in.wide, start[s], LENGTH[s], h, size),
                       *y = head_of(out.wide, start[s], LENGTH[s], h, size),
                       *dy = head_of(gradient.wide, start[s], LENGTH[s], h, size),
                       *dx = test_alloc(LENGTH[s] * size, sizeof *dx), *dw = test_alloc(taps, sizeof *dw);
                ref_head_convolution(LENGTH[s], size, taps, x, weight.wide + h * taps, y);
                ref_head_convolution_backward(LENGTH[s], size, taps, x, weight.wide + h * taps, dy, dx, dw);
                put_head(out.wide, start[s], LENGTH[s], h, size, y, 0);
                put_head(din.wide, start[s], LENGTH[s], h, size, dx, 1);
                for (int64_t t = 0; t < taps; t++) dweight.wide[h * taps + t] += dw[t];
            }
        test_compare("out", out, LIMIT);
        test_unchanged("in", in);
        if (!backward) continue;
        test_compare("gradient of in", din, LIMIT);
        test_compare("gradient of weight", dweight, LIMIT);
    }
}

void check_head_convolution(const gw_backend *backend) {
    check_convolutions(backend, false);
}

void check_head_convolution_backward(const gw_backend *backend) {
    check_convolutions(backend, true);
}

// --- the reference -------------------------------------------------------------------------------------------------

enum { ROWS = 5, SIZE = 3, FILTER = 3, SEGMENTS = 2 };

typedef struct {
    const double *query, *key, *value, *dout;
} product_loss;

static double weigh(const double *out, const double *dout, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += out[i] * dout[i];
    return sum;
}

static double product_of(const void *context) {
    const product_loss *l = context;
    double out[ROWS * SIZE];
    ref_landmark_product(ROWS, SIZE, 0.6, ITERATIONS, l->query, l->key, l->value, out);
    return weigh(out, l->dout, ROWS * SIZE);
}

Test(reference, landmark_product_gradients) {
    test_restart();
    test_array query = test_normal(ROWS * SIZE, 1), key = test_normal(ROWS * SIZE, 1),
               value = test_normal(ROWS * SIZE, 1), dout = test_normal(ROWS * SIZE, 1);
    double dquery[ROWS * SIZE], dkey[ROWS * SIZE], dvalue[ROWS * SIZE];
    const product_loss loss = {query.wide, key.wide, value.wide, dout.wide};
    ref_landmark_product_backward(ROWS, SIZE, 0.6, ITERATIONS, query.wide, key.wide, value.wide, dout.wide, dquery,
                                  dkey, dvalue);
    test_central_differences("query", product_of, &loss, query.wide, dquery, ROWS * SIZE);
    test_central_differences("key", product_of, &loss, key.wide, dkey, ROWS * SIZE);
    test_central_differences("value", product_of, &loss, value.wide, dvalue, ROWS * SIZE);
    test_release();
}

// Enough iterations give the inverse: of values that are A w the product is w.
Test(reference, landmark_product_inverts) {
    test_restart();
    test_array query = test_normal(ROWS * SIZE, 2), key = test_normal(ROWS * SIZE, 2),
               want = test_normal(ROWS * SIZE, 1);
    double terms[ROWS * ROWS] = {0}, log_sum[ROWS], value[ROWS * SIZE], out[ROWS * SIZE];
    ref_attention(ROWS, ROWS, SIZE, 1, query.wide, key.wide, want.wide, terms, value, log_sum);
    ref_landmark_product(ROWS, SIZE, 1, 40, query.wide, key.wide, value, out);
    for (int i = 0; i < ROWS * SIZE; i++) cr_expect_float_eq(out[i], want.wide[i], 1e-6);
    test_release();
}

typedef struct {
    const double *in, *weight, *dout;
} rows_loss;

static double convolved(const void *context) {
    const rows_loss *l = context;
    double out[ROWS * SIZE];
    ref_head_convolution(ROWS, SIZE, FILTER, l->in, l->weight, out);
    return weigh(out, l->dout, ROWS * SIZE);
}

static double averaged(const void *context) {
    const rows_loss *l = context;
    double out[SEGMENTS * SIZE];
    ref_segment_mean(ROWS, SEGMENTS, SIZE, l->in, out);
    return weigh(out, l->dout, SEGMENTS * SIZE);
}

Test(reference, landmark_rows_gradients) {
    test_restart();
    test_array in = test_normal(ROWS * SIZE, 1), weight = test_normal(FILTER, 1), dout = test_normal(ROWS * SIZE, 1);
    double din[ROWS * SIZE], dweight[FILTER];
    const rows_loss loss = {in.wide, weight.wide, dout.wide};
    ref_head_convolution_backward(ROWS, SIZE, FILTER, in.wide, weight.wide, dout.wide, din, dweight);
    test_central_differences("in", convolved, &loss, in.wide, din, ROWS * SIZE);
    test_central_differences("weight", convolved, &loss, weight.wide, dweight, FILTER);
    ref_segment_mean_backward(ROWS, SEGMENTS, SIZE, dout.wide, din);
    test_central_differences("in", averaged, &loss, in.wide, din, ROWS * SIZE);
    test_release();
}
