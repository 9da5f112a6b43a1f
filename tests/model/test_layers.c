// SPDX-License-Identifier: MIT
// The layers around attention: convolution, pooling and upsampling with a skip connection, RMS norm and gates, in one
// plan over a stream, a coarser one and a row for each sequence. Held to the same model in double precision, whose
// slopes are the gradients.
#include "base/random.h"
#include "nn/convolution.h"
#include "nn/layers.h"
#include "reference/ref.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASES, COARSE, WHOLE }; // a stream, its coarser one, a row for each sequence
enum { IN = 4, WIDTH = 6, FACTOR = 3, SEQUENCES = 3, ROWS = 24, COARSE_ROWS = 9, FLOATS = 1024, TENSORS = 16 };
enum { FIRST_TAPS = 5, NEXT_TAPS = 3, NEXT_DILATION = 2, GROUPS = 2 };
static const double epsilon = 1e-5;

typedef struct {
    float weight[FLOATS], gradient[FLOATS];
    int used, first[TENSORS + 1], tensors;
    gw_embedding embedding;
    gw_convolution first_convolution, next, coarse;
    gw_norm norm;
    gw_linear gate, value;
    gw_pool how;
    gw_plan plan;
    gw_tensor out, whole;
} toy;

static gw_weight take(toy *t, int count) {
    const gw_weight weight = {t->weight + t->used, t->gradient + t->used};
    t->used += count;
    t->first[++t->tensors] = t->used;
    cr_assert(t->used <= FLOATS && t->tensors < TENSORS);
    return weight;
}

static gw_convolution take_convolution(toy *t, int in, int taps, int dilation, int groups) {
    const gw_weight weight = take(t, taps * WIDTH * in / groups);
    return (gw_convolution){
        .weight = weight, .bias = take(t, WIDTH), .taps = taps, .dilation = dilation, .groups = groups};
}

static gw_linear take_linear(toy *t) {
    const gw_weight weight = take(t, WIDTH * WIDTH);
    return (gw_linear){.weight = weight, .bias = take(t, WIDTH)};
}

static void take_weights(toy *t) {
    t->embedding = (gw_embedding){
        .token = take(t, 4 * IN), .segment = take(t, IN), .token_scale = 1, .vocabulary = 4, .segments = 1};
    t->first_convolution = take_convolution(t, IN, FIRST_TAPS, 1, 1);
    t->next = take_convolution(t, WIDTH, NEXT_TAPS, NEXT_DILATION, GROUPS);
    t->coarse = take_convolution(t, WIDTH, NEXT_TAPS, 1, 1);
    t->coarse.bias.value = t->coarse.bias.gradient = NULL;
    t->norm.weight = take(t, WIDTH);
    t->gate = take_linear(t);
    t->value = take_linear(t);
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < t->used; i++) t->weight[i] = 0.5f * gw_random_normal(&random);
}

// x + conv(rms(x)), and down, a convolution and up again, gated: x + silu(g x) * (v x).
static void describe(gw_plan *plan, void *context) {
    toy *t = context;
    gw_plan_stream(plan, BASES, ROWS, SEQUENCES);
    gw_plan_stream(plan, COARSE, COARSE_ROWS, SEQUENCES);
    gw_plan_sequence_rows(plan, WHOLE, BASES);
    gw_tensor x = gw_plan_embedding(plan, t->embedding, IN, BASES);
    x = gw_plan_convolution(plan, x, t->first_convolution, WIDTH);
    gw_plan_segment_begin(plan);
    x = gw_plan_sum(plan, gw_plan_convolution(plan, gw_plan_norm(plan, x, t->norm, epsilon), t->next, WIDTH), x);
    gw_plan_segment_end(plan);
    gw_plan_segment_begin(plan);
    gw_tensor y = gw_plan_convolution(plan, gw_plan_pool(plan, x, COARSE, t->how, FACTOR), t->coarse, WIDTH);
    x = gw_plan_sum(plan, gw_plan_unpool(plan, y, BASES, FACTOR), x);
    gw_plan_segment_end(plan);
    const gw_tensor gate = gw_plan_linear(plan, x, t->gate, WIDTH), value = gw_plan_linear(plan, x, t->value, WIDTH);
    t->out = gw_plan_sum(plan, gw_plan_gate(plan, gw_plan_activation(plan, gate, GW_ACTIVATION_SILU), value), x);
    t->whole = gw_plan_pool(plan, t->out, WHOLE, t->how, 1);
    gw_plan_number_loss(plan, t->out, (gw_number_loss){0});
    gw_plan_number_loss(plan, t->whole, (gw_number_loss){0});
}

static toy *make(gw_pool how, bool training, bool recompute, bool plain) {
    toy *t = calloc(1, sizeof *t);
    t->how = how;
    take_weights(t);
    t->plan.training = training;
    t->plan.recompute = recompute;
    t->plan.plain = plain;
    cr_assert_eq(gw_plan_build(&t->plan, describe, t), GW_OK, "%s", gw_message());
    return t;
}

static void free_toy(toy *t) {
    gw_plan_free(&t->plan);
    free(t);
}

// Sequences of 13, 1 and 9 rows, of which 5, 1 and 3 coarser ones are made.
static gw_batch make_batch(void) {
    static int64_t start[] = {0, 13, 14, ROWS - 1}, coarser_start[SEQUENCES + 1];
    static int32_t token[ROWS], zeros[ROWS];
    static float number[ROWS * WIDTH];
    for (int i = 0; i < ROWS; i++) token[i] = (i * i + i / 3) % 4;
    for (int i = 0; i < ROWS * WIDTH; i++) number[i] = (float)(i % 7) - 3;
    gw_batch batch = {.of = {[BASES] = {.count = ROWS - 1,
                                        .sequences = SEQUENCES,
                                        .start = start,
                                        .token = token,
                                        .segment = zeros,
                                        .number = number},
                             [COARSE] = {.start = coarser_start, .most = COARSE_ROWS, .most_sequences = SEQUENCES},
                             [WHOLE] = {.count = SEQUENCES, .number = number}}};
    gw_rows_coarsen(&batch.of[BASES], FACTOR, &batch.of[COARSE]);
    cr_assert_eq(batch.of[COARSE].count, COARSE_ROWS);
    return batch;
}

// The same in double precision, a sequence at a time.
typedef struct {
    const toy *toy;
    const double *weight;
} reference;

static const double *at(const reference *r, gw_weight weight) {
    return weight.value ? r->weight + (weight.value - r->toy->weight) : NULL;
}

static void convolve(const reference *r, gw_convolution c, int64_t rows, int64_t in, const double *x, double *y) {
    const ref_convolution_shape shape = {rows, in, WIDTH, c.taps, c.dilation, c.groups};
    ref_convolution(&shape, x, at(r, c.weight), at(r, c.bias), y);
}

static void add(int64_t count, const double *x, double *y) {
    for (int64_t i = 0; i < count; i++) y[i] += x[i];
}

// out [rows][WIDTH], whole [WIDTH]
static void run_sequence(const reference *r, const int32_t *token, int64_t rows, double *out, double *whole) {
    const toy *t = r->toy;
    const char how = t->how == GW_POOL_MAX ? 'x' : t->how == GW_POOL_MEAN ? 'm' : 's';
    const int64_t count = rows * WIDTH;
    double x[ROWS * WIDTH], y[ROWS * WIDTH], z[ROWS * WIDTH];
    int32_t zeros[ROWS] = {0};
    ref_embedding(rows, IN, token, NULL, zeros, 1, NULL, at(r, t->embedding.token), NULL, at(r, t->embedding.segment),
                  z);
    convolve(r, t->first_convolution, rows, IN, z, x);
    ref_rms_norm(rows, WIDTH, epsilon, x, at(r, t->norm.weight), y);
    convolve(r, t->next, rows, WIDTH, y, z);
    add(count, z, x);
    ref_pool(rows, WIDTH, FACTOR, how, x, y);
    convolve(r, t->coarse, (rows + FACTOR - 1) / FACTOR, WIDTH, y, z);
    ref_unpool(rows, WIDTH, FACTOR, z, y);
    add(count, y, x);
    ref_gemm(false, true, false, rows, WIDTH, WIDTH, x, at(r, t->gate.weight), at(r, t->gate.bias), y);
    ref_gemm(false, true, false, rows, WIDTH, WIDTH, x, at(r, t->value.weight), at(r, t->value.bias), z);
    ref_silu(count, y, y);
    ref_gate(count, y, z, out);
    add(count, x, out);
    ref_pool(rows, WIDTH, rows, how, out, whole);
}

static double squares(const double *x, const float *wanted, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (x[i] - (double)wanted[i]) * (x[i] - (double)wanted[i]);
    return sum;
}

static double reference_loss(const reference *r, const gw_batch *batch, double *out) {
    const gw_rows *bases = &batch->of[BASES];
    double whole[SEQUENCES * WIDTH];
    for (int s = 0; s < SEQUENCES; s++)
        run_sequence(r, bases->token + bases->start[s], bases->start[s + 1] - bases->start[s],
                     out + bases->start[s] * WIDTH, whole + s * WIDTH);
    return squares(out, bases->number, bases->count * WIDTH) +
           squares(whole, batch->of[WHOLE].number, SEQUENCES * WIDTH);
}

static void forward(toy *t, const gw_run *run) {
    double weight[FLOATS], wanted[ROWS * WIDTH];
    const reference r = {t, weight};
    for (int i = 0; i < t->used; i++) weight[i] = (double)t->weight[i];
    cr_assert_eq(gw_plan_forward(&t->plan, run), GW_OK, "%s", gw_message());
    const float *out = gw_plan_value(&t->plan, t->out);
    gw_losses losses;
    cr_assert_eq(gw_plan_read_losses(&t->plan, run->batch, &losses), GW_OK, "%s", gw_message());
    const double expected = reference_loss(&r, run->batch, wanted),
                 found = losses.of[BASES].loss + losses.of[WHOLE].loss;
    cr_expect(fabs(found - expected) < 1e-5 * expected, "loss %.9g, reference %.9g", found, expected);
    for (int64_t i = 0; i < run->batch->of[BASES].count * WIDTH; i++)
        cr_expect(fabs((double)out[i] - wanted[i]) < 1e-4, "value %d: %.9g, reference %.9g", (int)i, (double)out[i],
                  wanted[i]);
}

// d loss / d s of weight + s * direction.
static double slope(const toy *t, const gw_batch *batch, const double *direction) {
    const double step = 1e-5;
    double side[2], weight[FLOATS], out[ROWS * WIDTH];
    const reference r = {t, weight};
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < t->used; i++) weight[i] = (double)t->weight[i] + (n ? -step : step) * direction[i];
        side[n] = reference_loss(&r, batch, out);
    }
    return (side[0] - side[1]) / (2 * step);
}

// Random directions of every tensor.
static void check_gradients(toy *t, const gw_batch *batch) {
    gw_random random = gw_random_at(2, GW_SITE_TEST, 0, 0);
    for (int round = 0; round < 2 * t->tensors; round++) {
        const int first = t->first[round / 2], end = t->first[round / 2 + 1];
        double direction[FLOATS] = {0}, expected = 0, size = 0;
        for (int i = first; i < end; i++) {
            direction[i] = (double)gw_random_normal(&random);
            expected += (double)t->gradient[i] * direction[i];
            size += fabs((double)t->gradient[i] * direction[i]);
        }
        const double found = slope(t, batch, direction);
        cr_expect(fabs(found - expected) <= 2e-5 * size, "tensor %d: slope %.9g, gradient gives %.9g", round / 2, found,
                  expected);
    }
}

Test(layers, a_stem_is_that_of_the_reference) {
    const gw_batch batch = make_batch();
    const gw_run run = {.kernels = gw_kernels(), .batch = &batch, .scale = {[BASES] = 1, [WHOLE] = 1}};
    for (int mode = 0; mode < 18; mode++) {
        const bool training = mode % 6 < 4;
        toy *t = make((gw_pool)(mode / 6), training, mode % 6 & 1, mode % 6 & 2);
        for (int times = 0; times < 2; times++) forward(t, &run);
        if (training) {
            cr_assert_eq(gw_plan_backward(&t->plan, &run), GW_OK, "%s", gw_message());
            check_gradients(t, &batch);
        }
        free_toy(t);
    }
}
