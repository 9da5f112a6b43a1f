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
