// SPDX-License-Identifier: MIT
// Plans: declarations and steps as they are appended, and running the result of the passes.
#include "nn/plan.h"

#include "base/parallel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void gw_plan_stream(gw_plan *plan, int number, int64_t most, int64_t most_sequences) {
    plan->rows[number] =
        (gw_plan_rows){.stream = number, .within = number, .most = most, .most_sequences = most_sequences};
}

void gw_plan_row_set(gw_plan *plan, int number, int stream, int64_t most) {
    plan->rows[number] = (gw_plan_rows){.stream = stream, .within = stream, .most = most};
}

void gw_plan_sequence_rows(gw_plan *plan, int number, int stream) {
    plan->rows[number] = (gw_plan_rows){
        .stream = stream, .within = stream, .most = plan->rows[stream].most_sequences, .each_sequence = true};
}

int64_t gw_plan_most(const gw_plan *plan, gw_tensor tensor) {
    return plan->rows[tensor.rows].most;
}

void *gw_plan_alloc(gw_plan *plan, int64_t count, int64_t size) {
    void *piece = NULL;
    if (plan->status == GW_OK)
        plan->status = gw_reserve(&plan->pieces, &plan->piece_capacity, plan->piece_count + 1, sizeof *plan->pieces);
    if (plan->status == GW_OK && !(piece = gw_alloc(count, size))) plan->status = GW_ERR_MEMORY;
    if (piece) plan->pieces[plan->piece_count++] = piece;
    plan->piece_bytes += count * size;
    return piece;
}

void *gw_plan_memory(gw_plan *plan, int64_t count, int64_t size) {
    void *piece = NULL;
    if (plan->status == GW_OK)
        plan->status =
            gw_reserve(&plan->device_pieces, &plan->device_capacity, plan->device_count + 1, sizeof *plan->pieces);
    if (plan->status == GW_OK) plan->status = plan->kernels->allocate(count * size, &piece);
    if (plan->status != GW_OK) return NULL;
    plan->device_pieces[plan->device_count++] = piece;
    plan->piece_bytes += count * size;
    return piece;
}

void gw_plan_needs(gw_plan *plan, gw_op op) {
    plan->needs[op] = true;
}

void gw_plan_launches(gw_plan *plan, gw_step *step, gw_op op, const void *arguments) {
    const int64_t floats = plan->kernels->scratch(op, arguments);
    gw_plan_needs(plan, op);
    if (floats > step->scratch_floats) step->scratch_floats = floats;
}

gw_tensor gw_plan_append(gw_plan *plan, const gw_plan_op *op, const void *arguments, int64_t size, const gw_tensor *in,
                         int ins, int rows, int64_t width) {
    gw_step step = {
        .op = op, .part = {op}, .parts = 1, .rows = rows, .segment = plan->in_segment ? plan->segments : 0, .ins = ins};
    step.arguments = gw_plan_alloc(plan, size, 1);
    if (plan->status == GW_OK)
        plan->status = gw_reserve(&plan->steps, &plan->capacity, plan->count + 1, sizeof *plan->steps);
    if (plan->status == GW_OK)
        plan->status =
            gw_reserve(&plan->tensors, &plan->tensor_capacity, plan->tensor_count + 1, sizeof *plan->tensors);
    if (plan->status != GW_OK) return (gw_tensor){.rows = rows, .width = width};
    if (size > 0) memcpy(step.arguments, arguments, (size_t)size);
    for (int i = 0; i < ins; i++) step.in[i] = in[i];
    if (width > 0) {
        const gw_tensor tensor = {(int)plan->tensor_count++, rows, width};
        plan->tensors[tensor.id] = (gw_plan_tensor){.tensor = tensor, .maker = (int)plan->count, .floats = true};
        step.out[step.outs++] = tensor;
    }
    plan->steps[plan->count++] = step;
    return step.out[0];
}

void gw_plan_learns(gw_plan *plan, gw_weight weight) {
    if (plan->status != GW_OK || !weight.gradient) return;
    gw_step *step = &plan->steps[plan->count - 1];
    assert(step->learnt < GW_STEP_LEARNS);
    step->learns[step->learnt++] = weight.gradient;
}

void gw_plan_output(gw_plan *plan, gw_tensor tensor) {
    if (plan->status == GW_OK) plan->tensors[tensor.id].output = true;
}

void gw_plan_segment_begin(gw_plan *plan) {
    plan->segments++;
    plan->in_segment = true;
}

void gw_plan_segment_end(gw_plan *plan) {
    plan->in_segment = false;
}

void gw_plan_free(gw_plan *plan) {
    if (plan->arena.memory) plan->kernels->release(plan->arena.memory);
    for (int64_t i = 0; i < plan->device_count; i++) plan->kernels->release(plan->device_pieces[i]);
    for (int64_t i = 0; i < plan->piece_count; i++) free(plan->pieces[i]);
    free(plan->device_pieces);
    free(plan->pieces);
    free(plan->steps);
    free(plan->tensors);
    free(plan->losses);
    free(plan->actions);
}

int64_t gw_plan_bytes(const gw_plan *plan) {
    return plan->arena.size + plan->piece_bytes + plan->count * (int64_t)sizeof *plan->steps +
           plan->tensor_count * (int64_t)sizeof *plan->tensors + plan->action_count * (int64_t)sizeof *plan->actions;
}

float *gw_plan_value(const gw_plan *plan, gw_tensor tensor) {
    return plan->tensors[tensor.id].value;
}

static gw_status check_threads(const gw_plan *plan) {
    if (gw_threads() <= plan->threads) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the network was made for %d threads, and %d are set now", plan->threads,
                   gw_threads());
}

static gw_status run_step(const gw_run *run, const gw_step *step, gw_step_function function) {
    return function && run->batch->of[step->rows].count > 0 ? function(run, step) : GW_OK;
}

gw_status gw_plan_forward(const gw_plan *plan, const gw_run *run) {
    gw_run whole = *run;
    whole.plan = plan;
    GW_TRY(check_threads(plan));
    for (int64_t i = 0; i < plan->count; i++) GW_TRY(run_step(&whole, &plan->steps[i], plan->steps[i].op->forward));
    return GW_OK;
}

gw_status gw_plan_backward(const gw_plan *plan, const gw_run *run) {
    gw_run whole = *run;
    whole.plan = plan;
    assert(plan->training);
    GW_TRY(check_threads(plan));
    for (int64_t i = 0; i < plan->action_count; i++) {
        const gw_action action = plan->actions[i];
        const gw_step *step = &plan->steps[action.index];
        if (action.what == GW_ZERO) {
            const gw_tensor tensor = plan->tensors[action.index].tensor;
            const int64_t floats = gw_run_rows(&whole, tensor) * tensor.width;
            GW_TRY(run->kernels->zero(gw_gradient(&whole, tensor), floats * (int64_t)sizeof(float)));
        } else GW_TRY(run_step(&whole, step, action.what == GW_AGAIN ? step->op->forward : step->op->backward));
        if (run->acted) run->acted(run->context, i + 1);
    }
    return GW_OK;
}

gw_status gw_plan_backward_from(const gw_plan *plan, const gw_run *run, gw_tensor output, const float *seed,
                                gw_step_function rule) {
    gw_run whole = *run;
    whole.plan = plan;
    assert(plan->training && plan->plain);
    GW_TRY(check_threads(plan));
    for (int64_t t = 0; t < plan->tensor_count; t++) {
        const gw_tensor tensor = plan->tensors[t].tensor;
        const int64_t bytes = gw_run_rows(&whole, tensor) * tensor.width * (int64_t)sizeof(float);
        GW_TRY(run->kernels->zero(gw_gradient(&whole, tensor), bytes));
        if (tensor.id == output.id) GW_TRY(run->kernels->to_device(gw_gradient(&whole, tensor), seed, bytes));
    }
    for (int64_t i = plan->count - 1; i >= 0; i--)
        if (plan->steps[i].outs > 0 && plan->steps[i].op->backward) GW_TRY(run_step(&whole, &plan->steps[i], rule));
    return GW_OK;
}

int64_t gw_plan_last_write(const gw_plan *plan, const float *begin, const float *end) {
    for (int64_t i = plan->action_count; i > 0; i--) {
        const gw_action action = plan->actions[i - 1];
        if (action.what != GW_BACKWARD) continue;
        const gw_step *step = &plan->steps[action.index];
        for (int l = 0; l < step->learnt; l++)
            if (step->learns[l] >= begin && step->learns[l] < end) return i;
    }
    return 0;
}
