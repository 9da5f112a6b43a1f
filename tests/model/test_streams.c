// SPDX-License-Identifier: MIT
// Two streams that no file of the library knows of, from the public parts of lib/nn alone: an encoder over a source,
// and a decoder over a target with causal self-attention and with attention to the source, asked about some of its
// rows. Held to the same model in double precision, whose slopes are the gradients.
#include "base/random.h"
#include "nn/layers.h"
#include "reference/ref.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE, TARGET, ASKED }; // two streams, and some rows of the second
enum { WIDTH = 8, HEADS = 2, SIZE = WIDTH / HEADS, FEED = 12, VOCABULARY = 7, BLOCK = 4, SEQUENCES = 2 };
enum { SOURCE_TOKENS = 20, TARGET_TOKENS = 15, ASKED_ROWS = 5 };
enum { FLOATS = 4096, TENSORS = 64, SITE_SOURCE = 8, SITE_OWN = 100, SITE_CROSS, SITE_FEED };
static const double epsilon = 1e-5, dropout = 0.2;
static const uint64_t seed = 9;

typedef struct {
    gw_linear query, key, value, output;
    gw_norm norm;
} attention;

typedef struct {
    float weight[FLOATS], gradient[FLOATS];
    int used, first[TENSORS + 1], tensors;
    gw_embedding source_embedding, embedding; // of the encoder, of the decoder
    gw_norm source_norm, embedding_norm, source_feed_norm, feed_norm;
    attention source, own, cross;
    gw_linear source_forward, source_outer, feed_forward, outer, logits;
    gw_graph_source *graphs, *own_graphs; // of the encoder and of cross attention; of the decoder's own
    gw_plan plan;
    gw_tensor out;
} toy;

static gw_weight take(toy *t, int count) {
    const gw_weight weight = {t->weight + t->used, t->gradient + t->used};
    t->used += count;
    t->first[++t->tensors] = t->used;
    cr_assert(t->used <= FLOATS && t->tensors < TENSORS);
    return weight;
}

static gw_linear take_linear(toy *t, int out, int in) {
    const gw_weight weight = take(t, out * in);
    return (gw_linear){.weight = weight, .bias = take(t, out)};
}

static gw_norm take_norm(toy *t) {
    const gw_weight weight = take(t, WIDTH);
    return (gw_norm){weight, take(t, WIDTH)};
}

static gw_embedding take_embedding(toy *t, int positions) {
    const gw_weight token = take(t, VOCABULARY * WIDTH), position = take(t, positions * WIDTH);
    return (gw_embedding){token, position, take(t, WIDTH), 1, VOCABULARY, positions, 1};
}

static attention take_attention(toy *t) {
    const gw_linear query = take_linear(t, WIDTH, WIDTH), key = take_linear(t, WIDTH, WIDTH),
                    value = take_linear(t, WIDTH, WIDTH), output = take_linear(t, WIDTH, WIDTH);
    return (attention){query, key, value, output, take_norm(t)};
}

static void take_weights(toy *t) {
    t->source = take_attention(t);
    t->source_forward = take_linear(t, FEED, WIDTH);
    t->source_outer = take_linear(t, WIDTH, FEED);
    t->source_feed_norm = take_norm(t);
    t->source_embedding = take_embedding(t, SOURCE_TOKENS);
    t->source_norm = take_norm(t);
    t->embedding = take_embedding(t, TARGET_TOKENS);
    t->embedding_norm = take_norm(t);
    t->own = take_attention(t);
    t->cross = take_attention(t);
    t->feed_forward = take_linear(t, FEED, WIDTH);
    t->outer = take_linear(t, WIDTH, FEED);
    t->feed_norm = take_norm(t);
    t->logits = take_linear(t, VOCABULARY, WIDTH);
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < t->used; i++) t->weight[i] = 0.4f * gw_random_normal(&random);
}

// LN(x + dropout(y))
static gw_tensor join(gw_plan *plan, gw_tensor x, gw_tensor y, gw_norm norm, uint32_t site) {
    return gw_plan_norm(plan, gw_plan_sum(plan, gw_plan_dropout(plan, y, (gw_dropout){dropout, site}), x), norm,
                        epsilon);
}

static gw_tensor attend(gw_plan *plan, const attention *w, gw_tensor x, gw_tensor read, gw_graph_source *graphs,
                        uint32_t site) {
    const gw_tensor query = gw_plan_linear(plan, x, w->query, WIDTH), key = gw_plan_linear(plan, read, w->key, WIDTH),
                    value = gw_plan_linear(plan, read, w->value, WIDTH);
    const gw_tensor mixed = gw_plan_attention(plan, query, key, value, HEADS, 0, GW_F32, graphs);
    return join(plan, x, gw_plan_linear(plan, mixed, w->output, WIDTH), w->norm, site);
}

static gw_tensor feed(gw_plan *plan, gw_tensor x, gw_linear inner, gw_linear outer, gw_norm norm, uint32_t site) {
    const gw_tensor wide = gw_plan_activation(plan, gw_plan_linear(plan, x, inner, FEED), GW_ACTIVATION_GELU);
    return join(plan, x, gw_plan_linear(plan, wide, outer, WIDTH), norm, site);
}

// Places of dropout are those of a first layer, and of its embeddings.
static gw_tensor describe_encoder(gw_plan *plan, toy *t) {
    gw_tensor x = gw_plan_embedding(plan, t->source_embedding, WIDTH, SOURCE);
    x = gw_plan_norm(plan, gw_plan_dropout(plan, x, (gw_dropout){dropout, 0}), t->source_norm, epsilon);
    gw_plan_segment_begin(plan);
    x = attend(plan, &t->source, x, x, t->graphs, SITE_SOURCE);
    x = feed(plan, x, t->source_forward, t->source_outer, t->source_feed_norm, SITE_SOURCE + 1);
    gw_plan_segment_end(plan);
    return x;
}

static gw_tensor describe_decoder(gw_plan *plan, toy *t, gw_tensor memory) {
    gw_tensor x = gw_plan_embedding(plan, t->embedding, WIDTH, TARGET);
    x = gw_plan_norm(plan, x, t->embedding_norm, epsilon);
    gw_plan_segment_begin(plan);
    x = attend(plan, &t->own, x, x, t->own_graphs, SITE_OWN);
    x = attend(plan, &t->cross, x, memory, t->graphs, SITE_CROSS);
    gw_plan_segment_end(plan);
    gw_plan_segment_begin(plan);
    x = feed(plan, x, t->feed_forward, t->outer, t->feed_norm, SITE_FEED);
    gw_plan_segment_end(plan);
    return x;
}

static void describe(gw_plan *plan, void *context) {
    toy *t = context;
    gw_plan_stream(plan, SOURCE, SOURCE_TOKENS, SEQUENCES);
    gw_plan_stream(plan, TARGET, TARGET_TOKENS, SEQUENCES);
    gw_plan_row_set(plan, ASKED, TARGET, ASKED_ROWS);
    const gw_tensor memory = describe_encoder(plan, t);
    const gw_tensor asked = gw_plan_gather(plan, describe_decoder(plan, t, memory), ASKED);
    t->out = gw_plan_linear(plan, asked, t->logits, VOCABULARY);
    gw_plan_cross_entropy(plan, t->out);
}

static toy *make(bool training, bool recompute, bool plain) {
    const gw_pattern full = {.block = BLOCK, .full = true}, causal = {.block = BLOCK, .full = true, .causal = true};
    toy *t = calloc(1, sizeof *t);
    take_weights(t);
    cr_assert_eq(gw_pattern_source_new(&full, NULL, 1, HEADS, SOURCE_TOKENS, &t->graphs), GW_OK);
    cr_assert_eq(gw_pattern_source_new(&causal, NULL, 1, HEADS, TARGET_TOKENS, &t->own_graphs), GW_OK);
    t->plan.training = training;
    t->plan.recompute = recompute;
    t->plan.plain = plain;
    cr_assert_eq(gw_plan_build(&t->plan, describe, t), GW_OK, "%s", gw_message());
    return t;
}

static void free_toy(toy *t) {
    gw_plan_free(&t->plan);
    gw_graph_source_free(t->graphs);
    gw_graph_source_free(t->own_graphs);
    free(t);
}

// Sequences of 13 and 7 source tokens, of 6 and 9 target tokens.
static gw_batch make_batch(void) {
    static int64_t source_start[] = {0, 13, SOURCE_TOKENS}, target_start[] = {0, 6, TARGET_TOKENS};
    static int32_t source[SOURCE_TOKENS], target[TARGET_TOKENS], position[SOURCE_TOKENS + TARGET_TOKENS];
    static int32_t zeros[SOURCE_TOKENS], row[] = {1, 5, 6, 10, 14}, label[] = {3, 0, -1, 6, 2};
    for (int i = 0; i < SOURCE_TOKENS; i++) source[i] = i * i % VOCABULARY, position[i] = i < 13 ? i : i - 13;
    for (int i = 0; i < TARGET_TOKENS; i++)
        target[i] = i * 3 % VOCABULARY, position[SOURCE_TOKENS + i] = i < 6 ? i : i - 6;
    gw_rows of_source = {SOURCE_TOKENS, SEQUENCES, source_start}, of_target = {TARGET_TOKENS, SEQUENCES, target_start};
    of_source.token = source, of_source.position = position, of_source.segment = zeros;
    of_target.token = target, of_target.position = position + SOURCE_TOKENS, of_target.segment = zeros;
    of_target.first = 400; // of a step whose earlier batches held so many
    return (gw_batch){
        .of = {[SOURCE] = of_source, [TARGET] = of_target, [ASKED] = {.count = ASKED_ROWS, .row = row, .label = label}},
        .step = 3};
}

// The same in double precision: rows of WIDTH values that functions replace.
typedef struct {
    const toy *toy;
    const double *weight;
    const gw_batch *batch;
    bool drops;
} reference;

static const double *at(const reference *r, gw_weight weight) {
    return r->weight + (weight.value - r->toy->weight);
}

static void linear(const reference *r, gw_linear w, int64_t rows, int64_t out, int64_t in, const double *x, double *y) {
    ref_gemm(false, true, false, rows, out, in, x, at(r, w.weight), at(r, w.bias), y);
}

static void normalise(const reference *r, gw_norm w, int64_t rows, double *x) {
    double mean[SOURCE_TOKENS], inverse[SOURCE_TOKENS];
    ref_layer_norm(rows, WIDTH, epsilon, x, at(r, w.weight), at(r, w.bias), x, mean, inverse);
}

static void drop(const reference *r, int stream, uint32_t site, const double *residual, double *x) {
    const gw_rows *rows = &r->batch->of[stream];
    uint8_t keep[SOURCE_TOKENS * WIDTH];
    const double probability = r->drops ? (double)(float)dropout : 0;
    ref_dropout_keep(rows->count * WIDTH, probability, seed, r->batch->step, site, rows->first * WIDTH, keep);
    ref_dropout_add(rows->count * WIDTH, probability, keep, x, residual, x);
}

// x = LN(x + dropout(y))
static void join_rows(const reference *r, int stream, gw_norm norm, uint32_t site, double *x, double *y) {
    const int64_t rows = r->batch->of[stream].count;
    drop(r, stream, site, x, y);
    memcpy(x, y, (size_t)(rows * WIDTH) * sizeof *x);
    normalise(r, norm, rows, x);
}

static void attend_sequence(const gw_rows *queries, const gw_rows *keys, int s, int head, bool causal,
                            double *const qkv[3], double *out) {
    const int64_t begin[] = {queries->start[s], keys->start[s], keys->start[s]};
    const int64_t rows = queries->start[s + 1] - begin[0], columns = keys->start[s + 1] - begin[1];
    double part[4][SOURCE_TOKENS * SIZE], term[SOURCE_TOKENS * SOURCE_TOKENS], log_sum[SOURCE_TOKENS];
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < (p == 0 ? rows : columns); i++)
            memcpy(part[p] + i * SIZE, qkv[p] + (begin[p] + i) * WIDTH + head * SIZE, SIZE * sizeof(double));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) term[i * columns + j] = causal && j > i ? -INFINITY : 0;
    ref_attention(rows, columns, SIZE, 1 / sqrt((double)SIZE), part[0], part[1], part[2], term, part[3], log_sum);
    for (int64_t i = 0; i < rows; i++)
        memcpy(out + (begin[0] + i) * WIDTH + head * SIZE, part[3] + i * SIZE, SIZE * sizeof(double));
}

static void attend_rows(const reference *r, attention w, int stream, int read, bool causal, uint32_t site, double *x,
                        const double *memory) {
    const gw_rows *queries = &r->batch->of[stream], *keys = &r->batch->of[read];
    double parts[4][SOURCE_TOKENS * WIDTH], y[SOURCE_TOKENS * WIDTH], *const qkv[] = {parts[0], parts[1], parts[2]};
    linear(r, w.query, queries->count, WIDTH, WIDTH, x, qkv[0]);
    linear(r, w.key, keys->count, WIDTH, WIDTH, memory, qkv[1]);
    linear(r, w.value, keys->count, WIDTH, WIDTH, memory, qkv[2]);
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < HEADS; head++) attend_sequence(queries, keys, s, head, causal, qkv, parts[3]);
    linear(r, w.output, queries->count, WIDTH, WIDTH, parts[3], y);
    join_rows(r, stream, w.norm, site, x, y);
}

static void feed_rows(const reference *r, gw_linear feed_forward, gw_linear outer, gw_norm norm, int stream,
                      uint32_t site, double *x) {
    const int64_t rows = r->batch->of[stream].count;
    double wide[SOURCE_TOKENS * FEED], y[SOURCE_TOKENS * WIDTH];
    linear(r, feed_forward, rows, FEED, WIDTH, x, wide);
    ref_gelu(rows * FEED, wide, wide);
    linear(r, outer, rows, WIDTH, FEED, wide, y);
    join_rows(r, stream, norm, site, x, y);
}

static void embed_rows(const reference *r, gw_embedding e, int stream, double *x) {
    const gw_rows *rows = &r->batch->of[stream];
    ref_embedding(rows->count, WIDTH, rows->token, rows->position, rows->segment, 1, NULL, at(r, e.token),
                  at(r, e.position), at(r, e.segment), x);
}

// The sum of losses; logits [ASKED_ROWS][VOCABULARY].
static double reference_loss(const reference *r, double *logits) {
    const toy *t = r->toy;
    const gw_rows *asked = &r->batch->of[ASKED];
    double memory[SOURCE_TOKENS * WIDTH], x[SOURCE_TOKENS * WIDTH], picked[ASKED_ROWS * WIDTH], loss[ASKED_ROWS],
        sum = 0;
    double gradient[ASKED_ROWS * VOCABULARY];
    int32_t best[ASKED_ROWS];
    embed_rows(r, t->source_embedding, SOURCE, memory);
    drop(r, SOURCE, 0, NULL, memory);
    normalise(r, t->source_norm, SOURCE_TOKENS, memory);
    attend_rows(r, t->source, SOURCE, SOURCE, false, SITE_SOURCE, memory, memory);
    feed_rows(r, t->source_forward, t->source_outer, t->source_feed_norm, SOURCE, SITE_SOURCE + 1, memory);
    embed_rows(r, t->embedding, TARGET, x);
    normalise(r, t->embedding_norm, TARGET_TOKENS, x);
    attend_rows(r, t->own, TARGET, TARGET, true, SITE_OWN, x, x);
    attend_rows(r, t->cross, TARGET, SOURCE, false, SITE_CROSS, x, memory);
    feed_rows(r, t->feed_forward, t->outer, t->feed_norm, TARGET, SITE_FEED, x);
    ref_gather_rows(ASKED_ROWS, WIDTH, asked->row, x, picked);
    linear(r, t->logits, ASKED_ROWS, VOCABULARY, WIDTH, picked, logits);
    ref_cross_entropy(ASKED_ROWS, VOCABULARY, logits, asked->label, 0, 1, loss, best, gradient);
    for (int i = 0; i < ASKED_ROWS; i++) sum += loss[i];
    return sum;
}

static void forward(toy *t, const gw_run *run, bool drops) {
    double weight[FLOATS], logits[ASKED_ROWS * VOCABULARY];
    const reference r = {t, weight, run->batch, drops};
    for (int i = 0; i < t->used; i++) weight[i] = (double)t->weight[i];
    cr_assert_eq(gw_plan_forward(&t->plan, run), GW_OK, "%s", gw_message());
    const float *out = gw_plan_value(&t->plan, t->out);
    gw_losses losses;
    cr_assert_eq(gw_plan_read_losses(&t->plan, run->batch, &losses), GW_OK, "%s", gw_message());
    const double expected = reference_loss(&r, logits), found = losses.of[ASKED].loss;
    cr_expect(fabs(found - expected) < 1e-5 * expected, "loss %.9g, reference %.9g", found, expected);
    for (int i = 0; i < ASKED_ROWS * VOCABULARY; i++)
        cr_expect(fabs((double)out[i] - logits[i]) < 1e-5, "logit %d: %.9g, reference %.9g", i, (double)out[i],
                  logits[i]);
}

// d loss / d s of weight + s * direction.
static double slope(const toy *t, const gw_batch *batch, const double *direction) {
    const double step = 1e-5;
    double side[2], weight[FLOATS], logits[ASKED_ROWS * VOCABULARY];
    const reference r = {t, weight, batch, true};
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < t->used; i++) weight[i] = (double)t->weight[i] + (n ? -step : step) * direction[i];
        side[n] = reference_loss(&r, logits);
    }
    return (side[0] - side[1]) / (2 * step);
}

// One random direction of every tensor, and one of its coordinates.
static void check_gradients(toy *t, const gw_batch *batch) {
    gw_random random = gw_random_at(2, GW_SITE_TEST, 0, 0);
    double largest = 0;
    for (int i = 0; i < t->used; i++) largest = fmax(largest, fabs((double)t->gradient[i]));
    for (int round = 0; round < 2 * t->tensors; round++) {
        const int first = t->first[round / 2], count = t->first[round / 2 + 1] - first;
        double direction[FLOATS] = {0}, expected = 0, size = 0;
        if (round % 2 == 0)
            for (int i = 0; i < count; i++) direction[first + i] = (double)gw_random_normal(&random);
        else direction[first + (int)gw_random_below(&random, (uint64_t)count)] = 1;
        for (int i = first; i < first + count; i++) {
            expected += (double)t->gradient[i] * direction[i];
            size += fabs((double)t->gradient[i] * direction[i]);
        }
        const double found = slope(t, batch, direction), bound = 2e-5 * size + 2e-6 * largest;
        cr_expect(fabs(found - expected) < bound, "tensor %d: slope %.9g, gradient gives %.9g", round / 2, found,
                  expected);
    }
}

Test(streams, an_encoder_and_a_decoder_are_those_of_the_reference) {
    const gw_batch batch = make_batch();
    const gw_run run = {.kernels = gw_kernels(), .batch = &batch, .seed = seed, .scale = {[ASKED] = 1}};
    for (int mode = 0; mode < 6; mode++) {
        const bool training = mode < 4;
        toy *t = make(training, mode & 1, mode & 2);
        for (int times = 0; times < 2; times++) forward(t, &run, training);
        if (training) {
            cr_assert_eq(gw_plan_backward(&t->plan, &run), GW_OK, "%s", gw_message());
            check_gradients(t, &batch);
        }
        free_toy(t);
    }
}
