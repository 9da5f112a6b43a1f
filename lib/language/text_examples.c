// SPDX-License-Identifier: MIT
// An example is a row of the set, in a batch as in gw_text_batch; or a question with all its windows. Labels of rows
// then become choices among the logits of the batch.
#include "language/text_examples.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const gw_text_set *set;
    gw_epochs order;
    gw_text_batch batch;
    float *number; // of questions: of the choices' entries
    int64_t columns;
} text_examples;

static void free_examples(void *self) {
    text_examples *e = self;
    if (e->number) e->batch.batch.of[GW_ROWS_CHOICES].number = NULL;
    gw_text_batch_free(&e->batch);
    free(e->number);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const text_examples *e = self;
    return gw_epochs_count(&e->order, step);
}

static gw_status add_row(void *self, int64_t step, int64_t i, bool *full) {
    text_examples *e = self;
    return gw_text_batch_add(&e->batch, gw_epochs_at(&e->order, step, i), full);
}

// Labels of a row that are not missing.
static gw_status count_labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const text_examples *e = self;
    const gw_text_set *set = e->set;
    const int64_t row = gw_epochs_at(&e->order, step, i);
    int64_t count = 0;
    if (set->labels == GW_TEXT_WORDS)
        for (int64_t t = set->start[row]; t < set->start[row + 1]; t++) count += set->label[t] >= 0;
    else if (set->number)
        for (int64_t c = 0; c < set->classes; c++) count += !isnan(set->number[row * set->classes + c]);
    else if (set->labels == GW_TEXT_SPANS) count = set->label[GW_SPAN_ENDS * row] >= 0;
    else count = set->label != NULL;
    labels[e->batch.labelled] += count;
    return GW_OK;
}

static const gw_examples rows = {.count = count, .add = add_row, .labels = count_labels, .free = free_examples};

// --- choices -------------------------------------------------------------------------------------------------------

static void add_entry(text_examples *e, int64_t token, int64_t column, float weight) {
    gw_rows *choices = &e->batch.batch.of[GW_ROWS_CHOICES];
    choices->number[choices->count] = weight;
    choices->token[choices->count++] = token < 0 ? -1 : (int32_t)(token * e->columns + column);
}

static void end_choice(text_examples *e) {
    gw_rows_end_sequence(&e->batch.batch.of[GW_ROWS_CHOICES]);
}

// The rows [first, end) of an example, the first of which is the batch's sequence `sequence`.
typedef struct {
    int64_t first, end, sequence;
} placed;

static int64_t row_begin(const text_examples *e, const placed *at, int64_t row) {
    return e->batch.batch.of[GW_ROWS_TOKENS].start[at->sequence + row - at->first];
}

// A choice of one token of all windows for a column; none where the column has no right one.
static void choose_end(text_examples *e, const placed *at, int column, float weight) {
    const gw_question_labels *l = &e->set->right;
    gw_rows *choices = &e->batch.batch.of[GW_ROWS_CHOICES];
    bool any = false;
    for (int64_t i = l->end_start[at->first]; i < l->end_start[at->end]; i++) any |= l->end[i].column == column;
    if (!any) return;
    for (int64_t row = at->first; row < at->end; row++) {
        const int64_t begin = row_begin(e, at, row), first = choices->count;
        const int64_t tokens = e->set->start[row + 1] - e->set->start[row];
        for (int64_t t = 0; t < tokens; t++) add_entry(e, begin + t, column, 0);
        for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++)
            if (l->end[i].column == column) choices->number[first + l->end[i].token] = weight;
    }
    end_choice(e);
}

static void rate_markers(text_examples *e, const placed *at, int64_t row) {
    const gw_question_labels *l = &e->set->right;
    const int64_t markers = l->marker_start[row + 1] - l->marker_start[row];
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) {
        const float weight = 1 / (float)markers;
        add_entry(e, row_begin(e, at, row) + l->marker[i].token, e->columns - 1, l->marker[i].right ? weight : 0);
        add_entry(e, -1, 0, l->marker[i].right ? 0 : weight);
        end_choice(e);
    }
}

static void add_choices(text_examples *e, const placed *at) {
    const gw_question_labels *l = &e->set->right;
    const gw_question_shape *shape = &e->set->questions.shape;
    const bool said = e->set->questions.question[e->set->window[at->first].question].said;
    for (int column = 0; column < shape->ends; column++)
        choose_end(e, at, column, (float)gw_question_end_weight(shape));
    for (int64_t row = at->first; shape->types > 0 && row < at->end; row++) {
        if (l->type[row] < 0) continue;
        for (int t = 0; t < shape->types; t++) add_entry(e, row_begin(e, at, row), shape->ends + t, t == l->type[row]);
        end_choice(e);
    }
    for (int64_t row = at->first; said && shape->marks && row < at->end; row++) rate_markers(e, at, row);
    if (!said || !shape->candidates) return;
    for (int64_t row = at->first; row < at->end; row++)
        for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++)
            add_entry(e, row_begin(e, at, row) + l->marker[i].token, e->columns - 1, l->marker[i].right);
    end_choice(e);
}

// --- examples ------------------------------------------------------------------------------------------------------

static void example_at(const text_examples *e, int64_t step, int64_t i, int64_t *first, int64_t *end) {
    const int64_t example = gw_epochs_at(&e->order, step, i);
    *first = e->set->right.example[example];
    *end = e->set->right.example[example + 1];
}

static gw_status add_question(void *self, int64_t step, int64_t i, bool *full) {
    text_examples *e = self;
    placed at;
    example_at(e, step, i, &at.first, &at.end);
    const int64_t tokens = e->set->start[at.end] - e->set->start[at.first];
    at.sequence = e->batch.batch.of[GW_ROWS_TOKENS].sequences;
    *full = !gw_text_batch_fits(&e->batch, tokens, at.end - at.first);
    for (int64_t row = at.first; !*full && row < at.end; row++) GW_TRY(gw_text_batch_add(&e->batch, row, full));
    if (!*full) add_choices(e, &at);
    return GW_OK;
}

static gw_status count_choices(void *self, int64_t step, int64_t i, int64_t *labels) {
    const text_examples *e = self;
    const gw_question_labels *l = &e->set->right;
    const gw_question_shape *shape = &e->set->questions.shape;
    int64_t first, end;
    example_at(e, step, i, &first, &end);
    const gw_question *question = &e->set->questions.question[e->set->window[first].question];
    if (question->said)
        labels[GW_ROWS_CHOICES] += shape->candidates ? question->right >= 0
                                                     : l->end_start[end] > l->end_start[first] ||
                                                           (shape->types > 0 && l->type[first] >= 0) || shape->marks;
    return GW_OK;
}

static const gw_examples questions = {
    .count = count, .add = add_question, .labels = count_choices, .free = free_examples};

gw_status gw_text_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                gw_examples *out) {
    const gw_question_labels *l = &set->right;
    const bool choices = l->examples > 0;
    int64_t longest = choices ? 0 : set->longest * set->per_row,
            most_rows = choices ? 0 : set->per_row; // of an example
    *out = (gw_examples){0};
    text_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (text_examples){.set = set, .order = order, .columns = gw_question_columns(&set->questions.shape)};
    for (int64_t i = 0; i < l->examples; i++) {
        longest = gw_max(longest, set->start[l->example[i + 1]] - set->start[l->example[i]]);
        most_rows = gw_max(most_rows, l->example[i + 1] - l->example[i]);
    }
    const int64_t sequences = order.batch * most_rows;
    tokens = gw_max(tokens, longest);
    const gw_network_options limits = {
        .tokens = tokens, .sequences = sequences, .globals = gw_text_most_globals(model, tokens, most_rows)};
    *out = gw_examples_of(choices ? &questions : &rows, e, &e->batch.batch, limits, sequences);
    gw_status status = gw_text_batch_make(&e->batch, model, set, tokens, sequences, most_rows);
    if (status == GW_OK && choices) {
        const int64_t most = gw_choice_entries(&model->config, tokens);
        gw_rows *entries = &e->batch.batch.of[GW_ROWS_CHOICES];
        status = gw_rows_make(entries, most, most, GW_WITH_TOKEN);
        e->number = status == GW_OK ? gw_alloc(most, sizeof *e->number) : NULL;
        entries->number = e->number;
        if (status == GW_OK && !e->number) status = GW_ERR_MEMORY;
    }
    return gw_examples_made(out, status);
}
