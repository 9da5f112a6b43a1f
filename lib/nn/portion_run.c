// SPDX-License-Identifier: MIT
// A stage runs over batches of rows. Rows of many sequences, end to end, with the rows on either side that the stage's
// convolution reads, are copied into the plan's memory. The plan's steps run there, and values for later stages are
// copied to their sequences.
//
// Attention, and steps that read a whole sequence, run for one sequence at a time. During the step its rows are
// exchanged with those of the first sequence.
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "nn/attention.h"
#include "nn/distance_attention.h"
#include "nn/portion_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROWS = 256, // of a range that is cut because a batch is full
    COPIED_ROWS = 128 // that a thread copies at a time
};

// A batch of a stage.
typedef struct {
    gw_portion *of;
    const gw_run *run;
    const gw_stage *stage;
    int64_t tasks, rows; // so far
} stage_batch;

static void copy_rows(float *to, const float *from, int64_t rows, int64_t width) {
    if (rows > 0) memcpy(to, from, (size_t)(rows * width) * sizeof *to);
}

// Rows [begin, end) of the first sequence that are held; nobody reads what stands for others.
static void copy_held(const gw_portion *p, gw_tensor tensor, int64_t begin, int64_t end, float *to) {
    const gw_kept *kept = &p->kept[tensor.id];
    const float *rows = p->held_memory + kept->at;
    const int64_t width = tensor.width;
    for (int64_t i = 0; i < kept->held.count; i++) {
        const gw_row_range range = kept->held.range[i];
        const int64_t from = gw_max(range.begin, begin), up_to = gw_min(range.end, end);
        copy_rows(to + (from - begin) * width, rows + (from - range.begin) * width, up_to - from, width);
        rows += (range.end - range.begin) * width;
    }
}

// Rows [begin, end) of a sequence that are the first one's: those behind the change have moved.
static void copy_first(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor, int64_t begin, int64_t end,
                       float *to) {
    const int64_t joint = gw_max(begin, gw_min(end, sequence->at + sequence->put));
    const int64_t moved = sequence->removed - sequence->put;
    if (p->alone || sequence->is_first) return; // nobody reads them
    if (!p->kept[tensor.id].whole) {
        copy_held(p, tensor, begin, end, to);
        return;
    }
    const float *first = gw_portion_first_rows(p, tensor);
    copy_rows(to, first + begin * tensor.width, joint - begin, tensor.width);
    copy_rows(to + (joint - begin) * tensor.width, first + (joint + moved) * tensor.width, end - joint, tensor.width);
}

// Rows [begin, end) of a sequence: its own, or the first one's, and zeros beyond its ends.
static void get_rows(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor, int64_t begin, int64_t end,
                     float *to) {
    const int64_t width = tensor.width, length = gw_portion_length(p, sequence, tensor.rows),
                  first = gw_min(gw_max(begin, 0), end), last = gw_max(gw_min(end, length), first);
    const gw_row_set *set = &sequence->set[p->kept[tensor.id].made];
    const float *rows = gw_portion_rows(p, sequence, tensor);
    if (first > begin) memset(to, 0, (size_t)((first - begin) * width) * sizeof *to);
    if (end > last) memset(to + (last - begin) * width, 0, (size_t)((end - last) * width) * sizeof *to);
    if (gw_portion_is_whole(p, sequence, tensor)) {
        copy_rows(to + (first - begin) * width, rows + first * width, last - first, width);
        return;
    }
    int64_t at = first;
    for (int64_t i = 0; i < set->count && at < last; i++) {
        const gw_row_range range = set->range[i];
        const int64_t from = gw_max(range.begin, at), up_to = gw_min(range.end, last);
        if (from < up_to) {
            if (at < from) copy_first(p, sequence, tensor, at, from, to + (at - begin) * width);
            copy_rows(to + (from - begin) * width, rows + (from - range.begin) * width, up_to - from, width);
            at = up_to;
        }
        rows += (range.end - range.begin) * width;
    }
    if (at < last) copy_first(p, sequence, tensor, at, last, to + (at - begin) * width);
}

// Where the `at`-th row of those that a stage makes is kept.
static float *place_of(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor, int64_t row, int64_t at) {
    const bool by_row = gw_portion_is_whole(p, sequence, tensor) && gw_portion_is_stream(p, tensor);
    return gw_portion_rows(p, sequence, tensor) + (by_row ? row : at) * tensor.width;
}

// Batches of rows.

// What a stage's reader reads to make rows of a sequence; beyond its ends too where that is a convolution.
static gw_row_range near_of(const gw_portion *p, const gw_stage *stage, const gw_sequence *sequence,
                            gw_row_range made) {
    switch (stage->reads) {
    case GW_READS_POOLED:
        return (gw_row_range){made.begin * stage->factor,
                              gw_min(made.end * stage->factor, gw_portion_length(p, sequence, stage->near_rows))};
    case GW_READS_REPEATED:
        return (gw_row_range){made.begin / stage->factor, (made.end + stage->factor - 1) / stage->factor};
    default: return (gw_row_range){made.begin - stage->reach, made.end + stage->reach};
    }
}

// What stands in rows of a task from `row` on, in the batch from `at` on, where its stage reads that.
static void put_inputs(const stage_batch *b, const gw_portion_task *task, int64_t row, int64_t end, int64_t at) {
    const gw_portion *p = b->of;
    const gw_sequence *sequence = task->sequence;
    const bool picked = p->factor[b->stage->rows] == 0 && !p->plan->rows[b->stage->rows].each_sequence;
    const gw_rows *whole = &p->batch.of[picked ? p->stream : b->stage->rows];
    const int64_t moved = sequence->removed - sequence->put, behind = sequence->at + sequence->put;
    for (; row < end; row++, at++) {
        const int64_t first = row < behind ? row : row + moved;
        const bool own = row >= sequence->at && row < behind;
        p->batch_token[at] = p->token[own ? sequence->token + row - sequence->at : first];
        const int64_t place = picked ? sequence->begin : row;
        p->batch_position[at] = whole->position ? whole->position[place] : 0;
        p->batch_segment[at] = whole->segment ? whole->segment[place] : 0;
    }
}

// The task that row `at` of a batch belongs to; `start` is of the rows that are read, or of those that are made.
static int64_t task_at(const int64_t *start, int64_t tasks, int64_t at) {
    int64_t least = 0, most = tasks;
    while (most - least > 1) {
        const int64_t middle = (least + most) / 2;
        if (start[middle] <= at) least = middle;
        else most = middle;
    }
    return least;
}

// Rows [begin, end) of the batch, of those that the stage's reader reads.
static void load_near(void *context, int64_t begin, int64_t end, int thread) {
    const stage_batch *b = context;
    const gw_portion *p = b->of;
    (void)thread;
    for (int64_t i = task_at(p->start, b->tasks, begin); i < b->tasks && p->start[i] < end; i++) {
        const gw_portion_task *task = &p->task[i];
        const gw_row_range near = near_of(p, b->stage, task->sequence, (gw_row_range){task->begin, task->end});
        const int64_t from = gw_max(begin, p->start[i]), rows = gw_min(end, p->start[i + 1]) - from,
                      row = near.begin + from - p->start[i];
        for (int64_t k = 0; k < b->stage->ins; k++) {
            const gw_tensor in = b->stage->in[k].tensor;
            if (b->stage->in[k].near)
                get_rows(p, task->sequence, in, row, row + rows, gw_plan_value(b->run->plan, in) + from * in.width);
        }
    }
}

// Of those that it makes: what is read at the same rows.
static void load_own(void *context, int64_t begin, int64_t end, int thread) {
    const stage_batch *b = context;
    const gw_portion *p = b->of;
    (void)thread;
    for (int64_t i = task_at(p->made_start, b->tasks, begin); i < b->tasks && p->made_start[i] < end; i++) {
        const gw_portion_task *task = &p->task[i];
        const int64_t from = gw_max(begin, p->made_start[i]), rows = gw_min(end, p->made_start[i + 1]) - from,
                      row = task->begin + from - p->made_start[i];
        for (int64_t k = 0; k < b->stage->ins; k++) {
            const gw_tensor in = b->stage->in[k].tensor;
            float *to = gw_plan_value(b->run->plan, in) + from * in.width;
            if (b->stage->in[k].near) continue;
            if (gw_portion_is_stream(p, in)) get_rows(p, task->sequence, in, row, row + rows, to);
            else copy_rows(to, gw_portion_rows(p, task->sequence, in), 1, in.width);
        }
        if (b->stage->reads_token) put_inputs(b, task, row, row + rows, from);
    }
}

static void store(void *context, int64_t begin, int64_t end, int thread) {
    const stage_batch *b = context;
    const gw_portion *p = b->of;
    (void)thread;
    for (int64_t i = task_at(p->made_start, b->tasks, begin); i < b->tasks && p->made_start[i] < end; i++) {
        const gw_portion_task *task = &p->task[i];
        const int64_t from = gw_max(begin, p->made_start[i]), rows = gw_min(end, p->made_start[i + 1]) - from,
                      behind = from - p->made_start[i];
        for (int64_t k = 0; k < b->stage->outs; k++) {
            const gw_tensor out = b->stage->out[k];
            copy_rows(place_of(p, task->sequence, out, task->begin + behind, task->at + behind),
                      gw_plan_value(b->run->plan, out) + from * out.width, rows, out.width);
        }
    }
}

// Beyond the ends of a sequence a convolution reads zeros, whatever the steps before it make there.
static void clear_beyond(const stage_batch *b, gw_tensor in) {
    const gw_portion *p = b->of;
    for (int64_t i = 0; i < b->tasks; i++) {
        const gw_portion_task *task = &p->task[i];
        const int64_t begin = task->begin - b->stage->reach, end = task->end + b->stage->reach,
                      behind = end - gw_max(begin, gw_portion_length(p, task->sequence, in.rows));
        float *rows = gw_plan_value(b->run->plan, in) + p->start[i] * in.width;
        if (begin < 0) memset(rows, 0, (size_t)(-begin * in.width) * sizeof *rows);
        if (behind > 0) memset(rows + (end - begin - behind) * in.width, 0, (size_t)(behind * in.width) * sizeof *rows);
    }
}

// Leaves out the rows on either side of each task's.
static void close_up(const stage_batch *b, gw_tensor tensor) {
    const gw_portion *p = b->of;
    const int64_t reach = b->stage->reach, width = tensor.width;
    float *rows = gw_plan_value(b->run->plan, tensor);
    for (int64_t i = 0; i < b->tasks; i++)
        memmove(rows + p->made_start[i] * width, rows + (p->start[i] + reach) * width,
                (size_t)((p->made_start[i + 1] - p->made_start[i]) * width) * sizeof *rows);
}

static gw_status run_steps(const gw_run *run, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++)
        if (run->plan->steps[i].outs > 0) GW_TRY(run->plan->steps[i].op->forward(run, &run->plan->steps[i]));
    return GW_OK;
}

static gw_status run_batch(stage_batch *b) {
    gw_portion *p = b->of;
    const gw_stage *stage = b->stage;
    gw_batch batch = {.step = p->batch.step};
    gw_run run = *b->run;
    if (b->tasks == 0) return GW_OK;
    const gw_rows made = {.count = p->made_start[b->tasks],
                          .sequences = b->tasks,
                          .start = p->made_start,
                          .token = p->batch_token,
                          .position = p->batch_position,
                          .segment = p->batch_segment};
    run.batch = &batch;
    run.halo = stage->reach;
    gw_parallel_for(b->rows, COPIED_ROWS, load_near, b);
    gw_parallel_for(made.count, COPIED_ROWS, load_own, b);
    batch.of[stage->rows] = made;
    if (stage->reader >= 0) {
        const gw_step *reader = &run.plan->steps[stage->reader];
        batch.of[stage->near_rows] = (gw_rows){.count = b->rows, .sequences = b->tasks, .start = p->start};
        GW_TRY(run_steps(&run, stage->begin, stage->reader));
        if (stage->reach > 0) clear_beyond(b, reader->in[0]);
        GW_TRY(run_steps(&run, stage->reader, stage->reader + 1));
        if (stage->reach > 0) close_up(b, reader->out[0]);
        for (int64_t k = 0; stage->reach > 0 && k < stage->ins; k++)
            if (stage->in[k].near && stage->in[k].own) close_up(b, stage->in[k].tensor);
        batch.of[stage->rows] = made;
    }
    GW_TRY(run_steps(&run, stage->reader >= 0 ? stage->reader + 1 : stage->begin, stage->end));
    gw_parallel_for(made.count, COPIED_ROWS, store, b);
    b->tasks = b->rows = 0;
    return GW_OK;
}

// How many rows of a range fit beside those of a batch.
static int64_t fitting(const stage_batch *b) {
    const gw_portion *p = b->of;
    const gw_stage *stage = b->stage;
    const int64_t made = p->plan->rows[stage->rows].most - p->made_start[b->tasks],
                  read = p->plan->rows[stage->near_rows].most - b->rows;
    switch (stage->reads) {
    case GW_READS_POOLED: return gw_min(made, read / stage->factor);
    case GW_READS_REPEATED: return gw_min(made, read * stage->factor) / stage->factor * stage->factor;
    default: return gw_min(made, read - 2 * stage->reach);
    }
}

// Rows of a sequence into batches, cut where one is full.
static gw_status add_rows(stage_batch *b, const gw_sequence *sequence, gw_row_range rows, int64_t at) {
    gw_portion *p = b->of;
    while (rows.begin < rows.end) {
        const int64_t left = rows.end - rows.begin, fit = fitting(b);
        if (b->tasks == p->most_tasks || (fit < left && b->tasks > 0 && fit < LEAST_ROWS)) {
            GW_TRY(run_batch(b));
            continue;
        }
        const gw_row_range made = {rows.begin, rows.begin + gw_min(fit, left)};
        const gw_row_range near = near_of(p, b->stage, sequence, made);
        p->task[b->tasks++] = (gw_portion_task){sequence, made.begin, made.end, at};
        p->start[b->tasks] = b->rows += near.end - near.begin;
        p->made_start[b->tasks] = p->made_start[b->tasks - 1] + made.end - made.begin;
        rows.begin = made.end;
        at += made.end - made.begin;
    }
    return GW_OK;
}

static gw_status run_rows(gw_portion *p, const gw_run *run, const gw_stage *stage, const gw_sequence *sequences,
                          int64_t count) {
    stage_batch b = {.of = p, .run = run, .stage = stage};
    const int64_t s = stage - p->stages;
    for (int64_t i = 0; i < count; i++) {
        const gw_row_set *set = &sequences[i].set[s];
        for (int64_t k = 0, at = 0; k < set->count; at += set->range[k].end - set->range[k].begin, k++)
            GW_TRY(add_rows(&b, &sequences[i], set->range[k], at));
    }
    return run_batch(&b);
}

// A sequence at a time.

// Whether a sequence's own memory has all rows of a tensor, in order.
static bool has_all(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor) {
    return !gw_portion_is_whole(p, sequence, tensor) && gw_portion_is_stream(p, tensor) &&
           gw_row_set_rows(&sequence->set[p->kept[tensor.id].made]) >= gw_portion_length(p, sequence, tensor.rows);
}

// Exchanges a sequence's rows that a stage reads with the first one's, where it has not all of them; another call takes
// it back.
static gw_status exchange_inputs(gw_portion *p, const gw_sequence *sequence, const gw_stage *stage) {
    for (int64_t k = 0; k < stage->ins && !sequence->is_first; k++) {
        const gw_tensor tensor = stage->in[k].tensor;
        if (!stage->in[k].near || has_all(p, sequence, tensor)) continue;
        const gw_row_set *set = &sequence->set[p->kept[tensor.id].made];
        float *mine = gw_portion_rows(p, sequence, tensor), *first = gw_portion_first_rows(p, tensor);
        for (int64_t i = 0; i < set->count; i++) {
            const int64_t count = set->range[i].end - set->range[i].begin, width = tensor.width;
            float *there = first + set->range[i].begin * width;
            GW_TRY(gw_reserve(&p->saved, &p->saved_capacity, count * width, sizeof *p->saved));
            copy_rows(p->saved, there, count, width);
            copy_rows(there, mine, count, width);
            copy_rows(mine, p->saved, count, width);
            mine += count * width;
        }
    }
    return GW_OK;
}

// Queries and what is read are the plan's own memory, or a sequence's where that has just these rows, one behind the
// other.
static gw_status run_blocks(gw_portion *p, const gw_run *of_view, const gw_stage *stage, const gw_sequence *sequence) {
    const gw_step *step = &of_view->plan->steps[stage->begin];
    const gw_row_set *set = &sequence->set[stage - p->stages];
    const gw_tensor query = step->in[0], out = step->out[0];
    const bool ends = gw_portion_is_whole(p, sequence, out),
               asked =
                   has_all(p, sequence, query) && gw_row_set_rows(set) >= gw_portion_length(p, sequence, stage->rows);
    float *queries = asked ? gw_portion_rows(p, sequence, query) : gw_plan_value(&p->view, query),
          *made = ends ? gw_plan_value(&p->view, out) : gw_portion_rows(p, sequence, out);
    for (int64_t i = 0, at = 0; i < set->count && !asked; at += set->range[i].end - set->range[i].begin, i++)
        get_rows(p, sequence, query, set->range[i].begin, set->range[i].end, queries + at * query.width);
    if (step->op->reads == GW_READS_DENSE)
        GW_TRY(gw_distance_some(of_view, step, set, gw_portion_length(p, sequence, stage->rows), queries, made));
    else GW_TRY(gw_attention_some(of_view, step, set, queries, made));
    for (int64_t i = 0, at = 0; i < set->count && ends; at += set->range[i].end - set->range[i].begin, i++)
        copy_rows(place_of(p, sequence, out, set->range[i].begin, at), made + at * out.width,
                  set->range[i].end - set->range[i].begin, out.width);
    return GW_OK;
}

static gw_status run_sequence(gw_portion *p, const gw_run *of_view, const gw_stage *stage,
                              const gw_sequence *sequence) {
    const gw_step *step = &of_view->plan->steps[stage->begin];
    int32_t row = (int32_t)sequence->begin;
    gw_rows *rows = &p->batch.of[stage->rows];
    const int32_t *position = p->batch.of[p->stream].position;
    int32_t at = position ? position[row] : 0;
    if (!p->plan->rows[stage->rows].each_sequence) *rows = (gw_rows){.count = 1, .row = &row, .position = &at};
    for (int64_t k = 0; k < stage->ins; k++)
        if (stage->in[k].own)
            p->view.tensors[stage->in[k].tensor.id].value = gw_portion_rows(p, sequence, stage->in[k].tensor);
    const gw_status status = step->op->forward(of_view, step);
    for (int k = 0; k < step->outs && status == GW_OK; k++)
        if (p->kept[step->out[k].id].made >= 0)
            copy_rows(gw_portion_rows(p, sequence, step->out[k]), gw_plan_value(&p->view, step->out[k]), 1,
                      step->out[k].width);
    if (!p->plan->rows[stage->rows].each_sequence) *rows = (gw_rows){0};
    return status;
}

static gw_status run_each(gw_portion *p, const gw_run *run, const gw_stage *stage, const gw_sequence *sequences,
                          int64_t count) {
    gw_plan_tensor *tensors = p->view.tensors;
    p->view = *run->plan;
    p->view.tensors = tensors;
    memcpy(tensors, run->plan->tensors, (size_t)run->plan->tensor_count * sizeof *tensors);
    gw_run of_view = *run;
    of_view.batch = &p->batch;
    of_view.plan = &p->view;
    for (int64_t i = 0; i < count; i++) {
        if (sequences[i].set[stage - p->stages].count == 0) continue;
        for (int64_t k = 0; k < stage->ins; k++) {
            const gw_tensor in = stage->in[k].tensor;
            if (!stage->in[k].near) continue;
            tensors[in.id].value =
                has_all(p, &sequences[i], in) ? gw_portion_rows(p, &sequences[i], in) : gw_portion_first_rows(p, in);
        }
        GW_TRY(exchange_inputs(p, &sequences[i], stage));
        const gw_status status = stage->kind == GW_STAGE_BLOCKS ? run_blocks(p, &of_view, stage, &sequences[i])
                                                                : run_sequence(p, &of_view, stage, &sequences[i]);
        GW_TRY(exchange_inputs(p, &sequences[i], stage));
        GW_TRY(status);
    }
    return GW_OK;
}

static gw_status run_whole_batch(stage_batch *b, int64_t stages) {
    gw_portion *p = b->of;
    gw_batch batch = {.step = p->batch.step};
    gw_run run = *b->run;
    if (b->tasks == 0) return GW_OK;
    run.batch = &batch;
    for (int64_t i = 0; i < b->tasks; i++) put_inputs(b, &p->task[i], p->task[i].begin, p->task[i].end, p->start[i]);
    batch.of[p->stream] = (gw_rows){.count = b->rows,
                                    .sequences = b->tasks,
                                    .start = p->start,
                                    .token = p->batch_token,
                                    .position = p->batch_position,
                                    .segment = p->batch_segment};
    GW_TRY(run_steps(&run, 0, p->stages[stages - 1].end));
    for (int64_t t = 0; t < p->plan->tensor_count; t++) {
        const gw_tensor tensor = p->plan->tensors[t].tensor;
        if (p->kept[t].made < 0 || p->kept[t].made >= stages || p->kept[t].last < stages) continue;
        for (int64_t i = 0; i < b->tasks; i++)
            copy_rows(gw_portion_rows(p, p->task[i].sequence, tensor),
                      gw_plan_value(run.plan, tensor) + p->start[i] * tensor.width, p->start[i + 1] - p->start[i],
                      tensor.width);
    }
    b->tasks = b->rows = 0;
    return GW_OK;
}

// The first stages of sequences of which these make all rows, as a whole run has them.
static gw_status run_whole(gw_portion *p, const gw_run *run, int64_t stages, const gw_sequence *sequences,
                           int64_t count) {
    stage_batch b = {.of = p, .run = run, .stage = &p->stages[0]};
    for (int64_t i = 0; i < count && stages > 0; i++) {
        const int64_t rows = sequences[i].length;
        if (b.tasks == p->most_tasks || b.rows + rows > p->plan->rows[p->stream].most)
            GW_TRY(run_whole_batch(&b, stages));
        p->task[b.tasks++] = (gw_portion_task){&sequences[i], 0, rows, 0};
        p->start[b.tasks] = b.rows += rows;
    }
    return run_whole_batch(&b, stages);
}

// What the first sequence has just made and others read.
static void hold_rows(const gw_portion *p, const gw_stage *stage) {
    for (int64_t k = 0; k < stage->outs; k++) {
        const gw_tensor tensor = stage->out[k];
        const gw_kept *kept = &p->kept[tensor.id];
        float *to = p->held_memory + kept->at;
        for (int64_t i = 0; i < kept->held.count; i++) {
            const gw_row_range range = kept->held.range[i];
            get_rows(p, &p->first, tensor, range.begin, range.end, to);
            to += (range.end - range.begin) * tensor.width;
        }
    }
}

static gw_status run_stages(gw_portion *p, const gw_run *given, const gw_sequence *sequences, int64_t count) {
    gw_run run = *given;
    // How many stages, from the first one on, make all rows of all sequences, each row by itself or by a convolution.
    int64_t whole = 0;
    for (bool all = p->alone; whole < p->stage_count; whole++) {
        const gw_stage *stage = &p->stages[whole];
        all = all && stage->kind == GW_STAGE_ROWS && stage->rows == p->stream && stage->factor <= 1;
        for (int64_t i = 0; all && i < count; i++)
            all = gw_row_set_rows(&sequences[i].set[whole]) >= sequences[i].length;
        if (!all) break;
    }
    run.device = NULL;
    GW_TRY(run_whole(p, &run, whole, sequences, count));
    for (int64_t s = whole; s < p->stage_count; s++) {
        const gw_stage *stage = &p->stages[s];
        GW_TRY(stage->kind == GW_STAGE_ROWS ? run_rows(p, &run, stage, sequences, count)
                                            : run_each(p, &run, stage, sequences, count));
        if (sequences == &p->first && p->ranged) hold_rows(p, stage);
    }
    return GW_OK;
}

// Where each slot begins in a sequence's memory; how many floats all take.
static int64_t place(const gw_portion *p, gw_sequence *sequence) {
    int64_t floats = 0;
    for (int k = 0; k < p->slots; k++) sequence->slot[k] = 0;
    for (int64_t s = 0; s < p->stage_count; s++)
        for (int64_t k = 0; k < p->stages[s].outs; k++) {
            const gw_tensor out = p->stages[s].out[k];
            int64_t *most = &sequence->slot[p->kept[out.id].slot];
            *most = gw_max(*most, gw_row_set_rows(&sequence->set[s]) * out.width);
        }
    for (int k = 0; k < p->slots; k++) {
        const int64_t own = sequence->slot[k];
        sequence->slot[k] = floats;
        floats += own;
    }
    return floats;
}

gw_status gw_portion_run_first(gw_portion *p, const gw_run *run) {
    const int64_t floats = place(p, &p->first);
    int64_t held = 0;
    if (p->ranged) {
        for (int64_t t = 0; t < p->plan->tensor_count; t++) {
            p->kept[t].at = held;
            held += gw_row_set_rows(&p->kept[t].held) * p->plan->tensors[t].tensor.width;
        }
        GW_TRY(gw_reserve(&p->held_memory, &p->held_capacity, held + 1, sizeof *p->held_memory));
        GW_TRY(gw_reserve(&p->group, &p->group_capacity, floats + 1, sizeof *p->group));
        p->group_most = gw_max(p->group_most, floats);
        p->first.memory = p->group;
    }
    p->grown = false;
    return run_stages(p, run, &p->first, 1);
}

gw_status gw_portion_run(gw_portion *p, const gw_run *run, int64_t from, int64_t *count) {
    int64_t floats = 0, end = from;
    for (; end < p->count; end++) {
        const int64_t more = place(p, &p->sequences[end]);
        if (end > from && floats + more > p->group_most) break;
        floats += more;
    }
    GW_TRY(gw_reserve(&p->group, &p->group_capacity, floats + 1, sizeof *p->group)); // all may be empty
    floats = 0;
    for (int64_t i = from; i < end; i++) {
        p->sequences[i].memory = p->group + floats;
        floats += place(p, &p->sequences[i]);
    }
    p->from = from;
    *count = end - from;
    return run_stages(p, run, p->sequences + from, *count);
}

gw_status gw_portion_output(gw_portion *p, int64_t i, const float **out) {
    const gw_sequence *sequence = i < 0 ? &p->first : &p->sequences[i];
    const gw_tensor output = p->output;
    if (sequence->is_first && !p->kept[output.id].whole) {
        *out = p->held_memory + p->kept[output.id].at;
        return GW_OK;
    }
    *out = gw_portion_rows(p, sequence, output);
    if (!gw_portion_is_stream(p, output)) return GW_OK;
    if (sequence->is_first) {
        *out += sequence->begin * output.width;
        return GW_OK;
    }
    const gw_row_set *set = &sequence->set[p->kept[output.id].made];
    if (set->count == 1 && set->range[0].begin <= sequence->begin && set->range[0].end >= sequence->end) {
        *out += (sequence->begin - set->range[0].begin) * output.width;
        return GW_OK;
    }
    GW_TRY(gw_reserve(&p->out, &p->out_capacity, (sequence->end - sequence->begin) * output.width, sizeof *p->out));
    get_rows(p, sequence, output, sequence->begin, sequence->end, p->out);
    *out = p->out;
    return GW_OK;
}
