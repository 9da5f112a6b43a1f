// SPDX-License-Identifier: MIT
// Levels are laid out when the executor is made, sets of rows when a change is added, and values when they run. The
// rows of a level stand change by change, end to end, in the tensors' own memory behind the first sequence's.
//
// A step whose inputs have other levels than its result gets them copied together: rows of the change where the input
// has them, and the first sequence's elsewhere. Where a change needs all rows of an input (keys and values, what is
// pooled), its rows are put into the first sequence's for as long as the step runs.
#include "nn/changes.h"

#include "base/memory.h"
#include "nn/attention.h"
#include "nn/convolution.h"

#include <stdlib.h>
#include <string.h>

enum { OF_SEQUENCE = -1 }; // the level of tensors with a row for each sequence

// How the sets of a level are made: those of `from` as `step` reaches on, or with NULL joined with those of `with`.
typedef struct {
    const gw_step *step;
    int from, with;
    double keys; // that a row of attention reads
} level;

// Copied inputs of a step, and what a convolution makes of one.
enum { COPIES = GW_STEP_TENSORS };

struct gw_changes {
    const gw_plan *plan;
    int stream, asked;
    level *levels;
    int level_count;
    int *level_of; // [tensors]
    gw_run ref;    // of the first sequence
    gw_batch ref_batch;
    int64_t rows; // that it has
    gw_plan view; // the plan with the changes' values
    gw_batch batch;
    int64_t room, most; // rows and changes
    // of the changes
    int64_t count;
    int32_t *token;   // [most][tokens of a sequence]
    int64_t capacity; // of that, tokens
    gw_row_set *sets; // [most][levels]
    gw_row_set read, joined;
    int32_t *asked_row, *asked_position; // [most]
    int64_t *used;                       // [levels] rows, and with what lies beside them for a convolution
    int64_t *start;                      // [room + 1] of the ranges that a convolution reads
    int32_t *row, *tokens, *segments;    // [room] of a level's rows: the first sequence's, tokens and segments
    float *copy[COPIES], *saved;         // [room][widest]
};

static gw_row_set *set_of(const gw_changes *c, int64_t change, int of) {
    return &c->sets[change * c->level_count + of];
}

static bool is_of_stream(const gw_changes *c, gw_tensor tensor) {
    return tensor.rows == c->stream;
}

static bool is_older(const gw_changes *c, int older, int level_of) {
    while (level_of > older) {
        if (c->levels[level_of].step == NULL && is_older(c, older, c->levels[level_of].with)) return true;
        level_of = c->levels[level_of].from;
    }
    return level_of == older;
}

static int new_level(gw_changes *c, level made) {
    c->levels[c->level_count] = made;
    return c->level_count++;
}

// A level that has the rows of both.
static int join(gw_changes *c, int a, int b) {
    if (is_older(c, a, b)) return b;
    if (is_older(c, b, a)) return a;
    return new_level(c, (level){.from = a, .with = b});
}

// The level of a step's result; false: its rows are not known.
static bool find_level(gw_changes *c, const gw_step *step, int *out) {
    int of_inputs = 0;
    for (int i = 0; i < step->ins; i++) {
        const int of = c->level_of[step->in[i].id];
        if (!is_of_stream(c, step->in[i])) continue;
        of_inputs = join(c, of_inputs, of);
    }
    const bool asked = step->rows == c->asked;
    const bool each = c->plan->rows[step->rows].each_sequence && c->plan->rows[step->rows].stream == c->stream;
    *out = each || asked ? OF_SEQUENCE : of_inputs;
    if (c->asked != GW_CHANGES_OF_NONE && each) return false; // reads all rows
    if (each || asked) return step->op->reads != GW_READS_UNKNOWN;
    if (step->rows != c->stream) return false;
    switch (step->op->reads) {
    case GW_READS_ROW: return true;
    case GW_READS_NEAR:
    case GW_READS_BLOCKS: *out = new_level(c, (level){.step = step, .from = of_inputs}); return true;
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
    for (int i = 0; i < COPIES; i++) all = all && (c->copy[i] = gw_alloc_aligned(bytes));
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
    for (int i = 0; i < COPIES; i++) free(c->copy[i]);
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

// Memory of a change's rows; NULL of a tensor that the plan keeps none for.
static float *value_of(const gw_changes *c, gw_tensor tensor) {
    const int64_t before = is_of_stream(c, tensor) ? c->rows : 1;
    float *value = gw_plan_value(c->plan, tensor);
    return value ? value + before * tensor.width : NULL;
}

const float *gw_changes_value(const gw_changes *c, gw_tensor tensor) {
    return value_of(c, tensor);
}

// The sets of a change: forward from what differs.

static gw_status find_tokens(gw_changes *c, const int32_t *token, gw_row_set *out) {
    const int32_t *first = c->ref.batch->of[c->stream].token;
    gw_row_set_clear(out);
    for (int64_t i = 0; i < c->rows; i++)
        if (token[i] != first[i]) GW_TRY(gw_row_set_add(out, i, i + 1));
    return GW_OK;
}

static gw_status find_set(gw_changes *c, int of) {
    level *l = &c->levels[of];
    const gw_row_set *from = set_of(c, c->count, l->from);
    gw_row_set *out = set_of(c, c->count, of);
    if (!l->step) return gw_row_set_join(from, set_of(c, c->count, l->with), out);
    if (l->step->op->reads == GW_READS_NEAR)
        return gw_row_set_widen(from, gw_convolution_step_reach(l->step), c->rows, out);
    return gw_attention_reached(&c->ref, l->step, from, out, &l->keys);
}

// Backward from what is asked for. Attention makes whole blocks of rows.

static gw_status need(gw_changes *c, int of, const gw_row_set *rows) {
    const gw_step *maker = c->levels[of].step;
    gw_row_set *set = set_of(c, c->count, of), before = *set;
    GW_TRY(gw_row_set_join(set, rows, &c->joined));
    if (maker && maker->op->reads == GW_READS_BLOCKS) return gw_attention_blocks(&c->ref, maker, &c->joined, set);
    *set = c->joined;
    c->joined = before;
    return GW_OK;
}

// What a step reads of an input of other rows than its own.
static gw_status need_input(gw_changes *c, const gw_step *step, int k, const gw_row_set *made) {
    const int of = c->level_of[step->in[k].id];
    double keys;
    if (step->op->reads == GW_READS_NEAR) {
        GW_TRY(gw_row_set_widen(made, gw_convolution_step_reach(step), c->rows, &c->read));
        return need(c, of, &c->read);
    }
    if (step->op->reads != GW_READS_BLOCKS || k == 0) return need(c, of, made);
    GW_TRY(gw_attention_listed(&c->ref, step, made, &c->read, &keys));
    if (c->level_of[step->out[0].id] != OF_SEQUENCE) c->levels[c->level_of[step->out[0].id]].keys = keys;
    return need(c, of, &c->read);
}

static gw_status find_needed(gw_changes *c, int64_t row) {
    gw_row_range range = {row, row + 1};
    const gw_row_set asked = {.range = &range, .count = 1};
    for (int k = 0; k < c->level_count; k++) gw_row_set_clear(set_of(c, c->count, k));
    for (int64_t i = c->plan->count - 1; i >= 0; i--) {
        const gw_step *step = &c->plan->steps[i];
        if (step->outs == 0) continue;
        const int of = c->level_of[step->out[0].id];
        for (int k = 0; k < step->ins; k++) {
            if (!is_of_stream(c, step->in[k]) || c->level_of[step->in[k].id] == of) continue;
            GW_TRY(need_input(c, step, k, of == OF_SEQUENCE ? &asked : set_of(c, c->count, of)));
        }
    }
    return GW_OK;
}

static gw_status find_sets(gw_changes *c, const int32_t *token, int64_t row) {
    if (c->asked != GW_CHANGES_OF_NONE) return find_needed(c, row);
    GW_TRY(find_tokens(c, token, set_of(c, c->count, 0)));
    for (int k = 1; k < c->level_count; k++) GW_TRY(find_set(c, k));
    return GW_OK;
}

// Rows that a level takes in memory, with those on either side that a convolution reads.
static int64_t rows_with_halo(const gw_changes *c, int of, const gw_row_set *set) {
    const gw_step *step = c->levels[of].step;
    const int64_t reach = step && step->op->reads == GW_READS_NEAR ? gw_convolution_step_reach(step) : 0;
    return gw_row_set_rows(set) + 2 * reach * set->count;
}

static bool has_room(const gw_changes *c) {
    if (c->count == c->most) return false;
    for (int k = 0; k < c->level_count; k++) {
        const gw_row_set *set = set_of(c, c->count, k);
        if (c->used[k] + rows_with_halo(c, k, set) > c->room || set->count > c->most) return false;
    }
    return true;
}

// Products of a row: with each key and its value, or of a matrix, or one of each tap.
static double products_of(const gw_changes *c, const gw_step *step) {
    double products = 0;
    if (step->op->reads == GW_READS_BLOCKS)
        return 2 * c->levels[c->level_of[step->out[0].id]].keys * (double)step->out[0].width;
    for (int k = 0; k < step->outs && step->ins > 0; k++) products += (double)(step->in[0].width * step->out[k].width);
    return step->op->reads == GW_READS_NEAR ? products * (double)gw_convolution_taps(step) : products;
}

static double share_of(const gw_changes *c) {
    double some = 0, all = 0;
    for (int64_t i = 0; i < c->plan->count; i++) {
        const gw_step *step = &c->plan->steps[i];
        if (step->outs == 0 || !is_of_stream(c, step->out[0])) continue;
        const double products = products_of(c, step);
        some += products * (double)gw_row_set_rows(set_of(c, c->count, c->level_of[step->out[0].id]));
        all += products * (double)c->rows;
    }
    return all > 0 ? some / all : 1;
}

gw_status gw_changes_add(gw_changes *c, const int32_t *token, int64_t row, double most, double *share, bool *fits) {
    *fits = c->count < c->most;
    *share = 0;
    if (!*fits) return GW_OK;
    GW_TRY(find_sets(c, token, row));
    *share = share_of(c);
    *fits = *share <= most && has_room(c);
    if (!*fits) return GW_OK;
    GW_TRY(gw_reserve(&c->token, &c->capacity, (c->count + 1) * c->rows, sizeof *c->token));
    memcpy(c->token + c->count * c->rows, token, (size_t)c->rows * sizeof *token);
    const int32_t *position = c->ref_batch.of[c->stream].position;
    c->asked_row[c->count] = (int32_t)row;
    c->asked_position[c->count] = position ? position[row] : 0;
    for (int k = 0; k < c->level_count; k++) c->used[k] += rows_with_halo(c, k, set_of(c, c->count, k));
    c->count++;
    return GW_OK;
}

void gw_changes_print_shares(const gw_changes *c, gw_string *out) {
    for (int k = 1; k < c->level_count && c->count > 0; k++)
        gw_string_printf(out, " %.3g", 100 * (double)gw_row_set_rows(set_of(c, c->count - 1, k)) / (double)c->rows);
}

// Values.

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
    const float *of_change = value_of(c, in);
    for (int64_t a = 0; a < c->count; a++) {
        const gw_row_set *wanted = set_of(c, a, of), *set = set_of(c, a, from);
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
    const float *of_change = value_of(c, tensor);
    for (int64_t a = 0; a < change; a++) of_change += gw_row_set_rows(set_of(c, a, of)) * tensor.width;
    put_range(c, tensor, set_of(c, change, of), of_change, 0, c->rows, out);
}

static int64_t level_rows(const gw_changes *c, int of) {
    int64_t rows = 0;
    for (int64_t a = 0; a < c->count; a++) rows += gw_row_set_rows(set_of(c, a, of));
    return rows;
}

// What stands in the batch of the rows of a level.
static void fill_rows(gw_changes *c, int of) {
    const gw_rows *ref = &c->ref.batch->of[c->stream];
    gw_rows *rows = &c->batch.of[c->stream];
    int64_t at = 0;
    for (int64_t a = 0; a < c->count; a++) {
        const gw_row_set *set = set_of(c, a, of);
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
    if (of != OF_SEQUENCE && level_rows(c, of) == 0) return GW_OK;
    if (of != OF_SEQUENCE) fill_rows(c, of);
    for (int i = 0; i < step->ins && of != OF_SEQUENCE; i++) {
        if (c->level_of[step->in[i].id] == of) continue;
        put_all(c, step->in[i], of, 0, c->copy[i]);
        set_value(c, step->in[i], c->copy[i]);
    }
    GW_TRY(step->op->forward(&run, step));
    for (int i = 0; i < step->ins; i++) set_value(c, step->in[i], value_of(c, step->in[i]));
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
        const gw_row_set *set = set_of(c, a, of);
        for (int64_t i = 0; i < set->count; i++)
            c->start[++rows->sequences] = rows->count += set->range[i].end - set->range[i].begin + 2 * reach;
    }
    if (rows->count == 0) return GW_OK;
    put_all(c, in, of, reach, c->copy[0]);
    set_value(c, in, c->copy[0]);
    set_value(c, out, c->copy[1]);
    GW_TRY(step->op->forward(&run, step));
    set_value(c, in, value_of(c, in));
    set_value(c, out, value_of(c, out));
    float *to = value_of(c, out);
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
    const gw_row_set *set = set_of(c, change, of);
    float *mine = value_of(c, in), *first = gw_plan_value(c->plan, in);
    for (int64_t a = 0; a < change; a++) mine += gw_row_set_rows(set_of(c, a, of)) * in.width;
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
            const bool rows = is_of_stream(c, in);
            if (rows) exchange(c, in, a);
            set_value(c, in, rows ? gw_plan_value(c->plan, in) : value_of(c, in) + a * in.width);
        }
        set_value(c, step->out[0], value_of(c, step->out[0]) + a * step->out[0].width);
        status = step->op->forward(&run, step);
        for (int i = 0; i < step->ins; i++)
            if (is_of_stream(c, step->in[i])) exchange(c, step->in[i], a);
    }
    for (int i = 0; i < step->ins; i++) set_value(c, step->in[i], value_of(c, step->in[i]));
    set_value(c, step->out[0], value_of(c, step->out[0]));
    return status;
}

static gw_status run_blocks(gw_changes *c, const gw_step *step) {
    const int of = c->level_of[step->out[0].id];
    const gw_tensor query = step->in[0], key = step->in[1], value = step->in[2];
    float *queries = c->copy[0], *out = value_of(c, step->out[0]);
    gw_status status = GW_OK;
    put_all(c, query, of, 0, queries);
    for (int64_t a = 0; a < c->count && status == GW_OK; a++) {
        const gw_row_set *set = set_of(c, a, of);
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
    if (c->level_of[step->out[0].id] == OF_SEQUENCE) {
        bool of_sequences = true;
        for (int i = 0; i < step->ins; i++) of_sequences &= !is_of_stream(c, step->in[i]);
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
        set_value(c, c->plan->tensors[t].tensor, value_of(c, c->plan->tensors[t].tensor));
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
