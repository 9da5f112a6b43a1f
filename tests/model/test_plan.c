// SPDX-License-Identifier: MIT
// Plans of made-up steps: places of memory that no encoder happens to share, which a plan must keep apart all the same.
#include "kernels/kernel.h"
#include "nn/plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { TOKENS = 5, WIDTH = 3, VALUES = TOKENS * WIDTH, SEGMENTS = 3, POWER = 512 }; // a segment takes the 8th power

typedef struct {
    gw_tensor in, out;
} two_tensors;

static gw_status square(const gw_run *run, const void *arguments) {
    const two_tensors *step = arguments;
    for (int64_t i = 0; i < gw_run_rows(run, step->in) * WIDTH; i++)
        step->out.value[i] = step->in.value[i] * step->in.value[i];
    return GW_OK;
}

static gw_status square_backward(const gw_run *run, const void *arguments) {
    const two_tensors *step = arguments;
    for (int64_t i = 0; i < gw_run_rows(run, step->in) * WIDTH; i++)
        step->in.gradient[i] += 2 * step->in.value[i] * step->out.gradient[i];
    return GW_OK;
}

static gw_tensor append_square(gw_plan *plan, gw_tensor in, gw_tensor out) {
    const two_tensors step = {in, out};
    gw_plan_append(plan, in.rows, square, square_backward, &step, sizeof step);
    return out;
}

// What goes in, and what comes out of a run: of the last value, and of the first value's gradient, a copy.
static float start[VALUES], end[VALUES], slope[VALUES];

static gw_status begin_forward(const gw_run *run, const void *arguments) {
    (void)run;
    memcpy(((const two_tensors *)arguments)->out.value, start, sizeof start);
    return GW_OK;
}

static gw_status begin_backward(const gw_run *run, const void *arguments) {
    (void)run;
    memcpy(slope, ((const two_tensors *)arguments)->out.gradient, sizeof slope);
    return GW_OK;
}

static gw_status end_forward(const gw_run *run, const void *arguments) {
    (void)run;
    memcpy(end, ((const two_tensors *)arguments)->in.value, sizeof end);
    return GW_OK;
}

// The loss is the sum of all values.
static gw_status end_backward(const gw_run *run, const void *arguments) {
    (void)run;
    for (int i = 0; i < VALUES; i++) ((const two_tensors *)arguments)->in.gradient[i] += 1;
    return GW_OK;
}

// x^2 is of the pool and released before the result, whose gradient could take its place and must not.
static gw_tensor eighth_power(gw_plan *plan, gw_tensor x) {
    gw_plan_segment(plan, x, x.rows);
    const gw_tensor second = append_square(plan, x, gw_plan_tensor(plan, x.rows, WIDTH, false));
    const gw_tensor fourth = append_square(plan, second, gw_plan_tensor(plan, x.rows, WIDTH, true));
    gw_plan_release(plan, second);
    const gw_tensor out = append_square(plan, fourth, gw_plan_result(plan));
    gw_plan_release(plan, fourth);
    gw_plan_release(plan, x);
    gw_plan_segment_end(plan);
    return out;
}

static void describe(gw_plan *plan, void *context) {
    (void)context;
    gw_plan_stream(plan, 0, TOKENS, 1);
    two_tensors ends = {.out = gw_plan_tensor(plan, 0, WIDTH, true)};
    gw_plan_append(plan, 0, begin_forward, begin_backward, &ends, sizeof ends);
    ends.in = ends.out;
    for (int i = 0; i < SEGMENTS; i++) ends.in = eighth_power(plan, ends.in);
    gw_plan_append(plan, 0, end_forward, end_backward, &ends, sizeof ends);
    gw_plan_release(plan, ends.in);
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
