// SPDX-License-Identifier: MIT
// The steps of a plan, run for the rows of all changes.
#include "nn/attention.h"
#include "nn/changes_private.h"
#include "nn/convolution.h"

#include <string.h>

const float *gw_changes_value(const gw_changes *c, gw_tensor tensor) {
    return gw_change_value(c, tensor);
}

static void copy_rows(float *to, const float *from, int64_t rows, int64_t width) {
    if (rows > 0) memcpy(to, from, (size_t)(rows * width) * sizeof *to);
}

// Rows [begin, end) of an input, at a change's place in memory `of_change` of its level's rows; zeros beyond the
// sequence.
static void put_range(const gw_changes *c, gw_tensor in, const gw_row_set *set, const float *of_change, int64_t begin,
                      int64_t end, float *to) {
    const int64_t width = in.width, first = begin > 0 ? begin : 0, last = end < c->rows ? end : c->rows;
    memset(to, 0, (size_t)((first - begin) * width) * sizeof *to);
    copy_rows(to + (first - begin) * width, gw_plan_value(c->plan, in) + first * width, last - first, width);
    memset(to + (last - begin) * width, 0, (size_t)((end - last) * width) * sizeof *to);
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t from = set->range[i].begin > begin ? set->range[i].begin : begin,
                      up_to = set->range[i].end < end ? set->range[i].end : end;
        if (from < up_to)
            copy_rows(to + (from - begin) * width, of_change + (from - set->range[i].begin) * width, up_to - from,
                      width);
        of_change += (set->range[i].end - set->range[i].begin) * width;
    }
}

// All changes' rows of level `of` with `reach` on either side of each range.
static void put_all(const gw_changes *c, gw_tensor in, int of, int64_t reach, float *to) {
    const int from = c->level_of[in.id];
    const float *of_change = gw_change_value(c, in);
    for (int64_t a = 0; a < c->count; a++) {
        const gw_row_set *wanted = gw_change_set(c, a, of), *set = gw_change_set(c, a, from);
        for (int64_t i = 0; i < wanted->count; i++) {
            const int64_t begin = wanted->range[i].begin - reach, end = wanted->range[i].end + reach;
            put_range(c, in, set, of_change, begin, end, to);
            to += (end - begin) * in.width;
        }
        of_change += gw_row_set_rows(set) * in.width;
    }
}

void gw_changes_rows(const gw_changes *c, int64_t change, gw_tensor tensor, float *out) {
    const int of = c->level_of[tensor.id];
    const float *of_change = gw_change_value(c, tensor);
    for (int64_t a = 0; a < change; a++) of_change += gw_row_set_rows(gw_change_set(c, a, of)) * tensor.width;
    put_range(c, tensor, gw_change_set(c, change, of), of_change, 0, c->rows, out);
}

static int64_t level_rows(const gw_changes *c, int of) {
    int64_t rows = 0;
    for (int64_t a = 0; a < c->count; a++) rows += gw_row_set_rows(gw_change_set(c, a, of));
    return rows;
}

// What stands in the batch of the rows of a level.
static void fill_rows(gw_changes *c, int of) {
    const gw_rows *ref = &c->ref.batch->of[c->stream];
    gw_rows *rows = &c->batch.of[c->stream];
    int64_t at = 0;
    for (int64_t a = 0; a < c->count; a++) {
        const gw_row_set *set = gw_change_set(c, a, of);
        for (int64_t i = 0; i < set->count; i++)
            for (int64_t r = set->range[i].begin; r < set->range[i].end; r++, at++) {
                c->row[at] = ref->position ? ref->position[r] : 0;
                c->segments[at] = ref->segment ? ref->segment[r] : 0;
                c->tokens[at] = c->token[a * c->rows + r];
            }
    }
    *rows = (gw_rows){.count = at, .token = c->tokens, .position = c->row, .segment = c->segments};
}

static void set_value(gw_changes *c, gw_tensor tensor, float *value) {
    c->view.tensors[tensor.id].value = value;
}

static gw_run run_of(const gw_changes *c) {
    gw_run run = c->ref;
    run.batch = &c->batch;
    run.plan = &c->view;
    return run;
}

static gw_status run_rows(gw_changes *c, const gw_step *step) {
    const int of = c->level_of[step->out[0].id];
    const gw_run run = run_of(c);
    if (of != GW_LEVEL_OF_SEQUENCE && level_rows(c, of) == 0) return GW_OK;
    if (of != GW_LEVEL_OF_SEQUENCE) fill_rows(c, of);
    for (int i = 0; i < step->ins && of != GW_LEVEL_OF_SEQUENCE; i++) {
        if (c->level_of[step->in[i].id] == of) continue;
        put_all(c, step->in[i], of, 0, c->copy[i]);
        set_value(c, step->in[i], c->copy[i]);
    }
    GW_TRY(step->op->forward(&run, step));
    for (int i = 0; i < step->ins; i++) set_value(c, step->in[i], gw_change_value(c, step->in[i]));
    return GW_OK;
}

static gw_status run_near(gw_changes *c, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const int of = c->level_of[out.id];
    const int64_t reach = gw_convolution_step_reach(step);
    gw_rows *rows = &c->batch.of[c->stream];
    gw_run run = run_of(c);
    run.halo = reach;
    *rows = (gw_rows){.start = c->start};
    c->start[0] = 0;
    for (int64_t a = 0; a < c->count; a++) {
        const gw_row_set *set = gw_change_set(c, a, of);
        for (int64_t i = 0; i < set->count; i++)
            c->start[++rows->sequences] = rows->count += set->range[i].end - set->range[i].begin + 2 * reach;
    }
    if (rows->count == 0) return GW_OK;
    put_all(c, in, of, reach, c->copy[0]);
    set_value(c, in, c->copy[0]);
    set_value(c, out, c->copy[1]);
    GW_TRY(step->op->forward(&run, step));
    set_value(c, in, gw_change_value(c, in));
    set_value(c, out, gw_change_value(c, out));
    float *to = gw_change_value(c, out);
    for (int64_t s = 0; s < rows->sequences; s++) {
        const int64_t count = c->start[s + 1] - c->start[s] - 2 * reach;
        copy_rows(to, c->copy[1] + (c->start[s] + reach) * out.width, count, out.width);
        to += count * out.width;
    }
    return GW_OK;
}

// Exchanges the rows of a change with the first sequence's, of an input at its level; another call takes it back.
static void exchange(const gw_changes *c, gw_tensor in, int64_t change) {
    const int of = c->level_of[in.id];
    const gw_row_set *set = gw_change_set(c, change, of);
    float *mine = gw_change_value(c, in), *first = gw_plan_value(c->plan, in);
    for (int64_t a = 0; a < change; a++) mine += gw_row_set_rows(gw_change_set(c, a, of)) * in.width;
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t count = set->range[i].end - set->range[i].begin;
        float *there = first + set->range[i].begin * in.width;
        copy_rows(c->saved, there, count, in.width);
        copy_rows(there, mine, count, in.width);
        copy_rows(mine, c->saved, count, in.width);
        mine += count * in.width;
    }
}

// Of inputs with a row for each sequence the change's, of others all rows with the change's among them.
static gw_status run_sequences(gw_changes *c, const gw_step *step) {
    gw_run run = c->ref;
    run.plan = &c->view;
    gw_status status = GW_OK;
    for (int64_t a = 0; a < c->count && status == GW_OK; a++) {
        if (c->asked != GW_CHANGES_OF_NONE) c->ref_batch.of[c->asked] = (gw_rows){.count = 1, .row = c->asked_row + a};
        for (int i = 0; i < step->ins; i++) {
            const gw_tensor in = step->in[i];
            const bool rows = gw_change_is_of_stream(c, in);
            if (rows) exchange(c, in, a);
            set_value(c, in, rows ? gw_plan_value(c->plan, in) : gw_change_value(c, in) + a * in.width);
        }
        set_value(c, step->out[0], gw_change_value(c, step->out[0]) + a * step->out[0].width);
        status = step->op->forward(&run, step);
        for (int i = 0; i < step->ins; i++)
            if (gw_change_is_of_stream(c, step->in[i])) exchange(c, step->in[i], a);
    }
    for (int i = 0; i < step->ins; i++) set_value(c, step->in[i], gw_change_value(c, step->in[i]));
    set_value(c, step->out[0], gw_change_value(c, step->out[0]));
    return status;
}

static gw_status run_blocks(gw_changes *c, const gw_step *step) {
    const int of = c->level_of[step->out[0].id];
    const gw_tensor query = step->in[0], key = step->in[1], value = step->in[2];
    float *queries = c->copy[0], *out = gw_change_value(c, step->out[0]);
    gw_status status = GW_OK;
    put_all(c, query, of, 0, queries);
    for (int64_t a = 0; a < c->count && status == GW_OK; a++) {
        const gw_row_set *set = gw_change_set(c, a, of);
        const int64_t floats = gw_row_set_rows(set) * query.width;
        if (floats == 0) continue;
        exchange(c, key, a);
        exchange(c, value, a);
        status = gw_attention_some(&c->ref, step, set, queries, out);
        exchange(c, value, a);
        exchange(c, key, a);
        queries += floats;
        out += floats;
    }
    return status;
}

static gw_status run_step(gw_changes *c, const gw_step *step) {
    if (c->level_of[step->out[0].id] == GW_LEVEL_OF_SEQUENCE) {
        bool of_sequences = true;
        for (int i = 0; i < step->ins; i++) of_sequences &= !gw_change_is_of_stream(c, step->in[i]);
        return of_sequences ? run_rows(c, step) : run_sequences(c, step);
    }
    switch (step->op->reads) {
    case GW_READS_NEAR: return run_near(c, step);
    case GW_READS_BLOCKS: return run_blocks(c, step);
    default: return run_rows(c, step);
    }
}

gw_status gw_changes_run(gw_changes *c) {
    if (c->count == 0) return GW_OK;
    memcpy(c->view.tensors, c->plan->tensors, (size_t)c->plan->tensor_count * sizeof *c->view.tensors);
    for (int64_t t = 0; t < c->plan->tensor_count; t++)
        set_value(c, c->plan->tensors[t].tensor, gw_change_value(c, c->plan->tensors[t].tensor));
    c->batch = (gw_batch){.step = c->ref.batch->step};
    for (int k = 0; k < GW_BATCH_ROWS; k++)
        if (c->plan->rows[k].each_sequence) c->batch.of[k] = (gw_rows){.count = c->count};
    if (c->asked != GW_CHANGES_OF_NONE)
        c->batch.of[c->asked] = (gw_rows){.count = c->count, .position = c->asked_position};
    gw_status status = GW_OK;
    for (int64_t i = 0; i < c->plan->count && status == GW_OK; i++)
        if (c->plan->steps[i].outs > 0) status = run_step(c, &c->plan->steps[i]);
    return status;
}
