// SPDX-License-Identifier: MIT
// Attention that samples its graph, as a layer: every weight's gradient on the graph that was drawn is that of the
// surrogate whose scores are (1 + p - [p]) q . k / sqrt(D); prices of edges and of probabilities; the same bits for any
// threads, plans and batches. And what the straight-through estimator is worth, where all graphs can be counted.
#include "base/parallel.h"
#include "nn/sbm.h"
#include "reference/ref.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS, FIRST = 11, SECOND = 7, ROWS = FIRST + SECOND, SEQUENCES = 2 };
enum { WIDTH = 6, HEADS = 2, SIZE = WIDTH / HEADS, CLUSTERS = 4, CLASSES = 3, MOST = 2000, TENSORS = 10 };
static const double penalty = 3, density_penalty = 2, exploration = 0.05;
static const uint64_t seed = 77;

// Tensors of the toy, by their places in one block.
enum { TABLE, QUERY, KEY, VALUE, CLUSTER, NODES, NODES_BIAS, LAST, LAST_BIAS, LOGITS };
static const int sizes[TENSORS] = {ROWS * WIDTH,          WIDTH *WIDTH,      WIDTH *WIDTH, WIDTH *WIDTH,
                                   HEADS *CLUSTERS *SIZE, HEADS *SIZE *SIZE, HEADS *SIZE,  HEADS *SIZE *SIZE,
                                   HEADS *SIZE,           CLASSES *WIDTH};

typedef struct {
    float weight[MOST], gradient[MOST];
    int at[TENSORS + 1];
    bool shared;
    gw_sbm_graphs *graphs;
    gw_plan plan;
} toy;

static gw_weight take(toy *t, int tensor) {
    return (gw_weight){t->weight + t->at[tensor], t->gradient + t->at[tensor]};
}

static void describe(gw_plan *plan, void *context) {
    toy *t = context;
    gw_plan_stream(plan, TOKENS, ROWS, SEQUENCES);
    gw_tensor qkv[3];
    const gw_tensor x = gw_plan_embedding(
        plan, (gw_embedding){.token = take(t, TABLE), .token_scale = 1, .vocabulary = ROWS}, WIDTH, TOKENS);
    for (int i = 0; i < 3; i++) qkv[i] = gw_plan_linear(plan, x, (gw_linear){.weight = take(t, QUERY + i)}, WIDTH);
    const gw_sbm_weights w = {.nodes = {.weight = take(t, NODES), .bias = take(t, NODES_BIAS)},
                              .nodes_last = {.weight = take(t, LAST), .bias = take(t, LAST_BIAS)},
                              .clusters = take(t, CLUSTER)};
    gw_plan_segment_begin(plan);
    const gw_tensor read = gw_plan_sbm_attention(plan, qkv[0], qkv[1], qkv[2], 0, &w, t->graphs);
    gw_plan_segment_end(plan);
    gw_plan_cross_entropy(plan, gw_plan_linear(plan, read, (gw_linear){.weight = take(t, LOGITS)}, CLASSES));
}

static gw_sbm_options options_of(gw_sbm_mode draws, bool shared, int64_t fixed) {
    return (gw_sbm_options){.layers = 1,
                            .heads = HEADS,
                            .clusters = CLUSTERS,
                            .draws = draws,
                            .shared = shared,
                            .fixed = fixed,
                            .seed = 5,
                            .dense = 2,
                            .exploration = exploration,
                            .penalty = penalty,
                            .density_penalty = density_penalty};
}

static toy *make(const gw_sbm_options *options, bool training, bool recompute, bool plain) {
    toy *t = calloc(1, sizeof *t);
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < TENSORS; i++) t->at[i + 1] = t->at[i] + sizes[i];
    cr_assert(t->at[TENSORS] <= MOST);
    for (int i = 0; i < t->at[TENSORS]; i++) t->weight[i] = 0.8f * gw_random_normal(&random);
    t->shared = options->shared;
    t->plan.training = training;
    t->plan.recompute = recompute;
    t->plan.plain = plain;
    cr_assert_eq(gw_sbm_graphs_new(options, &t->graphs), GW_OK);
    cr_assert_eq(gw_plan_build(&t->plan, describe, t), GW_OK, "%s", gw_message());
    return t;
}

static void free_toy(toy *t) {
    gw_plan_free(&t->plan);
    gw_sbm_graphs_free(t->graphs);
    free(t);
}

static gw_batch make_batch(void) {
    static int64_t start[] = {0, FIRST, ROWS};
    static int32_t token[ROWS], label[ROWS];
    for (int i = 0; i < ROWS; i++) token[i] = i, label[i] = i % 4 == 3 ? -1 : i * 5 % CLASSES;
    return (gw_batch){.of = {[TOKENS] = {.count = ROWS,
                                         .sequences = SEQUENCES,
                                         .start = start,
                                         .token = token,
                                         .label = label,
                                         .first = 40}},
                      .step = 3};
}

// What the double surrogate reads beside weights: the graphs that the layer drew, and the probabilities then.
typedef struct {
    const toy *toy;
    const gw_batch *batch;
    const gw_sbm_options *options;
    uint8_t mask[SEQUENCES][HEADS][FIRST * FIRST];
    double was[SEQUENCES][HEADS][FIRST * FIRST];
} surrogate;

static const gw_step *attention_step(const gw_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++)
        if (strcmp(plan->steps[i].op->name, "token_attention") == 0) return &plan->steps[i];
    return NULL;
}

// The layer's graphs once more, from its memberships in the plan.
static void draw_again(surrogate *r) {
    const gw_step *step = attention_step(&r->toy->plan);
    const gw_rows *rows = &r->batch->of[TOKENS];
    gw_sbm_work work = {0};
    gw_sbm_memory memory = {0};
    float block[CLUSTERS * CLUSTERS];
    double wide[CLUSTERS * SIZE], soft[CLUSTERS * CLUSTERS];
    for (int s = 0; s < SEQUENCES; s++)
        for (int h = 0; h < HEADS; h++) {
            const int64_t n = rows->start[s + 1] - rows->start[s],
                          at = rows->start[s] * HEADS * CLUSTERS + (int64_t)h * CLUSTERS;
            for (int i = 0; i < CLUSTERS * SIZE; i++)
                wide[i] = (double)r->toy->weight[r->toy->at[CLUSTER] + h * CLUSTERS * SIZE + i];
            ref_pair_softmax(CLUSTERS, SIZE, wide, soft);
            for (int i = 0; i < CLUSTERS * CLUSTERS; i++) block[i] = (float)soft[i];
            gw_token_graph graph;
            const gw_sbm sbm = {.kernels = gw_kernels(),
                                .draws = r->options->draws,
                                .each = GW_SBM_EACH,
                                .queries = n,
                                .keys = n,
                                .clusters = CLUSTERS,
                                .query = gw_plan_value(&r->toy->plan, step->in[5]) + at,
                                .product = gw_plan_value(&r->toy->plan, step->in[3]) + at,
                                .key = gw_plan_value(&r->toy->plan, step->in[4]) + at,
                                .stride = HEADS * CLUSTERS,
                                .block = block,
                                .exploration = exploration,
                                .fixed = r->options->fixed,
                                .seed = gw_sbm_seed(seed, r->batch->step, 0, h),
                                .first_query = rows->first + rows->start[s]};
            cr_assert_eq(gw_sbm_draw(&sbm, &work, &memory, &graph), GW_OK);
            for (int64_t i = 0; i < n; i++)
                for (int64_t e = graph.row_start[i]; e < graph.row_start[i + 1]; e++)
                    r->mask[s][h][i * n + graph.column[e]] = 1;
        }
    gw_sbm_work_free(&work);
    gw_sbm_memory_free(&memory);
}

// sigmoid(W_2 relu(W_1 x + b_1) + b_2) . C) of one head; x [n][SIZE], out [n][CLUSTERS]
static void memberships(const surrogate *r, const double *w, int head, int64_t n, const double *x, double *out) {
    const int network = r->toy->shared ? 0 : head, *at = r->toy->at;
    double a[FIRST * SIZE], b[FIRST * SIZE];
    ref_gemm(false, true, false, n, SIZE, SIZE, x, w + at[NODES] + network * SIZE * SIZE,
             w + at[NODES_BIAS] + network * SIZE, a);
    ref_relu(n * SIZE, a, a);
    ref_gemm(false, true, false, n, SIZE, SIZE, a, w + at[LAST] + network * SIZE * SIZE,
             w + at[LAST_BIAS] + network * SIZE, b);
    ref_gemm(false, true, false, n, CLUSTERS, SIZE, b, w + at[CLUSTER] + head * CLUSTERS * SIZE, NULL, out);
    ref_sigmoid(n * CLUSTERS, out, out);
}

// Attention whose terms e^A have factors, with all graphs' pairs at once: the other estimator's surrogate.
static void masked_attention(int64_t n, double *const part[3], const uint8_t *mask, const double *factor, double *out) {
    double term[FIRST * FIRST], log_sum[FIRST];
    for (int64_t i = 0; i < n * n; i++) term[i] = mask[i] ? log(factor[i]) : -INFINITY;
    ref_attention(n, n, SIZE, 1 / sqrt((double)SIZE), part[0], part[1], part[2], term, out, log_sum);
}

// One head of a sequence: out [n][SIZE], and its share of the prices.
static double attend(surrogate *r, const double *w, int s, int h, int64_t n, double *const part[3], bool first,
                     double *out) {
    double y[FIRST * CLUSTERS], z[FIRST * CLUSTERS], block[CLUSTERS * CLUSTERS], p[FIRST * FIRST],
        factor[FIRST * FIRST], price = 0;
    memberships(r, w, h, n, part[0], y);
    memberships(r, w, h, n, part[1], z);
    ref_pair_softmax(CLUSTERS, SIZE, w + r->toy->at[CLUSTER] + h * CLUSTERS * SIZE, block);
    ref_sbm_probability(n, n, CLUSTERS, y, block, z, p);
    if (first) memcpy(r->was[s][h], p, sizeof p);
    for (int64_t i = 0; i < n * n; i++) {
        const bool drawn = r->mask[s][h][i] && llabs(i / n - i % n) > r->options->fixed;
        factor[i] = drawn ? 1 + p[i] - r->was[s][h][i] : 1;
        price += (density_penalty * p[i] + (drawn ? penalty * p[i] : 0)) / (double)(n * n);
    }
    if (r->options->mask_gradient) masked_attention(n, part, r->mask[s][h], factor, out);
    else
        ref_scaled_attention(n, n, SIZE, 1 / sqrt((double)SIZE), part[0], part[1], part[2], r->mask[s][h], factor, out);
    return price;
}

static void head_rows(const double *from, int64_t first, int64_t n, int h, double *to, bool back) {
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < SIZE; d++) {
            const int64_t wide = (first + i) * WIDTH + h * SIZE + d, narrow = i * SIZE + d;
            if (back) to[wide] = from[narrow];
            else to[narrow] = from[wide];
        }
}

static double loss_of(surrogate *r, const double *w, bool first) {
    const gw_rows *rows = &r->batch->of[TOKENS];
    double qkv[3][ROWS * WIDTH], read[ROWS * WIDTH], logits[ROWS * CLASSES], loss[ROWS], gradient[ROWS * CLASSES],
        sum = 0;
    int32_t best[ROWS];
    for (int i = 0; i < 3; i++)
        ref_gemm(false, true, false, ROWS, WIDTH, WIDTH, w + r->toy->at[TABLE], w + r->toy->at[QUERY + i], NULL,
                 qkv[i]);
    for (int s = 0; s < SEQUENCES; s++)
        for (int h = 0; h < HEADS; h++) {
            const int64_t n = rows->start[s + 1] - rows->start[s];
            double parts[3][FIRST * SIZE], out[FIRST * SIZE], *const part[] = {parts[0], parts[1], parts[2]};
            for (int i = 0; i < 3; i++) head_rows(qkv[i], rows->start[s], n, h, parts[i], false);
            sum += attend(r, w, s, h, n, part, first, out);
            head_rows(out, rows->start[s], n, h, read, true);
        }
    ref_gemm(false, true, false, ROWS, CLASSES, WIDTH, read, w + r->toy->at[LOGITS], NULL, logits);
    ref_cross_entropy(ROWS, CLASSES, logits, rows->label, 0, 1, loss, best, gradient);
    for (int i = 0; i < ROWS; i++) sum += loss[i];
    return sum;
}

static void check_gradients(toy *t, const gw_batch *batch, const gw_sbm_options *options) {
    const double step = 1e-5;
    surrogate *r = calloc(1, sizeof *r);
    double w[MOST] = {0}, largest = 0;
    *r = (surrogate){.toy = t, .batch = batch, .options = options};
    draw_again(r);
    for (int i = 0; i < t->at[TENSORS]; i++) w[i] = (double)t->weight[i];
    loss_of(r, w, true);
    for (int i = 0; i < t->at[TENSORS]; i++) largest = fmax(largest, fabs((double)t->gradient[i]));
    for (int tensor = 0; tensor < TENSORS; tensor++) {
        double found = 0;
        for (int i = t->at[tensor]; i < t->at[tensor + 1]; i++) {
            double side[2];
            for (int n = 0; n < 2; n++) {
                const double was = w[i];
                w[i] += n ? -step : step;
                side[n] = loss_of(r, w, false);
                w[i] = was;
            }
            const double slope = (side[0] - side[1]) / (2 * step);
            found = fmax(found, fabs(slope));
            cr_expect(fabs(slope - (double)t->gradient[i]) < 1e-5 * fmax(largest, 1), "tensor %d[%d]: %.7g, slope %.7g",
                      tensor, i - t->at[tensor], (double)t->gradient[i], slope);
        }
        cr_expect(found > 0, "tensor %d has no gradient", tensor);
    }
    free(r);
}

static gw_run run_of(const gw_batch *batch) {
    return (gw_run){.kernels = gw_kernels(), .batch = batch, .seed = seed, .scale = {[TOKENS] = 1}};
}

Test(sbm_layer, gradients_are_those_of_the_surrogate) {
    static const struct {
        gw_sbm_mode draws;
        bool shared;
        int64_t fixed;
        bool mask_gradient;
        double dense;
    } cases[] = {{GW_SBM_EXACT, false, -1, false, 2},
                 {GW_SBM_FASTRG, true, 1, true, 2},
                 {GW_SBM_BERNOULLI, false, 0, false, 2},
                 {GW_SBM_EXACT, true, -1, true, 0},
                 {GW_SBM_BERNOULLI, false, 1, false, 0.3}};
    const gw_batch batch = make_batch();
    const gw_run run = run_of(&batch);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        gw_sbm_options options = options_of(cases[c].draws, cases[c].shared, cases[c].fixed);
        options.mask_gradient = cases[c].mask_gradient;
        options.dense = cases[c].dense;
        toy *t = make(&options, true, false, false);
        cr_assert_eq(gw_plan_forward(&t->plan, &run), GW_OK, "%s", gw_message());
        cr_assert_eq(gw_plan_backward(&t->plan, &run), GW_OK, "%s", gw_message());
        check_gradients(t, &batch, &options);
        free_toy(t);
    }
}

Test(sbm_layer, bits_depend_on_neither_threads_nor_plans) {
    const gw_batch batch = make_batch();
    const gw_run run = run_of(&batch);
    const gw_sbm_options options = options_of(GW_SBM_EXACT, false, 1);
    float first[MOST];
    for (int mode = 0; mode < 6; mode++) {
        gw_set_threads(1 + mode % 3);
        toy *t = make(&options, true, mode & 1, mode > 3);
        for (int times = 0; times < 2; times++) cr_assert_eq(gw_plan_forward(&t->plan, &run), GW_OK);
        cr_assert_eq(gw_plan_backward(&t->plan, &run), GW_OK);
        if (mode == 0) memcpy(first, t->gradient, sizeof first);
        cr_expect_eq(memcmp(first, t->gradient, sizeof first), 0, "mode %d", mode);
        free_toy(t);
    }
}

// Without training a sequence draws by the stored seed alone: the same outputs wherever it stands.
Test(sbm_layer, what_is_only_run_draws_by_the_stored_seed) {
    gw_batch batch = make_batch();
    const gw_sbm_options options = options_of(GW_SBM_EXACT, false, -1);
    gw_run run = run_of(&batch);
    toy *t = make(&options, false, false, false);
    float both[FIRST * WIDTH];
    cr_assert_eq(gw_plan_forward(&t->plan, &run), GW_OK);
    const gw_tensor out = attention_step(&t->plan)->out[0];
    memcpy(both, gw_plan_value(&t->plan, out), sizeof both);
    const double density = gw_sbm_graphs_density(t->graphs, 0, 0);
    cr_expect(density > 0.01 && density < 1, "density %g", density);
    batch.of[TOKENS].sequences = 1;
    batch.of[TOKENS].count = FIRST;
    batch.of[TOKENS].first = 0;
    batch.step = 9;
    run.seed = 1;
    cr_assert_eq(gw_plan_forward(&t->plan, &run), GW_OK);
    cr_expect_eq(memcmp(both, gw_plan_value(&t->plan, out), sizeof both), 0);
    free_toy(t);
}

static void run_both_ways(toy *t, const gw_run *run) {
    cr_assert_eq(gw_plan_forward(&t->plan, run), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_plan_backward(&t->plan, run), GW_OK, "%s", gw_message());
}

// Differences are at most `limit` times the largest number.
static void expect_near(const char *what, const float *got, const float *want, int count, double limit) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs((double)want[i]));
    for (int i = 0; i < count; i++)
        cr_expect(fabs((double)(got[i] - want[i])) < limit * largest, "%s %d: %g, not %g of %g", what, i,
                  (double)got[i], (double)want[i], largest);
}

static void check_blocks(gw_precision precision, double out_limit, double gradient_limit) {
    const gw_batch batch = make_batch();
    gw_sbm_options options = options_of(GW_SBM_EXACT, false, 1);
    const gw_run run = run_of(&batch);
    toy *tokens = make(&options, true, false, false);
    options.dense = 0.01;
    options.precision = precision;
    toy *blocks = make(&options, true, false, false);
    run_both_ways(tokens, &run);
    run_both_ways(blocks, &run);
    cr_assert_eq(gw_sbm_graphs_density(blocks->graphs, 0, 1), gw_sbm_graphs_density(tokens->graphs, 0, 1));
    expect_near("value", gw_plan_value(&blocks->plan, attention_step(&blocks->plan)->out[0]),
                gw_plan_value(&tokens->plan, attention_step(&tokens->plan)->out[0]), ROWS * WIDTH, out_limit);
    cr_expect(memcmp(blocks->gradient, tokens->gradient, sizeof tokens->gradient) != 0, "the same path");
    expect_near("gradient", blocks->gradient, tokens->gradient, tokens->at[TENSORS], gradient_limit);
    free_toy(blocks);
    free_toy(tokens);
}

// A dense graph is read in blocks, to rounding the same as token by token: outputs, and every weight's gradient.
Test(sbm_layer, dense_graphs_are_read_in_blocks) {
    check_blocks(GW_F32, 4e-7, 1e-6);
    if (gw_has_bf16()) check_blocks(GW_BF16, 0.01, 0.01);
}

// Expected gradients over all 2^9 graphs of three tokens, with probabilities p: of the loss, by its definition,
// dE[L]/dp_ij = E[L | M_ij = 1] - E[L | M_ij = 0], and of estimators, E[M_ij g_ij]: equation 9, g = dL/dA_ij A_ij, and,
// to compare, dL/dA_ij alone, the gradient of a mask that stands in the softmax as a factor of e^A.
enum { FEW = 3, FEW_PAIRS = FEW * FEW, ESTIMATORS = 2 };
typedef struct {
    double cosine, ratio; // of an estimator and the loss's; of their lengths
} bias;

static double few_loss(const double *const part[3], const double *wanted, const uint8_t *mask,
                       double gradient[ESTIMATORS][FEW_PAIRS]) {
    double one[FEW_PAIRS], out[FEW * SIZE], dout[FEW * SIZE], loss = 0;
    for (int i = 0; i < FEW_PAIRS; i++) one[i] = 1;
    ref_scaled_attention(FEW, FEW, SIZE, 0.6, part[0], part[1], part[2], mask, one, out);
    for (int i = 0; i < FEW * SIZE; i++) {
        dout[i] = out[i] - wanted[i];
        loss += dout[i] * dout[i] / 2;
    }
    ref_scaled_attention_backward(FEW, FEW, SIZE, 0.6, part[0], part[1], part[2], mask, dout, gradient[0]);
    for (int e = 0; e < FEW_PAIRS; e++) {
        double score = 0;
        for (int d = 0; d < SIZE; d++) score += 0.6 * part[0][e / FEW * SIZE + d] * part[1][e % FEW * SIZE + d];
        gradient[1][e] = gradient[0][e] / score;
    }
    return loss;
}

static bias compare(const double *of_loss, const double *of_estimator) {
    double dot = 0, a = 0, b = 0;
    for (int e = 0; e < FEW_PAIRS; e++) {
        dot += of_loss[e] * of_estimator[e];
        a += of_loss[e] * of_loss[e];
        b += of_estimator[e] * of_estimator[e];
    }
    return (bias){dot / sqrt(a * b), sqrt(b / a)};
}

static void measure(uint64_t draw, double p, bias out[ESTIMATORS]) {
    gw_random random = gw_random_at(draw, GW_SITE_TEST, 1, 0);
    double values[4][FEW * SIZE], of_loss[FEW_PAIRS] = {0}, of_estimator[ESTIMATORS][FEW_PAIRS] = {{0}};
    for (int v = 0; v < 4; v++)
        for (int i = 0; i < FEW * SIZE; i++) values[v][i] = (double)gw_random_normal(&random);
    const double *const part[] = {values[0], values[1], values[2]};
    for (int graph = 0; graph < 1 << FEW_PAIRS; graph++) {
        uint8_t mask[FEW_PAIRS];
        double gradient[ESTIMATORS][FEW_PAIRS], chance = 1;
        for (int e = 0; e < FEW_PAIRS; e++) {
            mask[e] = graph >> e & 1;
            chance *= mask[e] ? p : 1 - p;
        }
        const double loss = few_loss(part, values[3], mask, gradient);
        for (int e = 0; e < FEW_PAIRS; e++) {
            of_loss[e] += chance * loss / (mask[e] ? p : p - 1);
            for (int k = 0; k < ESTIMATORS; k++) of_estimator[k][e] += chance * gradient[k][e];
        }
    }
    for (int k = 0; k < ESTIMATORS; k++) out[k] = compare(of_loss, of_estimator[k]);
}

// The estimator is biased: it sees an edge's score change, not the edge come or go. Over 200 draws of queries, keys,
// values and wanted outputs its mean direction agrees with the loss's only in part; docs/background/sbm.md has these
// figures.
Test(sbm_layer, the_estimator_is_biased) {
    static const double probabilities[] = {0.25, 0.5, 0.9};
    enum { DRAWS = 200 };
    for (int c = 0; c < 3; c++) {
        double cosine[ESTIMATORS] = {0}, ratio[ESTIMATORS] = {0};
        int against[ESTIMATORS] = {0};
        for (int d = 0; d < DRAWS; d++) {
            bias b[ESTIMATORS];
            measure((uint64_t)d, probabilities[c], b);
            for (int k = 0; k < ESTIMATORS; k++) {
                cosine[k] += b[k].cosine / DRAWS;
                ratio[k] += b[k].ratio / DRAWS;
                against[k] += b[k].cosine < 0;
            }
        }
        for (int k = 0; getenv("GW_TEST_ERRORS") && k < ESTIMATORS; k++)
            fprintf(stderr, "p %.2f, estimator %d: cosine %.3f, length %.3f, against %d of %d\n", probabilities[c], k,
                    cosine[k], ratio[k], against[k], DRAWS);
        cr_expect(cosine[0] > 0 && cosine[0] < 0.5, "p %g: mean cosine %g", probabilities[c], cosine[0]);
        cr_expect(cosine[1] > 0.6 && cosine[1] < 1, "p %g: mean cosine %g", probabilities[c], cosine[1]);
    }
}
