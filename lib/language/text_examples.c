// SPDX-License-Identifier: MIT
// An example is a row of the set, which stands in a batch as gw_text_batch has it.
#include "language/text_examples.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct {
    const gw_text_set *set;
    gw_epochs order;
    gw_text_batch batch;
} text_examples;

static void free_examples(void *self) {
    text_examples *e = self;
    gw_text_batch_free(&e->batch);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const text_examples *e = self;
    return gw_epochs_count(&e->order, step);
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    text_examples *e = self;
    return gw_text_batch_add(&e->batch, gw_epochs_at(&e->order, step, i), full);
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const text_examples *e = self;
    labels[e->batch.labelled] += gw_text_labels_of(e->set, gw_epochs_at(&e->order, step, i));
    return GW_OK;
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_text_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                gw_examples *out) {
    *out = (gw_examples){0};
    if (set->right.examples > 0) return gw_question_examples_open(model, set, order, tokens, out);
    text_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (text_examples){.set = set, .order = order};
    const int64_t row = set->longest * set->per_row, sequences = order.batch * set->per_row;
    if (tokens < row) tokens = row;
    const gw_network_options limits = {
        .tokens = tokens, .sequences = sequences, .globals = gw_text_most_globals(model, tokens, set->per_row)};
    *out = gw_examples_of(&kind, e, &e->batch.batch, limits, sequences);
    return gw_examples_made(out, gw_text_batch_make(&e->batch, model, set, tokens, sequences, set->per_row));
}

// Labels of rows become choices among the logits of the batch that the rows stand in.

typedef struct {
    const gw_text_set *set;
    gw_epochs order;
    gw_text_batch batch;
    float *number; // of the entries
    int64_t columns;
} question_examples;

static void free_questions(void *self) {
    question_examples *e = self;
    e->batch.batch.of[GW_ROWS_CHOICES].number = NULL;
    gw_text_batch_free(&e->batch);
    free(e->number);
    free(e);
}

static int64_t count_questions(const void *self, int64_t step) {
    const question_examples *e = self;
    return gw_epochs_count(&e->order, step);
}

// --- choices -------------------------------------------------------------------------------------------------------

static void add_entry(question_examples *e, int64_t token, int64_t column, float weight) {
    gw_rows *choices = &e->batch.batch.of[GW_ROWS_CHOICES];
    choices->number[choices->count] = weight;
    choices->token[choices->count++] = token < 0 ? -1 : (int32_t)(token * e->columns + column);
}

static void end_choice(question_examples *e) {
    gw_rows_end_sequence(&e->batch.batch.of[GW_ROWS_CHOICES]);
}

// The rows [first, end) of an example, the first of which is the batch's sequence `sequence`.
typedef struct {
    int64_t first, end, sequence;
} placed;

static int64_t row_begin(const question_examples *e, const placed *at, int64_t row) {
    return e->batch.batch.of[GW_ROWS_TOKENS].start[at->sequence + row - at->first];
}

static bool has_end(const gw_question_labels *l, int64_t first, int64_t end, int column) {
    for (int64_t i = l->end_start[first]; i < l->end_start[end]; i++)
        if (l->end[i].column == column) return true;
    return false;
}

static void choose_end(question_examples *e, const placed *at, int column, float weight) {
    const gw_question_labels *l = &e->set->right;
    gw_rows *choices = &e->batch.batch.of[GW_ROWS_CHOICES];
    if (!has_end(l, at->first, at->end, column)) return;
    for (int64_t row = at->first; row < at->end; row++) {
        const int64_t begin = row_begin(e, at, row), first = choices->count;
        const int64_t tokens = e->set->start[row + 1] - e->set->start[row];
        for (int64_t t = 0; t < tokens; t++) add_entry(e, begin + t, column, 0);
        for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++)
            if (l->end[i].column == column) choices->number[first + l->end[i].token] = weight;
    }
    end_choice(e);
}

static void choose_type(question_examples *e, const placed *at, int64_t row) {
    const gw_question_shape *shape = &e->set->questions.shape;
    if (shape->types == 0 || e->set->right.type[row] < 0) return;
    for (int t = 0; t < shape->types; t++)
        add_entry(e, row_begin(e, at, row), shape->ends + t, t == e->set->right.type[row] ? 1 : 0);
    end_choice(e);
}

static void rate_markers(question_examples *e, const placed *at, int64_t row) {
    const gw_question_labels *l = &e->set->right;
    const int64_t markers = l->marker_start[row + 1] - l->marker_start[row];
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) {
        const float weight = 1 / (float)markers;
        add_entry(e, row_begin(e, at, row) + l->marker[i].token, e->columns - 1, l->marker[i].right ? weight : 0);
        add_entry(e, -1, 0, l->marker[i].right ? 0 : weight);
        end_choice(e);
    }
}

static void choose_candidate(question_examples *e, const placed *at) {
    const gw_question_labels *l = &e->set->right;
    for (int64_t row = at->first; row < at->end; row++)
        for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++)
            add_entry(e, row_begin(e, at, row) + l->marker[i].token, e->columns - 1, l->marker[i].right);
    end_choice(e);
}

static void add_choices(question_examples *e, const placed *at) {
    const gw_question_shape *shape = &e->set->questions.shape;
    const bool said = e->set->questions.question[e->set->window[at->first].question].said;
    for (int column = 0; column < shape->ends; column++)
        choose_end(e, at, column, (float)gw_question_end_weight(shape));
    for (int64_t row = at->first; row < at->end; row++) choose_type(e, at, row);
    for (int64_t row = at->first; said && shape->marks && row < at->end; row++) rate_markers(e, at, row);
    if (said && shape->candidates) choose_candidate(e, at);
}

// --- examples ------------------------------------------------------------------------------------------------------

static void example_at(const question_examples *e, int64_t step, int64_t i, int64_t *first, int64_t *end) {
    const int64_t example = gw_epochs_at(&e->order, step, i);
    *first = e->set->right.example[example];
    *end = e->set->right.example[example + 1];
}

static gw_status add_questions(void *self, int64_t step, int64_t i, bool *full) {
    question_examples *e = self;
    placed at;
    example_at(e, step, i, &at.first, &at.end);
    const int64_t tokens = e->set->start[at.end] - e->set->start[at.first];
    at.sequence = e->batch.batch.of[GW_ROWS_TOKENS].sequences;
    *full = !gw_text_batch_fits(&e->batch, tokens, at.end - at.first);
    for (int64_t row = at.first; !*full && row < at.end; row++) GW_TRY(gw_text_batch_add(&e->batch, row, full));
    if (!*full) add_choices(e, &at);
    return GW_OK;
}

static bool says_something(const question_examples *e, int64_t first, int64_t end) {
    const gw_question_labels *l = &e->set->right;
    const gw_question_shape *shape = &e->set->questions.shape;
    const gw_question *question = &e->set->questions.question[e->set->window[first].question];
    if (!question->said) return false;
    if (shape->candidates) return question->right >= 0;
    return l->end_start[end] > l->end_start[first] || (shape->types > 0 && l->type[first] >= 0) || shape->marks;
}

static gw_status count_labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const question_examples *e = self;
    int64_t first, end;
    example_at(e, step, i, &first, &end);
    labels[GW_ROWS_CHOICES] += says_something(e, first, end);
    return GW_OK;
}

// Tokens and rows of the longest example.
static void longest_of(const gw_text_set *set, int64_t *tokens, int64_t *rows) {
    const gw_question_labels *l = &set->right;
    *tokens = *rows = 0;
    for (int64_t i = 0; i < l->examples; i++) {
        const int64_t count = set->start[l->example[i + 1]] - set->start[l->example[i]];
        if (count > *tokens) *tokens = count;
        if (l->example[i + 1] - l->example[i] > *rows) *rows = l->example[i + 1] - l->example[i];
    }
}

static gw_status make_choices(question_examples *e, int64_t tokens) {
    const int64_t most = gw_choice_entries(&e->batch.model->config, tokens);
    GW_TRY(gw_rows_make(&e->batch.batch.of[GW_ROWS_CHOICES], most, most, GW_WITH_TOKEN));
    e->number = gw_alloc(most, sizeof *e->number);
    e->batch.batch.of[GW_ROWS_CHOICES].number = e->number;
    return e->number ? GW_OK : GW_ERR_MEMORY;
}

static const gw_examples questions = {
    .count = count_questions, .add = add_questions, .labels = count_labels, .free = free_questions};

gw_status gw_question_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                    gw_examples *out) {
    *out = (gw_examples){0};
    question_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (question_examples){.set = set, .order = order, .columns = gw_question_columns(&set->questions.shape)};
    int64_t longest, rows;
    longest_of(set, &longest, &rows);
    const int64_t sequences = order.batch * rows;
    if (tokens < longest) tokens = longest;
    const gw_network_options limits = {
        .tokens = tokens, .sequences = sequences, .globals = gw_text_most_globals(model, tokens, rows)};
    *out = gw_examples_of(&questions, e, &e->batch.batch, limits, sequences);
    gw_status status = gw_text_batch_make(&e->batch, model, set, tokens, sequences, rows);
    if (status == GW_OK) status = make_choices(e, tokens);
    return gw_examples_made(out, status);
}
