// SPDX-License-Identifier: MIT
// The levels of a plan's steps, and the memory that changes take.
#include "base/memory.h"
#include "nn/changes_private.h"

#include <stdlib.h>
#include <string.h>

static bool is_older(const gw_changes *c, int older, int level_of) {
    while (level_of > older) {
        if (c->levels[level_of].step == NULL && is_older(c, older, c->levels[level_of].with)) return true;
        level_of = c->levels[level_of].from;
    }
    return level_of == older;
}

static int new_level(gw_changes *c, gw_change_level made) {
    c->levels[c->level_count] = made;
    return c->level_count++;
}

// A level that has the rows of both.
static int join(gw_changes *c, int a, int b) {
    if (is_older(c, a, b)) return b;
    if (is_older(c, b, a)) return a;
    return new_level(c, (gw_change_level){.from = a, .with = b});
}

// The level of a step's result; false: its rows are not known.
static bool find_level(gw_changes *c, const gw_step *step, int *out) {
    int of_inputs = 0;
    for (int i = 0; i < step->ins; i++) {
        const int of = c->level_of[step->in[i].id];
        if (!gw_change_is_of_stream(c, step->in[i])) continue;
        of_inputs = join(c, of_inputs, of);
    }
    const bool asked = step->rows == c->asked;
    const bool each = c->plan->rows[step->rows].each_sequence && c->plan->rows[step->rows].stream == c->stream;
    *out = each || asked ? GW_LEVEL_OF_SEQUENCE : of_inputs;
    if (c->asked != GW_CHANGES_OF_NONE && each) return false; // reads all rows
    if (each || asked) return step->op->reads != GW_READS_UNKNOWN;
    if (step->rows != c->stream) return false;
    switch (step->op->reads) {
    case GW_READS_ROW: return true;
    case GW_READS_NEAR:
    case GW_READS_BLOCKS: *out = new_level(c, (gw_change_level){.step = step, .from = of_inputs}); return true;
    default: return false;
    }
}

static bool find_levels(gw_changes *c) {
    c->level_count = 1;
    for (int64_t i = 0; i < c->plan->count; i++) {
        const gw_step *step = &c->plan->steps[i];
        int of;
        if (step->outs == 0) continue;
        if (!find_level(c, step, &of)) return false;
        for (int k = 0; k < step->outs; k++) c->level_of[step->out[k].id] = of;
    }
    return true;
}

static int64_t widest(const gw_plan *plan) {
    int64_t width = 1;
    for (int64_t t = 0; t < plan->tensor_count; t++)
        if (plan->tensors[t].tensor.width > width) width = plan->tensors[t].tensor.width;
    return width;
}

static gw_status take_memory(gw_changes *c) {
    const gw_plan *plan = c->plan;
    const int64_t rows = plan->rows[c->stream].most;
    c->most = plan->rows[c->stream].most_sequences - 1;
    c->sets = gw_alloc(c->most * c->level_count, sizeof *c->sets);
    c->used = gw_alloc(c->level_count, sizeof *c->used);
    c->asked_row = gw_alloc(c->most, sizeof *c->asked_row);
    c->asked_position = gw_alloc(c->most, sizeof *c->asked_position);
    c->start = gw_alloc(rows + 1, sizeof *c->start);
    c->row = gw_alloc(rows, sizeof *c->row);
    c->tokens = gw_alloc(rows, sizeof *c->tokens);
    c->segments = gw_alloc(rows, sizeof *c->segments);
    c->view.tensors = gw_alloc(plan->tensor_count, sizeof *plan->tensors);
    bool all = c->asked_row && c->asked_position && c->sets && c->used && c->start && c->row && c->tokens &&
               c->segments && c->view.tensors;
    const int64_t bytes = rows * widest(plan) * (int64_t)sizeof(float);
    for (int i = 0; i < GW_CHANGE_COPIES; i++) all = all && (c->copy[i] = gw_alloc_aligned(bytes));
    return all && (c->saved = gw_alloc_aligned(bytes)) ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_changes_new(const gw_plan *plan, int stream, int asked, gw_changes **out) {
    *out = NULL;
    if (!plan->kernels->shares_host || plan->rows[stream].most_sequences < 2) return GW_OK;
    gw_changes *c = gw_alloc(1, sizeof *c);
    if (!c) return GW_ERR_MEMORY;
    c->plan = plan;
    c->stream = stream;
    c->asked = asked;
    c->view = *plan;
    c->view.tensors = NULL;
    c->levels = gw_alloc(2 * plan->count * GW_STEP_TENSORS + 1, sizeof *c->levels);
    c->level_of = gw_alloc(plan->tensor_count, sizeof *c->level_of);
    gw_status status = c->levels && c->level_of ? GW_OK : GW_ERR_MEMORY;
    const bool can = status == GW_OK && find_levels(c);
    if (can) status = take_memory(c);
    if (can && status == GW_OK) *out = c;
    else gw_changes_free(c);
    return status;
}

void gw_changes_free(gw_changes *c) {
    if (!c) return;
    for (int64_t i = 0; c->sets && i < c->most * c->level_count; i++) gw_row_set_free(&c->sets[i]);
    for (int i = 0; i < GW_CHANGE_COPIES; i++) free(c->copy[i]);
    gw_row_set_free(&c->read);
    gw_row_set_free(&c->joined);
    free(c->asked_row);
    free(c->asked_position);
    free(c->levels);
    free(c->level_of);
    free(c->view.tensors);
    free(c->token);
    free(c->sets);
    free(c->used);
    free(c->start);
    free(c->row);
    free(c->tokens);
    free(c->segments);
    free(c->saved);
    free(c);
}

void gw_changes_begin(gw_changes *c, const gw_run *run) {
    c->ref = *run;
    c->ref_batch = *run->batch;
    c->ref.batch = &c->ref_batch;
    c->ref.plan = c->plan;
    c->rows = run->batch->of[c->stream].count;
    c->room = c->plan->rows[c->stream].most - c->rows;
    gw_changes_clear(c);
}

void gw_changes_clear(gw_changes *c) {
    c->count = 0;
    memset(c->used, 0, (size_t)c->level_count * sizeof *c->used);
}

int64_t gw_changes_count(const gw_changes *c) {
    return c->count;
}
