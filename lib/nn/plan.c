// SPDX-License-Identifier: MIT
#include "nn/plan.h"

#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum { ALIGN = 16 }; // floats

static int64_t aligned(int64_t floats) {
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

void gw_plan_stream(gw_plan *plan, int number, int64_t most, int64_t most_sequences) {
    plan->rows[number] = (gw_plan_rows){.stream = number, .most = most, .most_sequences = most_sequences};
}

void gw_plan_row_set(gw_plan *plan, int number, int stream, int64_t most) {
    plan->rows[number] = (gw_plan_rows){.stream = stream, .most = most};
}

void gw_plan_sequence_rows(gw_plan *plan, int number, int stream) {
    plan->rows[number] =
        (gw_plan_rows){.stream = stream, .most = plan->rows[stream].most_sequences, .each_sequence = true};
}

int64_t gw_plan_most(const gw_plan *plan, gw_tensor tensor) {
    return plan->rows[tensor.rows].most;
}

// First gap between the live places that holds `floats`, or past the last one.
static int64_t pool_take(gw_plan *plan, int64_t floats) {
    floats = aligned(floats);
    assert(plan->live_count < GW_PLAN_LIVE);
    int64_t begin = 0;
    int i = 0;
    for (; i < plan->live_count && plan->live[i].begin - begin < floats; i++) begin = plan->live[i].end;
    memmove(&plan->live[i + 1], &plan->live[i], (size_t)(plan->live_count - i) * sizeof plan->live[0]);
    plan->live[i].begin = begin;
    plan->live[i].end = begin + floats;
    plan->live_count++;
    if (begin + floats > plan->pool_size) plan->pool_size = begin + floats;
    return begin;
}

static void pool_release(gw_plan *plan, int64_t place) {
    int i = 0;
    while (i < plan->live_count && plan->live[i].begin != place) i++;
    assert(i < plan->live_count);
    plan->live_count--;
    memmove(&plan->live[i], &plan->live[i + 1], (size_t)(plan->live_count - i) * sizeof plan->live[0]);
}

static float *pool_at(const gw_plan *plan, int64_t place) {
    return plan->pool ? plan->pool + place : NULL;
}

void *gw_plan_take(gw_plan *plan, int64_t count, int64_t size) {
    return gw_arena_take(&plan->arena, count, size);
}

// What the backward pass reads: for good, or until the next segment.
static float *keep(gw_plan *plan, int64_t floats) {
    if (!plan->segment.open) return gw_plan_take(plan, floats, sizeof(float));
    float *piece = plan->region ? plan->region + plan->region_used : NULL;
    plan->region_used += aligned(floats);
    if (plan->region_used > plan->region_size) plan->region_size = plan->region_used;
    return piece;
}

static void place_value(gw_plan *plan, gw_tensor *tensor, bool kept) {
    const int64_t floats = gw_plan_most(plan, *tensor) * tensor->width;
    if (plan->training && kept) {
        tensor->value = keep(plan, floats);
        return;
    }
    tensor->value_offset = pool_take(plan, floats);
    tensor->value = pool_at(plan, tensor->value_offset);
    tensor->maker = plan->count;
}

gw_tensor gw_plan_tensor(gw_plan *plan, int rows, int64_t width, bool kept) {
    gw_tensor tensor = {.rows = rows, .width = width, .value_offset = -1, .gradient_offset = -1, .maker = -1};
    place_value(plan, &tensor, kept);
    if (plan->training) {
        tensor.gradient_offset = pool_take(plan, gw_plan_most(plan, tensor) * width);
        tensor.gradient = pool_at(plan, tensor.gradient_offset);
    }
    return tensor;
}

gw_tensor gw_plan_successor(gw_plan *plan, gw_tensor in, bool kept) {
    if (!plan->training) return in;
    assert(in.maker < 0); // else two tensors of the pool would end with one release
    gw_tensor out = in;
    place_value(plan, &out, kept);
    return out;
}

gw_tensor gw_plan_output(gw_plan *plan, int rows, int64_t width) {
    gw_tensor tensor = {.rows = rows, .width = width, .value_offset = -1, .gradient_offset = -1, .maker = -1};
    tensor.value = gw_plan_take(plan, gw_plan_most(plan, tensor) * width, sizeof(float));
    if (plan->training) tensor.gradient = tensor.value;
    return tensor;
}

float *gw_plan_scratch(gw_plan *plan, int64_t floats) {
    float *piece = plan->scratch ? plan->scratch + plan->scratch_used : NULL;
    plan->scratch_used += aligned(floats);
    if (plan->scratch_used > plan->scratch_size) plan->scratch_size = plan->scratch_used;
    return piece;
}

float *gw_plan_kept(gw_plan *plan, int64_t floats) {
    return plan->training ? keep(plan, floats) : gw_plan_scratch(plan, floats);
}

void *gw_plan_append(gw_plan *plan, int rows, gw_step_function forward, gw_step_function backward,
                     const void *arguments, int64_t size) {
    void *copy = gw_plan_take(plan, size, 1);
    if (plan->steps) {
        assert(plan->count < plan->most_steps);
        memcpy(copy, arguments, (size_t)size);
        plan->steps[plan->count] = (gw_step){rows, forward, backward, copy};
    }
    plan->count++;
    plan->scratch_used = 0;
    return copy;
}

void gw_plan_can_overwrite(gw_plan *plan, gw_tensor in, bool *overwrites) {
    if (!plan->training || in.gradient_offset < 0) return;
    plan->overwriter.end = plan->count;
    plan->overwriter.place = in.gradient_offset;
    plan->overwriter.overwrites = overwrites;
}

// The last reader of a tensor is the first to write its gradient.
static bool reader_puts(gw_plan *plan, gw_tensor tensor) {
    const bool is_last = plan->overwriter.end == plan->count && plan->overwriter.place == tensor.gradient_offset;
    if (is_last && plan->steps) *plan->overwriter.overwrites = true;
    return is_last;
}

typedef struct {
    const gw_plan *plan;
    gw_tensor tensor;
    bool zeroes;
} release_step;

static gw_status release_backward(const gw_run *run, const void *arguments) {
    const release_step *step = arguments;
    if (step->zeroes) gw_parallel_zero(step->tensor.gradient, gw_run_rows(run, step->tensor) * step->tensor.width);
    if (step->tensor.maker < 0) return GW_OK;
    const gw_step *maker = &step->plan->steps[step->tensor.maker];
    return maker->forward(run, maker->arguments);
}

void gw_plan_release(gw_plan *plan, gw_tensor tensor) {
    if (plan->training) {
        const release_step step = {plan, tensor, !reader_puts(plan, tensor)};
        gw_plan_append(plan, tensor.rows, NULL, release_backward, &step, sizeof step);
    }
    if (tensor.value_offset >= 0) pool_release(plan, tensor.value_offset);
    if (tensor.gradient_offset >= 0) pool_release(plan, tensor.gradient_offset);
}

static gw_status run_steps(const gw_plan *plan, const gw_run *run, int64_t first, int64_t end) {
    for (int64_t i = first; i < end; i++) {
        const gw_step *step = &plan->steps[i];
        if (step->forward && run->batch->of[step->rows].count > 0) GW_TRY(step->forward(run, step->arguments));
    }
    return GW_OK;
}

// The result's gradient has its place from here on: while the steps run again, they leave it alone.
void gw_plan_segment(gw_plan *plan, gw_tensor in, int rows) {
    plan->segment.first = in.maker >= 0 ? in.maker : plan->count;
    plan->segment.result = gw_plan_tensor(plan, rows, in.width, true);
    plan->segment.open = plan->training && plan->recompute;
    plan->region_used = 0;
}

gw_tensor gw_plan_result(gw_plan *plan) {
    plan->segment.open = false;
    plan->segment.made = plan->count;
    return plan->segment.result;
}

typedef struct {
    const gw_plan *plan;
    int64_t first, made;
} segment_step;

// What the last segment kept is still there.
static gw_status segment_backward(const gw_run *run, const void *arguments) {
    const segment_step *step = arguments;
    const bool last = step->first == step->plan->segment.first;
    return last ? GW_OK : run_steps(step->plan, run, step->first, step->made);
}

void gw_plan_segment_end(gw_plan *plan) {
    if (!plan->training || !plan->recompute) return;
    const segment_step step = {plan, plan->segment.first, plan->segment.made};
    gw_plan_append(plan, plan->rows[plan->segment.result.rows].stream, NULL, segment_backward, &step, sizeof step);
}

gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) {
    plan->threads = gw_threads();
    plan->kernels = gw_kernels();
    if (!plan->kernels) return GW_ERR_UNSUPPORTED;
    describe(plan, context);
    assert(plan->live_count == 0);
    gw_plan_take(plan, plan->pool_size, sizeof(float));
    gw_plan_take(plan, plan->region_size, sizeof(float));
    gw_plan_take(plan, plan->scratch_size, sizeof(float));
    gw_plan_take(plan, plan->count, sizeof *plan->steps);
    GW_TRY(gw_arena_place(&plan->arena));
    plan->pool = gw_plan_take(plan, plan->pool_size, sizeof(float));
    plan->region = gw_plan_take(plan, plan->region_size, sizeof(float));
    plan->scratch = gw_plan_take(plan, plan->scratch_size, sizeof(float));
    plan->steps = gw_plan_take(plan, plan->count, sizeof *plan->steps);
    plan->most_steps = plan->count;
    plan->count = 0;
    describe(plan, context);
    assert(plan->count == plan->most_steps && plan->arena.used == plan->arena.size);
    return plan->status;
}

void gw_plan_free(gw_plan *plan) {
    gw_arena_free(&plan->arena);
}

static gw_status check_threads(const gw_plan *plan) {
    if (gw_threads() <= plan->threads) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the network was made for %d threads, and %d are set now", plan->threads,
                   gw_threads());
}

gw_status gw_plan_forward(const gw_plan *plan, const gw_run *run) {
    GW_TRY(check_threads(plan));
    return run_steps(plan, run, 0, plan->count);
}

gw_status gw_plan_backward(const gw_plan *plan, const gw_run *run) {
    assert(plan->training);
    GW_TRY(check_threads(plan));
    for (int64_t i = plan->count - 1; i >= 0; i--) {
        const gw_step *step = &plan->steps[i];
        if (step->backward && run->batch->of[step->rows].count > 0) GW_TRY(step->backward(run, step->arguments));
    }
    return GW_OK;
}
