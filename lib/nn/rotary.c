// SPDX-License-Identifier: MIT
// Rotary positions as a plan entry. Turning is orthogonal: the backward pass turns the gradient back.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    int heads;
    gw_angles angles;
} rotary_arguments;

static gw_status turn(const gw_run *run, const gw_step *step, float *data, bool inverse) {
    const rotary_arguments *a = step->arguments;
    const gw_tensor out = step->out[0];
    return run->kernels->rotary(&(gw_rotary_args){
        .rows = gw_run_rows(run, out),
        .heads = a->heads,
        .head_size = out.width / a->heads,
        .rotary = a->angles.rotary,
        .position = gw_run_inputs(run, out.rows)->position,
        .cosine = a->angles.cosine,
        .sine = a->angles.sine,
        .inverse = inverse,
        .data = data,
        .stride = out.width,
    });
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    return turn(run, step, gw_value(run, step->out[0]), false);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    return turn(run, step, gw_gradient(run, step->out[0]), true);
}

static const gw_plan_op rotary_op = {.name = "rotary",
                                     .reads = GW_READS_ROW,
                                     .reads_batch = true,
                                     .forward = forward,
                                     .backward = backward,
                                     .must_be_in_place = true};

gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base, const float *frequency) {
    gw_plan_needs(plan, GW_OP_rotary_angles);
    const gw_angles angles = {rotary, gw_plan_memory(plan, positions * rotary / 2, sizeof(float)),
                              gw_plan_memory(plan, positions * rotary / 2, sizeof(float))};
    if (plan->status == GW_OK && gw_backend_has(plan->kernels, GW_OP_rotary_angles))
        plan->status = plan->kernels->rotary_angles(&(gw_rotary_angles_args){
            .positions = positions,
            .rotary = rotary,
            .base = base,
            .frequency = frequency,
            .cosine = angles.cosine,
            .sine = angles.sine,
        });
    return angles;
}

gw_tensor gw_plan_rotary(gw_plan *plan, gw_tensor in, int heads, gw_angles angles) {
    const rotary_arguments arguments = {heads, angles};
    assert(angles.rotary % 2 == 0 && angles.rotary <= in.width / heads);
    gw_plan_needs(plan, GW_OP_rotary);
    return gw_plan_append(plan, &rotary_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
}
