// SPDX-License-Identifier: MIT
// token_attention over sampled graphs of several sequences and heads, its gradients and those of edges and memberships;
// pair_softmax.
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 on the same numbers.
// Gradients of edges are differences of nearly equal numbers where a query reads few keys; in blocks these do not
// cancel as well as token by token (7.5e-6 at a density of 0.002), and shapes there are about as dense as what is read
// so.
static const double OUT_LIMIT = 6e-7, LOG_SUM_LIMIT = 1e-7, GRADIENT_LIMIT = 2e-6, EDGE_LIMIT = 6e-6,
                    SOFTMAX_LIMIT = 1e-6;
// Operands of bf16 are rounded by up to 0.4 %.
static const double BF16_LIMIT = 0.012, BF16_EDGE_LIMIT = 0.04;

enum { SEQUENCES = 3, HEADS = 2 };
static const int64_t LENGTH[SEQUENCES] = {5, 300, 40};

typedef struct {
    int64_t size, clusters, fixed;
    double density; // of the first head; the other one's is a tenth
    bool dense, mask_gradient;
} test_shape;
static const test_shape SHAPES[] = {{16, 8, -1, 1},          {32, 16, 0, 0.6},
                                    {7, 5, 3, 0.1},          {64, 0, -1, 0.3},
                                    {40, 33, -1, 0.02},      {16, 8, -1, 1, .dense = true},
                                    {7, 5, 3, 0.1, true},    {32, 16, 70, 0.6, true, true},
                                    {80, 70, -1, 0.3, true}, {32, 16, 0, 0.6, false, true}};
enum { SHAPES_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

typedef struct {
    test_shape shape;
    int64_t start[SEQUENCES + 1];
    gw_token_graph graph[SEQUENCES][HEADS];
    float *edge_gradient[SEQUENCES][HEADS];
    gw_token_sequence sequence[SEQUENCES];
    test_array query, key, value, out, log_sum, dout, dquery, dkey, dvalue, u, z, du, dz;
    gw_token_attention_args args;
} problem;

// Query 2 of every graph reads nothing but what is fixed.
static bool is_edge(const problem *p, double density, int64_t i, int64_t j) {
    const bool drawn = test_uniform() < density && i != 2;
    return drawn || llabs(i - j) <= p->shape.fixed;
}

static const uint64_t *bits_of(const gw_token_graph *graph) {
    const int64_t words = gw_bit_words(graph->keys);
    uint64_t *bits = test_alloc(graph->queries * words, sizeof *bits);
    for (int64_t i = 0; i < graph->queries; i++)
        for (int64_t e = graph->row_start[i]; e < graph->row_start[i + 1]; e++)
            bits[i * words + graph->column[e] / 64] |= (uint64_t)1 << graph->column[e] % 64;
    return bits;
}

static void draw(problem *p, int64_t count, double density, gw_token_graph *graph) {
    int64_t *row_start = test_alloc(count + 1, sizeof *row_start);
    int32_t *column = test_alloc(count * count, sizeof *column);
    for (int64_t i = 0; i < count; i++) {
        row_start[i + 1] = row_start[i];
        for (int32_t j = 0; j < count; j++)
            if (is_edge(p, density, i, j)) column[row_start[i + 1]++] = j;
    }
    *graph = (gw_token_graph){.queries = count, .keys = count, .row_start = row_start, .column = column};
    if (p->shape.dense) graph->bits = bits_of(graph);
}

static test_array rows(const problem *p, int64_t width) {
    return test_normal(p->start[SEQUENCES] * HEADS * width, 1.0);
}

static void make(problem *p, const test_shape *shape) {
    *p = (problem){.shape = *shape};
    for (int s = 0; s < SEQUENCES; s++) {
        p->start[s + 1] = p->start[s] + LENGTH[s];
        for (int h = 0; h < HEADS; h++) {
            draw(p, LENGTH[s], h == 0 ? shape->density : shape->density / 10, &p->graph[s][h]);
            p->edge_gradient[s][h] = test_alloc(p->graph[s][h].row_start[LENGTH[s]] + 1, sizeof(float));
        }
        p->sequence[s] = (gw_token_sequence){p->start[s], p->start[s], p->graph[s], p->edge_gradient[s]};
    }
    const int64_t width = shape->size, clusters = shape->clusters;
    p->query = rows(p, width), p->key = rows(p, width), p->value = rows(p, width), p->dout = rows(p, width);
    p->dquery = rows(p, width), p->dkey = rows(p, width), p->dvalue = rows(p, width), p->out = rows(p, width);
    p->u = rows(p, clusters), p->z = rows(p, clusters), p->du = rows(p, clusters), p->dz = rows(p, clusters);
    p->log_sum = test_zeros(HEADS * p->start[SEQUENCES]);
    p->args = (gw_token_attention_args){.sequences = SEQUENCES,
                                        .sequence = p->sequence,
                                        .heads = HEADS,
                                        .head_size = (int)width,
                                        .scale = 0.3f,
                                        .query = p->query.value,
                                        .key = p->key.value,
                                        .value = p->value.value,
                                        .stride = HEADS * width,
                                        .query_rows = p->start[SEQUENCES],
                                        .out = p->out.value,
                                        .log_sum = p->log_sum.value,
                                        .out_gradient = p->dout.value,
                                        .query_gradient = p->dquery.value,
                                        .key_gradient = p->dkey.value,
                                        .value_gradient = p->dvalue.value,
                                        .clusters = (int)clusters,
                                        .query_membership = p->u.value,
                                        .key_membership = p->z.value,
                                        .query_membership_gradient = p->du.value,
                                        .key_membership_gradient = p->dz.value,
                                        .fixed = shape->fixed,
                                        .mask_gradient = shape->mask_gradient,
                                        .penalty = 500,
                                        .density_penalty = clusters == 8 ? 300 : 0};
}

// One head of a sequence, dense.
typedef struct {
    double *part[9]; // query, key, value, out, dout, dquery, dkey, dvalue; log_sum
    double *term, *dfactor;
    uint8_t *mask;
} dense;

static void copy(const problem *p, int s, int h, test_array array, int64_t width, double *to, bool back) {
    for (int64_t i = 0; i < LENGTH[s]; i++)
        for (int64_t d = 0; d < width; d++) {
            double *at = &array.wide[((p->start[s] + i) * HEADS + h) * width + d];
            if (back) *at = to[i * width + d];
            else to[i * width + d] = *at;
        }
}

static dense make_dense(const problem *p, int s, int h) {
    const int64_t n = LENGTH[s], size = p->shape.size;
    const test_array of[] = {p->query, p->key, p->value, p->out, p->dout, p->dquery, p->dkey, p->dvalue};
    dense d = {.term = test_alloc(n * n, sizeof(double)),
               .dfactor = test_alloc(n * n, sizeof(double)),
               .mask = test_alloc(n * n, 1)};
    for (int a = 0; a < 8; a++) copy(p, s, h, of[a], size, d.part[a] = test_alloc(n * size, sizeof(double)), false);
    d.part[8] = test_alloc(n, sizeof(double));
    for (int64_t i = 0; i < n * n; i++) d.term[i] = -INFINITY;
    const gw_token_graph *g = &p->graph[s][h];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = g->row_start[i]; e < g->row_start[i + 1]; e++)
            d.term[i * n + g->column[e]] = 0, d.mask[i * n + g->column[e]] = 1;
    return d;
}

void check_token_attention(const gw_backend *backend) {
    for (int c = 0; c < SHAPES_COUNT; c++) {
        problem p;
        make(&p, &SHAPES[c]);
        cr_assert(backend->token_attention(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                dense d = make_dense(&p, s, h);
                ref_attention(LENGTH[s], LENGTH[s], p.shape.size, (double)0.3f, d.part[0], d.part[1], d.part[2], d.term,
                              d.part[3], d.part[8]);
                copy(&p, s, h, p.out, p.shape.size, d.part[3], true);
                for (int64_t i = 0; i < LENGTH[s]; i++)
                    p.log_sum.wide[h * p.start[SEQUENCES] + p.start[s] + i] = d.part[8][i];
            }
        test_compare("out", p.out, OUT_LIMIT);
        test_compare("log_sum", p.log_sum, LOG_SUM_LIMIT);
        test_unchanged("query", p.query);
        test_release();
    }
}

// What the gradients of edges do to the memberships, and the price of the expected density.
static void want_memberships(const problem *p, int s, int h, const double *edge_gradient) {
    const int64_t n = LENGTH[s], k = p->shape.clusters, row = HEADS * k, first = p->start[s] * row + h * k;
    const double price = (double)p->args.density_penalty / (double)(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < k; c++) {
                const double g = edge_gradient[i * n + j] + price;
                p->du.wide[first + i * row + c] += g * p->z.wide[first + j * row + c];
                p->dz.wide[first + j * row + c] += g * p->u.wide[first + i * row + c];
            }
}

static void want_backward(const problem *p, int s, int h, double edge_limit) {
    const int64_t n = LENGTH[s];
    const double price = (double)p->args.penalty / (double)(n * n);
    const gw_token_graph *g = &p->graph[s][h];
    dense d = make_dense(p, s, h);
    // The gradient of a term that is added to a score is that of the logarithm of a mask, at a mask of 1.
    ref_attention_backward(n, n, p->shape.size, (double)0.3f, d.part[0], d.part[1], d.part[2], d.term, d.part[4],
                           d.part[5], d.part[6], d.part[7], p->shape.mask_gradient ? d.dfactor : NULL);
    if (!p->shape.mask_gradient)
        ref_scaled_attention_backward(n, n, p->shape.size, (double)0.3f, d.part[0], d.part[1], d.part[2], d.mask,
                                      d.part[4], d.dfactor);
    copy(p, s, h, p->dquery, p->shape.size, d.part[5], true);
    copy(p, s, h, p->dkey, p->shape.size, d.part[6], true);
    copy(p, s, h, p->dvalue, p->shape.size, d.part[7], true);
    double error = 0, size = 1e-30;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
            const int64_t at = i * n + g->column[e];
            d.dfactor[at] = llabs(i - g->column[e]) <= p->shape.fixed ? 0 : d.dfactor[at] + price;
            error += pow((double)p->edge_gradient[s][h][e] - d.dfactor[at], 2);
            size += pow(d.dfactor[at], 2);
        }
    cr_assert(sqrt(error / size) < edge_limit, "gradient of edges: error %g", sqrt(error / size));
    want_memberships(p, s, h, d.dfactor);
}

static void check_shape_backward(const gw_backend *backend, const test_shape *shape, gw_precision precision) {
    const bool narrow = precision == GW_BF16;
    const double limit = narrow ? BF16_LIMIT : GRADIENT_LIMIT, edge_limit = narrow ? BF16_EDGE_LIMIT : EDGE_LIMIT;
    problem p;
    make(&p, shape);
    p.args.precision = precision;
    cr_assert(backend->token_attention(&p.args) == GW_OK);
    cr_assert(backend->token_attention_backward(&p.args) == GW_OK);
    for (int s = 0; s < SEQUENCES; s++)
        for (int h = 0; h < HEADS; h++) want_backward(&p, s, h, edge_limit);
    test_compare("gradient of query", p.dquery, limit);
    test_compare("gradient of key", p.dkey, limit);
    test_compare("gradient of value", p.dvalue, limit);
    test_compare("gradient of u", p.du, edge_limit);
    test_compare("gradient of z", p.dz, edge_limit);
    test_unchanged("u", p.u);
    test_release();
}

void check_token_attention_backward(const gw_backend *backend) {
    for (int c = 0; c < SHAPES_COUNT; c++) {
        check_shape_backward(backend, &SHAPES[c], GW_F32);
        if (gw_has_bf16() && SHAPES[c].dense) check_shape_backward(backend, &SHAPES[c], GW_BF16);
    }
}

// Graphs with few edges, learnt and not.
static void check_sparse_backward(const gw_backend *backend) {
    static const test_shape SPARSE[] = {{7, 5, 3, 0.02}, {8, 0, -1, 0.02}, {7, 5, 0, 0.02, .mask_gradient = true}};
    for (size_t c = 0; c < sizeof SPARSE / sizeof SPARSE[0]; c++) check_shape_backward(backend, &SPARSE[c], GW_F32);
}

Test(cuda, token_attention_backward_in_any_order) {
    test_emulated(check_sparse_backward, GW_OP_token_attention_backward, TEST_ORDERS);
}

enum { COUNT = 9, SIZE = 5 };

static test_array pairs_of(const gw_backend *backend, gw_pair_softmax_args *args) {
    const int64_t pairs = HEADS * COUNT * COUNT;
    test_array in = test_normal(HEADS * COUNT * SIZE, 1.0), out = test_zeros(pairs);
    *args = (gw_pair_softmax_args){.heads = HEADS, .count = COUNT, .size = SIZE, .in = in.value, .out = out.value};
    cr_assert(backend->pair_softmax(args) == GW_OK);
    for (int h = 0; h < HEADS; h++)
        ref_pair_softmax(COUNT, SIZE, in.wide + (int64_t)h * COUNT * SIZE, out.wide + (int64_t)h * COUNT * COUNT);
    test_compare("pair_softmax", out, SOFTMAX_LIMIT);
    return in;
}

void check_pair_softmax(const gw_backend *backend) {
    gw_pair_softmax_args args;
    test_unchanged("in", pairs_of(backend, &args));
}

void check_pair_softmax_backward(const gw_backend *backend) {
    gw_pair_softmax_args args;
    const test_array in = pairs_of(backend, &args);
    const int64_t pairs = HEADS * COUNT * COUNT;
    test_array dout = test_normal(pairs, 1.0), din = test_filled(HEADS * COUNT * SIZE, 1.0);
    double out[COUNT * COUNT];
    args.out_gradient = dout.value;
    args.in_gradient = din.value;
    args.scratch = test_alloc(backend->scratch(GW_OP_pair_softmax_backward, &args), sizeof(float));
    cr_assert(backend->pair_softmax_backward(&args) == GW_OK);
    for (int h = 0; h < HEADS; h++) {
        ref_pair_softmax(COUNT, SIZE, in.wide + (int64_t)h * COUNT * SIZE, out);
        ref_pair_softmax_backward(COUNT, SIZE, in.wide + (int64_t)h * COUNT * SIZE, out,
                                  dout.wide + (int64_t)h * COUNT * COUNT, din.wide + (int64_t)h * COUNT * SIZE);
    }
    test_compare("gradient of pair_softmax", din, SOFTMAX_LIMIT);
}

typedef struct {
    const double *in, *dout;
} pair_loss;

static double pair_loss_of(const void *context) {
    const pair_loss *loss = context;
    double out[COUNT * COUNT], sum = 0;
    ref_pair_softmax(COUNT, SIZE, loss->in, out);
    for (int i = 0; i < COUNT * COUNT; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, pair_softmax_gradient) {
    test_restart();
    test_array in = test_normal(COUNT * SIZE, 0.7), dout = test_normal(COUNT * COUNT, 30.0),
               din = test_zeros(COUNT * SIZE);
    double out[COUNT * COUNT];
    const pair_loss loss = {in.wide, dout.wide};
    ref_pair_softmax(COUNT, SIZE, in.wide, out);
    ref_pair_softmax_backward(COUNT, SIZE, in.wide, out, dout.wide, din.wide);
    test_central_differences("clusters", pair_loss_of, &loss, in.wide, din.wide, COUNT * SIZE);
    test_release();
}

typedef struct {
    const double *query, *key, *value, *factor, *dout;
    const uint8_t *mask;
} surrogate;

static double surrogate_of(const void *context) {
    const surrogate *l = context;
    double out[COUNT * SIZE], sum = 0;
    ref_scaled_attention(COUNT, COUNT, SIZE, 0.4, l->query, l->key, l->value, l->mask, l->factor, out);
    for (int i = 0; i < COUNT * SIZE; i++) sum += out[i] * l->dout[i];
    return sum;
}

// Equation 9 is the gradient of attention whose scores are (1 + p - [p]) q . k / sqrt(d), on the sampled edges.
Test(reference, straight_through_is_the_gradient_of_the_surrogate) {
    test_restart();
    test_array query = test_normal(COUNT * SIZE, 1.0), key = test_normal(COUNT * SIZE, 1.0),
               value = test_normal(COUNT * SIZE, 1.0), dout = test_normal(COUNT * SIZE, 1.0),
               factor = test_filled(COUNT * COUNT, 1.0);
    double dfactor[COUNT * COUNT];
    uint8_t mask[COUNT * COUNT];
    for (int i = 0; i < COUNT * COUNT; i++) mask[i] = test_uniform() < 0.5;
    const surrogate loss = {query.wide, key.wide, value.wide, factor.wide, dout.wide, mask};
    ref_scaled_attention_backward(COUNT, COUNT, SIZE, 0.4, query.wide, key.wide, value.wide, mask, dout.wide, dfactor);
    test_central_differences("edges", surrogate_of, &loss, factor.wide, dfactor, COUNT * COUNT);
    test_release();
}

// What the estimators cannot see: edges becoming likelier together. dL/dA adds up to 0 over what a query reads, and
// equation 9 to q . dL/dq, which is 0 in the sum wherever the queries' weights are as good as they can be.
Test(reference, estimators_do_not_see_density) {
    test_restart();
    test_array query = test_normal(COUNT * SIZE, 1.0), key = test_normal(COUNT * SIZE, 1.0),
               value = test_normal(COUNT * SIZE, 1.0), dout = test_normal(COUNT * SIZE, 1.0),
               gradient = test_zeros(3 * COUNT * SIZE), zeros = test_zeros(COUNT * COUNT);
    double dfactor[COUNT * COUNT], *dterm = zeros.wide, *dquery = gradient.wide;
    uint8_t mask[COUNT * COUNT];
    test_array term = test_zeros(COUNT * COUNT);
    for (int i = 0; i < COUNT * COUNT; i++) {
        mask[i] = test_uniform() < 0.6;
        term.wide[i] = mask[i] ? 0 : -INFINITY;
    }
    ref_scaled_attention_backward(COUNT, COUNT, SIZE, 0.4, query.wide, key.wide, value.wide, mask, dout.wide, dfactor);
    ref_attention_backward(COUNT, COUNT, SIZE, 0.4, query.wide, key.wide, value.wide, term.wide, dout.wide, dquery,
                           dquery + COUNT * SIZE, dquery + (ptrdiff_t)2 * COUNT * SIZE, dterm);
    for (int i = 0; i < COUNT; i++) {
        double of_mask = 0, of_score = 0, of_query = 0;
        for (int j = 0; j < COUNT; j++) {
            of_mask += dterm[i * COUNT + j];
            if (mask[i * COUNT + j]) of_score += dfactor[i * COUNT + j];
        }
        for (int d = 0; d < SIZE; d++) of_query += query.wide[i * SIZE + d] * dquery[i * SIZE + d];
        cr_expect(fabs(of_mask) < 1e-12, "query %d: %g", i, of_mask);
        cr_expect(fabs(of_score - of_query) < 1e-12, "query %d: %g, %g", i, of_score, of_query);
    }
    test_release();
}
