// SPDX-License-Identifier: MIT
// Plans of made-up steps: places of memory that no encoder happens to share, which a plan must keep apart all the same.
#include "kernels/backend.h"
#include "nn/layers.h"
#include "run/bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { TOKENS = 5, WIDTH = 3, VALUES = TOKENS * WIDTH, SEGMENTS = 3, POWER = 512 }; // a segment takes the 8th power

static gw_status square(const gw_run *run, const gw_step *step) {
    const float *in = gw_value(run, step->in[0]);
    for (int64_t i = 0; i < gw_run_rows(run, step->in[0]) * WIDTH; i++) gw_value(run, step->out[0])[i] = in[i] * in[i];
    return GW_OK;
}

static gw_status square_backward(const gw_run *run, const gw_step *step) {
    const float *in = gw_value(run, step->in[0]), *out_gradient = gw_gradient(run, step->out[0]);
    for (int64_t i = 0; i < gw_run_rows(run, step->in[0]) * WIDTH; i++)
        gw_gradient(run, step->in[0])[i] += 2 * in[i] * out_gradient[i];
    return GW_OK;
}

static const gw_plan_op square_op = {.forward = square, .backward = square_backward, .reads_in = true};
static const gw_plan_op cheap_op = {.forward = square, .backward = square_backward, .reads_in = true, .cheap = true};

// What goes in, and what comes out of a run: of the last value, and of the first value's gradient, a copy.
static float start[VALUES], end[VALUES], slope[VALUES];

static gw_status begin_forward(const gw_run *run, const gw_step *step) {
    memcpy(gw_value(run, step->out[0]), start, sizeof start);
    return GW_OK;
}

static gw_status begin_backward(const gw_run *run, const gw_step *step) {
    memcpy(slope, gw_gradient(run, step->out[0]), sizeof slope);
    return GW_OK;
}

static gw_status end_forward(const gw_run *run, const gw_step *step) {
    memcpy(end, gw_value(run, step->in[0]), sizeof end);
    return GW_OK;
}

// The loss is the sum of all values.
static gw_status end_backward(const gw_run *run, const gw_step *step) {
    for (int i = 0; i < VALUES; i++) gw_gradient(run, step->in[0])[i] += 1;
    return GW_OK;
}

static const gw_plan_op begin_op = {.forward = begin_forward, .backward = begin_backward};
static const gw_plan_op end_op = {.forward = end_forward, .backward = end_backward};

static gw_tensor append(gw_plan *plan, const gw_plan_op *op, gw_tensor in) {
    return gw_plan_append(plan, op, NULL, 0, &in, 1, in.rows, WIDTH);
}

// x^2 runs again, and nobody reads it when the result is made, whose gradient could take its place and must not.
static gw_tensor eighth_power(gw_plan *plan, gw_tensor x) {
    gw_plan_segment_begin(plan);
    for (int i = 0; i < 3; i++) x = append(plan, i == 0 ? &cheap_op : &square_op, x);
    gw_plan_segment_end(plan);
    return x;
}

static void describe(gw_plan *plan, void *context) {
    (void)context;
    gw_plan_stream(plan, 0, TOKENS, 1);
    gw_tensor x = gw_plan_append(plan, &begin_op, NULL, 0, NULL, 0, 0, WIDTH);
    for (int i = 0; i < SEGMENTS; i++) x = eighth_power(plan, x);
    gw_plan_append(plan, &end_op, NULL, 0, &x, 1, 0, 0);
}

static void run_plan(bool recompute) {
    const gw_batch batch = {.of = {{.count = TOKENS, .sequences = 1}}};
    const gw_run run = {.kernels = gw_kernels(), .batch = &batch};
    gw_plan plan = {.training = true, .recompute = recompute};
    cr_assert_eq(gw_plan_build(&plan, describe, NULL), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_plan_forward(&plan, &run), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_plan_backward(&plan, &run), GW_OK, "%s", gw_message());
    gw_plan_free(&plan);
}

Test(plan, segments_run_again_beside_the_gradient_of_their_result) {
    float kept[2][VALUES];
    for (int i = 0; i < VALUES; i++) start[i] = 1 + 0.001f * (float)(i - VALUES / 2);
    run_plan(false);
    memcpy(kept[0], end, sizeof end);
    memcpy(kept[1], slope, sizeof slope);
    for (int i = 0; i < VALUES; i++) {
        const double x = (double)start[i], expected = POWER * pow(x, POWER - 1);
        cr_expect(fabs((double)slope[i] - expected) < 1e-3 * expected, "d x^512 at %g: %g, not %g", x, (double)slope[i],
                  expected);
    }
    run_plan(true);
    cr_expect_arr_eq(end, kept[0], sizeof end);
    cr_expect_arr_eq(slope, kept[1], sizeof slope);
}

// ---- types of tensors on a device that takes bf16

enum { WIDE = 64 }; // narrower layers stay f32

static gw_tensor product(gw_plan *plan, gw_tensor in, gw_precision precision) {
    return gw_plan_linear(plan, in, (gw_linear){.precision = precision}, WIDE);
}

// What each tensor is read by, and so its type and that of its gradient.
static const struct {
    const char *reader;
    bool floats, bf16, gradient_bf16;
} TYPES[] = {{"a product, of what no product makes", true, false, false},
             {"a product", false, true, true},
             {"an activation", false, true, true},
             {"a product, of an activation", false, true, true},
             {"two products: both add to its gradient", false, true, false},
             {"a sum", false, true, true},
             {"a sum, as residual", true, false, false},
             {"an activation, of a sum", true, false, false},
             {"a product, of an activation of f32", false, true, false},
             {"a norm", true, false, false},
             {"nobody, of a norm", true, false, false}};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static void describe_readers(gw_plan *plan, void *context) {
    const gw_precision precision = *(const gw_precision *)context;
    gw_plan_stream(plan, 0, TOKENS, 1);
    const gw_tensor first = gw_plan_append(plan, &begin_op, NULL, 0, NULL, 0, 0, WIDE);
    const gw_tensor made = product(plan, product(plan, first, precision), precision);
    const gw_tensor twice = product(plan, gw_plan_activation(plan, made, GW_ACTIVATION_GELU), precision);
    const gw_tensor in = product(plan, twice, precision), residual = product(plan, twice, precision);
    const gw_tensor active = gw_plan_activation(plan, gw_plan_sum(plan, in, residual), GW_ACTIVATION_GELU);
    gw_plan_norm(plan, product(plan, active, precision), (gw_norm){0}, 1e-5);
}

static void check_types(gw_plan plan, gw_precision precision, bool stores) {
    cr_assert_eq(gw_plan_build(&plan, describe_readers, &precision), GW_OK, "%s", gw_message());
    cr_assert_eq(plan.tensor_count, TYPE_COUNT);
    for (int i = 0; i < TYPE_COUNT; i++) {
        const gw_plan_tensor *t = &plan.tensors[i];
        cr_expect_eq(t->floats, TYPES[i].floats || !stores, "%d, read by %s", i, TYPES[i].reader);
        cr_expect_eq(t->bf16, TYPES[i].bf16 && stores, "%d, read by %s", i, TYPES[i].reader);
        cr_expect_eq(t->gradient_bf16, TYPES[i].gradient_bf16 && stores, "%d, read by %s", i, TYPES[i].reader);
        cr_expect(!stores || ((t->gradient == NULL) == t->gradient_bf16 && (t->value == NULL) == !t->floats), "%d", i);
    }
    gw_plan_free(&plan);
}

Test(plan, types_of_tensors_and_gradients) {
    check_types((gw_plan){.training = true}, GW_BF16, false); // a processor's
    cr_assert_eq(gw_bench_plan_cuda(), GW_OK);
    check_types((gw_plan){.training = true}, GW_BF16, true);
    check_types((gw_plan){.training = true, .recompute = true}, GW_BF16, true);
    check_types((gw_plan){.training = true, .plain = true}, GW_BF16, false);
    check_types((gw_plan){.training = true}, GW_F32, false);
    gw_use_device(NULL);
}
