// SPDX-License-Identifier: MIT
// Stages are cut when a portion is made. Sets of rows are found when a sequence is added: forward from the changes,
// backward from the asked rows.
#include "base/memory.h"
#include "base/number.h"
#include "nn/attention.h"
#include "nn/convolution.h"
#include "nn/distance_attention.h"
#include "nn/portion_private.h"
#include "nn/steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP_FLOATS = 4 << 20, // of the sequences that run together, at least
    LAUNCH_ROWS = 128,      // that a stage more costs
    FEW_SPANS = 4           // of `coarsest` rows: alleles near each other change no more
};

// Cutting stages.

static bool is_pooling(const gw_step *step) {
    return step->op->reads == GW_READS_POOLED || step->op->reads == GW_READS_REPEATED;
}

// Whether a step costs so little that a convolution's stage makes its rows anew, with those beside them: nobody else
// reads them.
static bool is_made_anew(const gw_portion *p, int64_t i) {
    const gw_plan *plan = p->plan;
    const gw_step *step = &plan->steps[i];
    int64_t readers = 0;
    for (int64_t s = 0; s < plan->count; s++)
        for (int k = 0; k < plan->steps[s].ins; k++) readers += plan->steps[s].in[k].id == step->out[0].id;
    return step->op->reads == GW_READS_ROW && step->op->cheap && step->ins == 1 && step->outs == 1 &&
           step->out[0].id == plan->steps[i + 1].in[0].id && readers == 1;
}

// Of which kind a stage would be that has the step; false: its rows are not known.
static bool find_kind(gw_portion *p, const gw_step *step, gw_stage_kind *out) {
    bool of_stream = false, of_sequence = false, of_other = false;
    const bool pools = step->op->reads == GW_READS_POOLED && p->plan->rows[step->rows].stream == step->rows;
    if (pools && p->factor[step->rows] == 0)
        p->factor[step->rows] = p->factor[step->in[0].rows] * gw_pool_step_factor(step);
    for (int k = 0; k < step->ins; k++)
        if (gw_portion_is_stream(p, step->in[k])) of_stream = true, of_other |= step->in[k].rows != step->rows;
        else of_sequence = true;
    *out = GW_STAGE_ROWS;
    if (p->factor[step->rows] == 0) {
        if (p->plan->rows[step->rows].stream != p->stream) return false; // no row set of the stream
        if (of_stream) *out = GW_STAGE_SEQUENCE;
        return of_stream ? step->op->reads != GW_READS_UNKNOWN : step->op->reads == GW_READS_ROW;
    }
    const bool attends = step->op->reads == GW_READS_BLOCKS || step->op->reads == GW_READS_DENSE;
    if (attends) *out = GW_STAGE_BLOCKS;
    if (is_pooling(step)) return !of_sequence;
    return !of_sequence && !of_other &&
           (step->op->reads == GW_READS_ROW || step->op->reads == GW_READS_NEAR || attends);
}

static void begin_stage(gw_portion *p, gw_stage_kind kind, int64_t i) {
    const gw_step *step = &p->plan->steps[i];
    const bool near = step->op->reads == GW_READS_NEAR;
    gw_stage *last = p->stage_count > 0 ? &p->stages[p->stage_count - 1] : NULL;
    int64_t begin = i;
    while (near && last && begin > last->begin && is_made_anew(p, begin - 1)) begin--;
    if (last) last->end = begin;
    if (last && last->begin == begin) p->stage_count--;
    const bool reads_others = kind == GW_STAGE_ROWS && (near || is_pooling(step));
    p->stages[p->stage_count++] =
        (gw_stage){.kind = kind,
                   .begin = begin,
                   .reader = reads_others ? i : -1,
                   .reads = kind == GW_STAGE_ROWS && !reads_others ? GW_READS_ROW : step->op->reads,
                   .reach = near ? gw_convolution_step_reach(step) : 0,
                   .factor = reads_others && !near ? gw_pool_step_factor(step) : 1,
                   .near_rows = reads_others ? step->in[0].rows : step->rows,
                   .rows = step->rows};
}

static bool cut_stages(gw_portion *p) {
    for (int64_t i = 0; i < p->plan->count; i++) {
        const gw_step *step = &p->plan->steps[i];
        gw_stage *last = p->stage_count > 0 ? &p->stages[p->stage_count - 1] : NULL;
        gw_stage_kind kind;
        if (step->outs == 0) continue;
        if (!find_kind(p, step, &kind)) return false;
        const bool goes_on = last && kind == GW_STAGE_ROWS && last->kind == GW_STAGE_ROWS && last->rows == step->rows &&
                             step->op->reads == GW_READS_ROW;
        if (!goes_on) begin_stage(p, kind, i);
        last = &p->stages[p->stage_count - 1];
        last->end = i + 1;
        // A batch has room for a row with those beside it that a stage reads.
        if (p->plan->rows[last->near_rows].most <= 2 * last->reach) return false;
    }
    return p->stage_count > 0;
}

static double products_of(const gw_step *step) {
    if (step->op->reads == GW_READS_BLOCKS) return 2 * (double)step->out[0].width;
    if (step->op->reads == GW_READS_DENSE) return gw_distance_step_products(step);
    if (step->op->reads == GW_READS_NEAR) return gw_convolution_step_products(step);
    double products = 0;
    for (int k = 0; k < step->outs && (step->op == &gw_linear_op || step->op == &gw_packed_op); k++)
        products += (double)(step->in[0].width * step->out[k].width);
    return products;
}

static gw_stage_input *input_of(gw_stage *stage, gw_tensor tensor) {
    for (int64_t k = 0; k < stage->ins; k++)
        if (stage->in[k].tensor.id == tensor.id) return &stage->in[k];
    stage->in[stage->ins] = (gw_stage_input){.tensor = tensor};
    return &stage->in[stage->ins++];
}

static void keep(gw_portion *p, gw_tensor tensor, int64_t reader) {
    gw_kept *kept = &p->kept[tensor.id];
    const int maker = p->plan->tensors[tensor.id].maker;
    if (kept->made < 0) {
        for (kept->made = 0; p->stages[kept->made].end <= maker;) kept->made++;
        gw_stage *made = &p->stages[kept->made];
        made->out[made->outs++] = tensor;
    }
    if (reader > kept->last) kept->last = (int)reader;
}

// What stages read of earlier ones.
static gw_status find_kept(gw_portion *p) {
    for (int64_t t = 0; t < p->plan->tensor_count; t++) p->kept[t] = (gw_kept){.made = -1, .last = -1};
    for (int64_t s = 0; s < p->stage_count; s++) {
        gw_stage *stage = &p->stages[s];
        const int64_t most = (stage->end - stage->begin) * GW_STEP_TENSORS;
        stage->in = gw_alloc(most, sizeof *stage->in);
        stage->out = gw_alloc(most, sizeof *stage->out);
        if (!stage->in || !stage->out) return GW_ERR_MEMORY;
    }
    for (int64_t s = 0; s < p->stage_count; s++) {
        gw_stage *stage = &p->stages[s];
        for (int64_t i = stage->begin; i < stage->end; i++) {
            const gw_step *step = &p->plan->steps[i];
            if (step->outs == 0) continue;
            stage->products += products_of(step);
            stage->reads_token |= step->op->reads_batch;
            for (int k = 0; k < step->ins; k++) {
                if (p->plan->tensors[step->in[k].id].maker >= stage->begin) continue;
                gw_stage_input *in = input_of(stage, step->in[k]);
                const bool near = stage->kind == GW_STAGE_BLOCKS     ? k > 0
                                  : stage->kind == GW_STAGE_SEQUENCE ? gw_portion_is_stream(p, step->in[k])
                                                                     : i <= stage->reader;
                if (near) in->near = true;
                else in->own = true;
                keep(p, step->in[k], s);
            }
        }
    }
    keep(p, p->output, p->stage_count);
    return GW_OK;
}

// Stages of which any change reaches all rows: dense attention, and what reads that.
static void find_reached_all(gw_portion *p) {
    for (int64_t s = 0; s < p->stage_count; s++) {
        const gw_stage *stage = &p->stages[s];
        bool all = stage->reads == GW_READS_DENSE;
        for (int64_t k = 0; k < stage->ins && stage->kind == GW_STAGE_ROWS && p->factor[stage->rows] > 0; k++)
            all |= p->reached_all[p->kept[stage->in[k].tensor.id].made];
        p->reached_all[s] = all;
    }
}

// Whether all of the first sequence's rows of a tensor have memory: alone, those where each sequence's are put in turn.
// Where rows are held only as far as others read them, these are what attention or a whole sequence reads.
static bool has_first_rows(const gw_portion *p, gw_tensor tensor) {
    if (!p->alone && (!p->ranged || !gw_portion_is_stream(p, tensor))) return true;
    for (int64_t s = 0; s < p->stage_count; s++) {
        const gw_stage *stage = &p->stages[s];
        const bool own = p->ranged && stage->reads == GW_READS_DENSE && p->reached_all[p->kept[tensor.id].made];
        for (int64_t k = 0; k < stage->ins && stage->kind != GW_STAGE_ROWS && !own; k++)
            if (stage->in[k].tensor.id == tensor.id && stage->in[k].near) return true;
    }
    return false;
}

static int64_t common_multiple(int64_t a, int64_t b) {
    int64_t x = a, y = b;
    while (y > 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

// Floats of `coarsest` rows of the stream.
static int64_t floats_of(const gw_portion *p, gw_tensor tensor) {
    const int64_t factor = p->factor[tensor.rows];
    return tensor.width * p->coarsest / (factor > 0 ? factor : 1);
}

// Tensors of a sequence share memory, where one is read for the last time before another is made.
static gw_status place(gw_portion *p) {
    int *last = gw_alloc(p->plan->tensor_count + 1, sizeof *last); // reader of each slot
    int64_t *widest = gw_alloc(p->plan->tensor_count + 1, sizeof *widest);
    const bool has = last && widest;
    p->coarsest = 1;
    for (int r = 0; r < GW_BATCH_ROWS; r++)
        if (p->factor[r] > 0) p->coarsest = common_multiple(p->coarsest, p->factor[r]);
    p->ranged = !p->alone && p->coarsest > 1;
    find_reached_all(p);
    for (int64_t s = 0; has && s < p->stage_count; s++)
        for (int64_t k = 0; k < p->stages[s].outs; k++) {
            const gw_tensor tensor = p->stages[s].out[k];
            gw_kept *kept = &p->kept[tensor.id];
            for (kept->slot = 0; kept->slot < p->slots && last[kept->slot] >= s;) kept->slot++;
            if (kept->slot == p->slots) p->slots++;
            last[kept->slot] = kept->last;
            widest[kept->slot] = gw_max(widest[kept->slot], floats_of(p, tensor));
            kept->first = p->first_width;
            kept->whole = has_first_rows(p, tensor);
            if (kept->whole) p->first_width += floats_of(p, tensor);
        }
    for (int k = 0; k < p->slots; k++) p->slot_width += widest[k];
    p->group_most = gw_max(gw_portion_spans(p, p->plan->rows[p->stream].most) * p->slot_width, GROUP_FLOATS);
    free(last);
    free(widest);
    return has ? GW_OK : GW_ERR_MEMORY;
}

static gw_status take_sets(const gw_portion *p, gw_sequence *sequence) {
    sequence->set = gw_alloc(p->stage_count, sizeof *sequence->set);
    sequence->slot = gw_alloc(p->slots, sizeof *sequence->slot);
    return sequence->set && sequence->slot ? GW_OK : GW_ERR_MEMORY;
}

static void free_sets(const gw_portion *p, gw_row_set *set) {
    for (int64_t s = 0; set && s < p->stage_count; s++) gw_row_set_free(&set[s]);
    free(set);
}

static gw_status make(gw_portion *p, bool *can) {
    const gw_plan *plan = p->plan;
    int64_t rows = 0;
    p->stages = gw_alloc(plan->count, sizeof *p->stages);
    p->kept = gw_alloc(plan->tensor_count, sizeof *p->kept);
    if (!p->stages || !p->kept) return GW_ERR_MEMORY;
    *can = cut_stages(p);
    if (!*can) return GW_OK;
    GW_TRY(find_kept(p));
    p->reached_all = gw_alloc(p->stage_count, sizeof *p->reached_all);
    if (!p->reached_all) return GW_ERR_MEMORY;
    GW_TRY(place(p));
    p->most_tasks = plan->rows[p->stream].most_sequences;
    for (int r = 0; r < GW_BATCH_ROWS; r++)
        if (p->factor[r] > 0 || r == p->stream) rows = gw_max(rows, plan->rows[r].most);
    p->task = gw_alloc(p->most_tasks, sizeof *p->task);
    p->start = gw_alloc(p->most_tasks + 1, sizeof *p->start);
    p->made_start = gw_alloc(p->most_tasks + 1, sizeof *p->made_start);
    p->batch_token = gw_alloc(rows, sizeof *p->batch_token);
    p->batch_position = gw_alloc(rows, sizeof *p->batch_position);
    p->batch_segment = gw_alloc(rows, sizeof *p->batch_segment);
    p->view.tensors = gw_alloc(plan->tensor_count, sizeof *plan->tensors);
    p->reached = gw_alloc(p->stage_count, sizeof *p->reached);
    p->needed = gw_alloc(p->stage_count, sizeof *p->needed);
    const bool all = p->task && p->start && p->made_start && p->batch_token && p->batch_position && p->batch_segment &&
                     p->view.tensors && p->reached && p->needed;
    if (!all) return GW_ERR_MEMORY;
    p->first.is_first = true;
    GW_TRY(take_sets(p, &p->around));
    return take_sets(p, &p->first);
}

gw_status gw_portion_new(const gw_plan *plan, int stream, gw_tensor output, bool alone, gw_portion **out) {
    *out = NULL;
    if (!plan->kernels->shares_host) return GW_OK;
    gw_portion *p = gw_alloc(1, sizeof *p);
    if (!p) return GW_ERR_MEMORY;
    p->plan = plan;
    p->stream = stream;
    p->factor[stream] = 1;
    p->output = output;
    p->alone = alone;
    bool can = false;
    const gw_status status = make(p, &can);
    if (can && status == GW_OK) *out = p;
    else gw_portion_free(p);
    return status;
}

void gw_portion_free(gw_portion *p) {
    if (!p) return;
    for (int64_t s = 0; s < p->stage_count; s++) {
        free(p->stages[s].in);
        free(p->stages[s].out);
    }
    for (int64_t i = 0; i < p->made; i++) {
        free_sets(p, p->sequences[i].set);
        free(p->sequences[i].slot);
    }
    for (int64_t t = 0; p->kept && t < p->plan->tensor_count; t++) gw_row_set_free(&p->kept[t].held);
    free_sets(p, p->first.set);
    free_sets(p, p->around.set);
    free_sets(p, p->reached);
    free_sets(p, p->needed);
    gw_row_set_free(&p->joined);
    gw_row_set_free(&p->other);
    gw_row_set_free(&p->differs);
    free(p->first.slot);
    free(p->around.slot);
    free(p->reached_all);
    free(p->held_memory);
    free(p->stages);
    free(p->kept);
    free(p->first_memory);
    free(p->sequences);
    free(p->group);
    free(p->token);
    free(p->out);
    free(p->task);
    free(p->start);
    free(p->made_start);
    free(p->batch_token);
    free(p->batch_position);
    free(p->batch_segment);
    free(p->view.tensors);
    free(p->saved);
    free(p);
}

bool gw_portion_attends(const gw_portion *p) {
    for (int64_t s = 0; s < p->stage_count; s++)
        if (p->stages[s].kind == GW_STAGE_BLOCKS) return true;
    return false;
}

bool gw_portion_shifts(const gw_portion *p) {
    for (int64_t s = 0; s < p->stage_count; s++)
        if (p->stages[s].kind != GW_STAGE_ROWS || p->stages[s].rows != p->stream || p->stages[s].factor > 1)
            return false;
    return true;
}

int64_t gw_portion_row_bytes(const gw_portion *p) {
    const int64_t floats = p->first_width + (p->ranged ? p->slot_width : 0);
    return (floats * (int64_t)sizeof(float) + p->coarsest - 1) / p->coarsest;
}

// Sets of rows.

static void swap(gw_row_set *a, gw_row_set *b) {
    const gw_row_set kept = *a;
    *a = *b;
    *b = kept;
}

// *to gets the rows of `more` too.
static gw_status add_rows(gw_portion *p, gw_row_set *to, const gw_row_set *more) {
    GW_TRY(gw_row_set_join(to, more, &p->joined));
    swap(to, &p->joined);
    return GW_OK;
}

// The rows of the stream that a stage of a row for a sequence reads.
static gw_status read_by_sequence(gw_portion *p, const gw_stage *stage, const gw_sequence *sequence, gw_row_set *out) {
    const gw_step *step = &p->plan->steps[stage->begin];
    const gw_rows *rows = &p->batch.of[stage->rows];
    int64_t row = p->plan->rows[stage->rows].each_sequence && rows->row ? rows->row[0] : sequence->begin;
    gw_row_range one = {row, row + 1};
    const gw_row_set picked = {.range = &one, .count = 1};
    gw_row_set_clear(out);
    if (step->op->reads == GW_READS_PICKED) return gw_row_set_add(out, row, row + 1);
    if (step->op->reads != GW_READS_BLOCKS)
        return gw_row_set_add(out, 0, gw_portion_length(p, sequence, step->in[0].rows));
    double keys;
    return gw_attention_listed(&p->run, step, &picked, out, &keys);
}

// What a stage's reader reads. Of a convolution of a first sequence there are no gaps between taps: a longer or shorter
// one may stand there.
static gw_status read_near(gw_portion *p, const gw_stage *stage, const gw_sequence *sequence, const gw_row_set *made) {
    const gw_step *step = &p->plan->steps[stage->reader];
    const int64_t rows = gw_portion_length(p, sequence, stage->near_rows);
    if (stage->reads == GW_READS_POOLED) return gw_row_set_repeat(made, stage->factor, rows, &p->other);
    if (stage->reads == GW_READS_REPEATED) return gw_row_set_pool(made, stage->factor, &p->other);
    if (!p->alone) return gw_row_set_widen(made, stage->reach, rows, &p->other);
    return gw_convolution_step_reads(step, made, rows, &p->other);
}

// Of attention: the rows that it makes where it is to make these; those that these read; those that any of these
// reaches. Dense attention reads all rows of its sequence.
static gw_status attended_blocks(gw_portion *p, const gw_stage *stage, int64_t rows, const gw_row_set *made) {
    const gw_step *step = &p->plan->steps[stage->begin];
    if (step->op->reads == GW_READS_DENSE) return gw_distance_blocks(made, rows, &p->other);
    return gw_attention_blocks(&p->run, step, made, &p->other);
}

static gw_status attend_all(gw_portion *p, gw_stage *stage, int64_t rows, const gw_row_set *of) {
    stage->keys = (double)rows;
    gw_row_set_clear(&p->other);
    return of->count > 0 ? gw_row_set_add(&p->other, 0, rows) : GW_OK;
}

static gw_status read_attended(gw_portion *p, gw_stage *stage, int64_t rows, const gw_row_set *made) {
    const gw_step *step = &p->plan->steps[stage->begin];
    if (step->op->reads == GW_READS_DENSE) return attend_all(p, stage, rows, made);
    return gw_attention_listed(&p->run, step, made, &p->other, &stage->keys);
}

static gw_status reach_attending(gw_portion *p, gw_stage *stage, int64_t rows, const gw_row_set *set) {
    const gw_step *step = &p->plan->steps[stage->begin];
    if (step->op->reads == GW_READS_DENSE) return attend_all(p, stage, rows, set);
    return gw_attention_reached(&p->run, step, set, &p->other, &stage->keys);
}

static gw_status need_inputs(gw_portion *p, gw_stage *stage, const gw_sequence *sequence, const gw_row_set *made) {
    gw_row_range one = {0, 1};
    const gw_row_set single = {.range = &one, .count = 1};
    for (int64_t k = 0; k < stage->ins; k++) {
        const gw_stage_input *in = &stage->in[k];
        gw_row_set *needed = &p->needed[p->kept[in->tensor.id].made];
        if (!gw_portion_is_stream(p, in->tensor)) GW_TRY(add_rows(p, needed, &single));
        else if (in->own) GW_TRY(add_rows(p, needed, made));
        if (!in->near || !gw_portion_is_stream(p, in->tensor)) continue;
        switch (stage->kind) {
        case GW_STAGE_ROWS: GW_TRY(read_near(p, stage, sequence, made)); break;
        case GW_STAGE_BLOCKS: GW_TRY(read_attended(p, stage, gw_portion_length(p, sequence, stage->rows), made)); break;
        default: GW_TRY(read_by_sequence(p, stage, sequence, &p->other)); break;
        }
        GW_TRY(add_rows(p, needed, &p->other));
    }
    return GW_OK;
}

// Backward from what is asked for. Attention makes whole blocks of rows.
static gw_status find_needed(gw_portion *p, const gw_sequence *sequence) {
    const bool rows = gw_portion_is_stream(p, p->output);
    for (int64_t s = 0; s < p->stage_count; s++) gw_row_set_clear(&p->needed[s]);
    GW_TRY(
        gw_row_set_add(&p->needed[p->kept[p->output.id].made], rows ? sequence->begin : 0, rows ? sequence->end : 1));
    for (int64_t s = p->stage_count - 1; s >= 0; s--) {
        gw_stage *stage = &p->stages[s];
        gw_row_set *made = &p->needed[s];
        if (made->count == 0) continue;
        if (stage->kind == GW_STAGE_BLOCKS) {
            GW_TRY(attended_blocks(p, stage, gw_portion_length(p, sequence, stage->rows), made));
            swap(made, &p->other);
        } else if (stage->reads == GW_READS_REPEATED) { // makes all rows of a coarser one
            gw_row_set coarser = {0};
            gw_status status = gw_row_set_pool(made, stage->factor, &coarser);
            if (status == GW_OK)
                status = gw_row_set_repeat(&coarser, stage->factor, gw_portion_length(p, sequence, stage->rows), made);
            gw_row_set_free(&coarser);
            GW_TRY(status);
        }
        GW_TRY(need_inputs(p, stage, sequence, made));
    }
    return GW_OK;
}

// Forward from the tokens that differ.
static gw_status find_reached(gw_portion *p, const gw_sequence *sequence) {
    for (int64_t s = 0; s < p->stage_count; s++) {
        gw_stage *stage = &p->stages[s];
        gw_row_set *set = &p->reached[s];
        gw_row_set_clear(set);
        if (p->factor[stage->rows] == 0) {
            GW_TRY(gw_row_set_add(set, 0, 1));
            continue;
        }
        for (int64_t k = 0; k < stage->ins; k++)
            if (stage->in[k].near || stage->kind == GW_STAGE_BLOCKS)
                GW_TRY(add_rows(p, set, &p->reached[p->kept[stage->in[k].tensor.id].made]));
        if (stage->kind == GW_STAGE_BLOCKS) {
            GW_TRY(reach_attending(p, stage, gw_portion_length(p, sequence, stage->rows), set));
            swap(set, &p->other);
        } else if (stage->reader >= 0) {
            const int64_t rows = gw_portion_length(p, sequence, stage->rows);
            if (stage->reads == GW_READS_POOLED) GW_TRY(gw_row_set_pool(set, stage->factor, &p->other));
            else if (stage->reads == GW_READS_REPEATED) GW_TRY(gw_row_set_repeat(set, stage->factor, rows, &p->other));
            else GW_TRY(gw_row_set_widen(set, stage->reach, rows, &p->other));
            swap(set, &p->other);
        }
        for (int64_t k = 0; k < stage->ins; k++)
            if (stage->in[k].own) GW_TRY(add_rows(p, set, &p->reached[p->kept[stage->in[k].tensor.id].made]));
        if (stage->reads_token) GW_TRY(add_rows(p, set, &p->differs));
    }
    return GW_OK;
}

static gw_status find_sets(gw_portion *p, gw_sequence *sequence) {
    const bool all = sequence->is_first || p->alone;
    GW_TRY(find_needed(p, sequence));
    if (!all) GW_TRY(find_reached(p, sequence));
    for (int64_t s = 0; s < p->stage_count; s++) {
        if (all) swap(&sequence->set[s], &p->needed[s]);
        else GW_TRY(gw_row_set_meet(&p->reached[s], &p->needed[s], &sequence->set[s]));
    }
    return GW_OK;
}

// Rows of the first sequence that others read.

static gw_status hold(gw_portion *p, gw_tensor tensor, const gw_row_set *rows) {
    gw_row_set *held = &p->kept[tensor.id].held;
    const int64_t before = gw_row_set_rows(held);
    GW_TRY(add_rows(p, held, rows));
    p->grown |= gw_row_set_rows(held) > before;
    return GW_OK;
}

// What the stages of a sequence read; `others`: but rows that it makes itself.
static gw_status hold_read(gw_portion *p, const gw_sequence *sequence, bool others) {
    for (int64_t s = 0; s < p->stage_count; s++) {
        const gw_stage *stage = &p->stages[s];
        const gw_row_set *made = &sequence->set[s];
        for (int64_t k = 0; k < stage->ins && made->count > 0; k++) {
            const gw_stage_input *in = &stage->in[k];
            const gw_kept *kept = &p->kept[in->tensor.id];
            if (kept->whole || p->reached_all[kept->made]) continue;
            gw_row_set_clear(&p->other);
            if (in->near) GW_TRY(read_near(p, stage, sequence, made));
            if (in->own) GW_TRY(add_rows(p, &p->other, made));
            if (others) {
                GW_TRY(gw_row_set_without(&p->other, &sequence->set[kept->made], &p->joined));
                swap(&p->other, &p->joined);
            }
            GW_TRY(hold(p, in->tensor, &p->other));
        }
    }
    return GW_OK;
}

// Alleles near each other read the first one's rows there: few changes are held as if all rows of their spans changed.
static gw_status hold_for(gw_portion *p, const gw_sequence *sequence) {
    gw_sequence *around = &p->around;
    const int64_t begin = sequence->at / p->coarsest * p->coarsest,
                  end = gw_min(gw_portion_spans(p, sequence->at + sequence->put) * p->coarsest, sequence->length);
    if (!p->ranged || sequence->put == 0) return GW_OK;
    if (end - begin > FEW_SPANS * p->coarsest) return hold_read(p, sequence, true);
    if (around->put == end - begin && around->at == begin && around->begin == sequence->begin &&
        around->end == sequence->end)
        return GW_OK;
    around->length = around->whole = sequence->length;
    around->at = begin;
    around->put = around->removed = end - begin;
    around->begin = sequence->begin;
    around->end = sequence->end;
    gw_row_set_clear(&p->differs);
    GW_TRY(gw_row_set_add(&p->differs, begin, end));
    GW_TRY(find_sets(p, around));
    return hold_read(p, around, false);
}

bool gw_portion_has_grown(const gw_portion *p) {
    return p->grown;
}

gw_status gw_portion_gap(gw_portion *p, int64_t *rows) {
    int64_t reach = 0;
    double products = 0, beside = 0;
    for (int64_t s = 0; s < p->stage_count; s++) reach += p->stages[s].reach;
    gw_sequence *one = &p->first;
    one->length = 2 * reach + 1;
    one->begin = reach;
    one->end = reach + 1;
    GW_TRY(find_sets(p, one));
    for (int64_t s = 0; s < p->stage_count; s++) {
        products += p->stages[s].products;
        beside += p->stages[s].products * (double)(gw_row_set_rows(&one->set[s]) - 1);
    }
    *rows = (products > 0 ? (int64_t)(beside / products) : 0) + LAUNCH_ROWS;
    return GW_OK;
}

// Sequences.

static gw_status put_tokens(gw_portion *p, const int32_t *token, int64_t count) {
    GW_TRY(gw_reserve(&p->token, &p->token_capacity, p->tokens + count, sizeof *p->token));
    if (count > 0) memcpy(p->token + p->tokens, token, (size_t)count * sizeof *token);
    p->tokens += count;
    return GW_OK;
}

gw_status gw_portion_begin(gw_portion *p, const gw_run *run, const gw_variation *first) {
    gw_sequence *made = &p->first;
    p->run = *run;
    p->batch = *run->batch;
    p->run.batch = &p->batch;
    p->run.plan = p->plan;
    p->count = p->tokens = 0;
    made->put = made->removed = made->length = first->count;
    made->begin = first->begin;
    made->end = first->end;
    GW_TRY(put_tokens(p, first->token, first->count));
    GW_TRY(gw_reserve(&p->first_memory, &p->first_capacity, p->first_width * gw_portion_spans(p, first->count) + 1,
                      sizeof *p->first_memory));
    if (p->alone) return GW_OK;
    for (int64_t t = 0; t < p->plan->tensor_count; t++) gw_row_set_clear(&p->kept[t].held);
    p->around.put = 0;
    if (p->ranged && !p->kept[p->output.id].whole)
        GW_TRY(gw_row_set_add(&p->kept[p->output.id].held, first->begin, first->end));
    return find_sets(p, made);
}

// What of a part differs from the first sequence, which is more than nothing where it has another length.
static gw_status find_change(gw_portion *p, const gw_variation *part, gw_sequence *out) {
    const int32_t *first = p->token + part->offset, *token = part->token;
    const int64_t least = gw_min(part->span, part->count);
    int64_t before = 0, behind = 0;
    while (before < least && first[before] == token[before]) before++;
    while (behind < least - before && first[part->span - 1 - behind] == token[part->count - 1 - behind]) behind++;
    if (part->count - before - behind == 0 && part->count != part->span) {
        if (before > 0) before--;
        else behind--;
    }
    out->at = part->offset + before;
    out->removed = part->span - before - behind;
    out->put = part->count - before - behind;
    gw_row_set_clear(&p->differs);
    if (out->put != out->removed) return gw_row_set_add(&p->differs, out->at, out->at + out->put);
    for (int64_t i = before; i < before + out->put; i++)
        if (token[i] != first[i]) GW_TRY(gw_row_set_add(&p->differs, part->offset + i, part->offset + i + 1));
    return GW_OK;
}

gw_status gw_portion_add(gw_portion *p, const gw_variation *part, double most, double *share, bool *fits) {
    GW_TRY(gw_reserve(&p->sequences, &p->capacity, p->count + 1, sizeof *p->sequences));
    gw_sequence *made = &p->sequences[p->count];
    if (p->count == p->made) {
        *made = (gw_sequence){0};
        p->made++;
        GW_TRY(take_sets(p, made));
    }
    made->length = p->first.length - part->span + part->count;
    made->whole = part->count;
    made->begin = part->begin;
    made->end = part->end;
    if (p->alone) made->at = 0, made->put = made->removed = part->count;
    else GW_TRY(find_change(p, part, made));
    GW_TRY(find_sets(p, made));
    double some = 0, all = 0; // products, of a whole run too
    bool in_few = true;       // rows are in no more pieces than a batch has tasks
    for (int64_t s = 0; s < p->stage_count; s++) {
        const gw_stage *stage = &p->stages[s];
        in_few &= stage->kind != GW_STAGE_BLOCKS || made->set[s].count <= p->most_tasks;
        if (p->factor[stage->rows] == 0) continue;
        const double products = stage->kind == GW_STAGE_BLOCKS ? stage->keys * stage->products : stage->products;
        some += products * (double)gw_row_set_rows(&made->set[s]);
        all += products * (double)made->whole / (double)p->factor[stage->rows];
    }
    p->products = all;
    *share = all > 0 ? some / all : 1;
    *fits = *share <= most && in_few;
    if (!*fits) return GW_OK;
    GW_TRY(hold_for(p, made));
    made->token = p->tokens;
    GW_TRY(put_tokens(p, part->token + (made->at - part->offset), made->put));
    p->count++;
    return GW_OK;
}

int64_t gw_portion_count(const gw_portion *p) {
    return p->count;
}

void gw_portion_clear(gw_portion *p) {
    p->count = 0;
    p->tokens = p->first.length;
}

double gw_portion_products(const gw_portion *p) {
    return p->products;
}

void gw_portion_print_shares(const gw_portion *p, gw_string *out) {
    const gw_sequence *last = &p->sequences[p->count - 1];
    for (int64_t s = 0; s < p->stage_count; s++)
        if (p->stages[s].reads == GW_READS_NEAR || p->stages[s].kind == GW_STAGE_BLOCKS)
            gw_string_printf(out, " %.3g",
                             100 * (double)gw_row_set_rows(&last->set[s]) * (double)p->factor[p->stages[s].rows] /
                                 (double)last->whole);
}
