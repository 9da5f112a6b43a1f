// SPDX-License-Identifier: MIT
// Places and strands of windows are drawn by the number of an example in the run.
#include "task/windows/label_examples.h"

#include "base/memory.h"
#include "base/random.h"
#include "network/token_batch.h"
#include "task/windows/label_loss.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const gw_model *model;
    gw_labelled_set *set;
    gw_label_examples_options options;
    gw_token_batch tokens;
    float *values, *one; // [batch][labels] of the batch; [labels] of an example
    char *reversed;      // [longest]
    double *frequency;   // [labels] of the set
} label_examples;

static void free_examples(void *self) {
    label_examples *e = self;
    gw_token_batch_free(&e->tokens);
    free(e->values);
    free(e->one);
    free(e->reversed);
    free(e->frequency);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const label_examples *e = self;
    return gw_epochs_count(&e->options.order, step);
}

// The example's bases, at the place and on the strand that are drawn for it.
static gw_status read_bases(label_examples *e, int64_t step, int64_t i, const char **bases, int64_t *length) {
    const gw_epochs *order = &e->options.order;
    gw_random random = gw_random_at(order->seed, GW_SITE_AUGMENT, (uint64_t)gw_epochs_number(order, step, i), 0);
    const bool reverse = e->options.reverse_at_random && gw_random_below(&random, 2) == 1;
    const int64_t reach = e->options.shift;
    const int64_t shift = reach > 0 ? (int64_t)gw_random_below(&random, (uint64_t)(2 * reach + 1)) - reach : 0;
    GW_TRY(gw_labelled_set_shifted_bases(e->set, gw_epochs_at(order, step, i), shift, bases, length));
    if (!reverse) return GW_OK;
    gw_reverse_complement(*bases, *length, e->reversed);
    *bases = e->reversed;
    return GW_OK;
}

// An example's labels, of numbers as the network learns them.
static void read_values(const label_examples *e, int64_t example, float *values) {
    const gw_config *config = &e->model->config;
    gw_labelled_set_values(e->set, example, values);
    if (gw_config_has_numbers(config)) gw_numbers_standardise(&config->numbers, config->labels, values);
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    label_examples *e = self;
    const int64_t row = e->tokens.batch.of[GW_ROWS_TOKENS].sequences,
                  example = gw_epochs_at(&e->options.order, step, i);
    const char *bases;
    int64_t length;
    GW_TRY(read_bases(e, step, i, &bases, &length));
    const gw_status status = gw_token_batch_add(&e->tokens, bases, length, full);
    if (status != GW_OK) return gw_fail_in(status, "example %lld", (long long)example + 1);
    if (!*full) read_values(e, example, e->values + row * e->model->config.labels);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    label_examples *e = self;
    gw_labelled_set_values(e->set, gw_epochs_at(&e->options.order, step, i), e->one);
    for (int64_t l = 0; l < e->model->config.labels; l++) labels[GW_ROWS_FIRST] += !isnan(e->one[l]);
    return GW_OK;
}

double gw_label_examples_chance(const gw_examples *examples, int64_t step) {
    const label_examples *e = examples->self;
    const int64_t rows = count(e, step);
    gw_batch_clear(examples->batch); // whose values these become
    for (int64_t i = 0; i < rows; i++)
        gw_labelled_set_values(e->set, gw_epochs_at(&e->options.order, step, i),
                               e->values + i * e->model->config.labels);
    return gw_label_loss_of_constant(&e->model->config, e->values, rows, e->frequency);
}

static gw_status make(label_examples *e, int64_t tokens, int64_t positions) {
    const int64_t sequences = e->options.order.batch, width = e->model->config.labels;
    e->values = gw_alloc(sequences * width, sizeof *e->values);
    e->one = gw_alloc(width, sizeof *e->one);
    e->reversed = gw_alloc(gw_labelled_set_longest(e->set), 1);
    e->frequency = gw_alloc(width, sizeof *e->frequency);
    if (!e->values || !e->one || !e->reversed || !e->frequency) return GW_ERR_MEMORY;
    GW_TRY(gw_label_frequencies(e->set, e->frequency));
    GW_TRY(gw_token_batch_make(&e->tokens, e->model->tokenizer, tokens, sequences, positions));
    e->tokens.batch.of[GW_ROWS_FIRST].number = e->values;
    return GW_OK;
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_label_examples_open(const gw_model *model, gw_labelled_set *set, const gw_label_examples_options *options,
                                 gw_examples *out) {
    *out = (gw_examples){0};
    label_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (label_examples){.model = model, .set = set, .options = *options};
    const int64_t positions = gw_config_longest(&model->config), sequences = options->order.batch;
    const int64_t tokens = options->tokens > positions ? options->tokens : positions;
    *out = gw_examples_of(&kind, e, &e->tokens.batch, (gw_network_options){.tokens = tokens, .sequences = sequences},
                          sequences);
    return gw_examples_made(out, make(e, tokens, positions));
}
