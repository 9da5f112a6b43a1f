// SPDX-License-Identifier: MIT
// Rotary positions as a plan entry. Turning is orthogonal: the backward pass turns the gradient back.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    gw_tensor tensor;
    int heads;
    gw_angles angles;
} rotary_step;

static gw_status turn(const gw_run *run, const rotary_step *step, float *data, bool inverse) {
    return run->kernels->rotary(&(gw_rotary_args){
        .rows = gw_run_rows(run, step->tensor),
        .heads = step->heads,
        .head_size = step->tensor.width / step->heads,
        .rotary = step->angles.rotary,
        .position = run->batch->of[step->tensor.rows].position,
        .cosine = step->angles.cosine,
        .sine = step->angles.sine,
        .inverse = inverse,
        .data = data,
        .stride = step->tensor.width,
    });
}

static gw_status forward(const gw_run *run, const void *arguments) {
    const rotary_step *step = arguments;
    return turn(run, step, step->tensor.value, false);
}

static gw_status backward(const gw_run *run, const void *arguments) {
    const rotary_step *step = arguments;
    return turn(run, step, step->tensor.gradient, true);
}

gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base) {
    const gw_angles angles = {rotary, gw_plan_take(plan, positions * rotary / 2, sizeof(float)),
                              gw_plan_take(plan, positions * rotary / 2, sizeof(float))};
    if (angles.sine && plan->status == GW_OK)
        plan->status = plan->kernels->rotary_angles(&(gw_rotary_angles_args){
            .positions = positions, .rotary = rotary, .base = base, .cosine = angles.cosine, .sine = angles.sine});
    return angles;
}

void gw_plan_rotary(gw_plan *plan, gw_tensor tensor, int heads, gw_angles angles) {
    assert(angles.rotary % 2 == 0 && angles.rotary <= tensor.width / heads);
    assert(!plan->training || tensor.maker < 0);
    const rotary_step step = {tensor, heads, angles};
    gw_plan_append(plan, tensor.rows, forward, backward, &step, sizeof step);
}
