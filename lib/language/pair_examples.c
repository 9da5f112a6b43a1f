// SPDX-License-Identifier: MIT
// A source is a sequence of the tokens' stream, its target one of the target's, a token later.
#include "language/pair_examples.h"

#include "base/memory.h"
#include "run/step.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_text_pairs *pairs;
    gw_epochs order; // batch 0: as they stand
    gw_batch batch;
    int32_t start; // the token before a target's first
} pair_examples;

static void free_examples(void *self) {
    pair_examples *e = self;
    gw_batch_free(&e->batch);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const pair_examples *e = self;
    return e->order.batch > 0 ? gw_epochs_count(&e->order, step) : e->pairs->count;
}

static int64_t pair_at(const pair_examples *e, int64_t step, int64_t i) {
    return e->order.batch > 0 ? gw_epochs_at(&e->order, step, i) : i;
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    pair_examples *e = self;
    gw_rows *source = &e->batch.of[GW_ROWS_TOKENS], *target = &e->batch.of[GW_ROWS_TARGET];
    const gw_text_pairs *pairs = e->pairs;
    const int64_t pair = pair_at(e, step, i), *sources = pairs->source_start + pair;
    const int64_t *starts = pairs->target_start + pair, tokens = sources[1] - sources[0],
                  targets = starts[1] - starts[0];
    *full = !gw_rows_fit(source, tokens) || !gw_rows_fit(target, targets);
    if (*full) return GW_OK;
    const int32_t *text = pairs->target + starts[0];
    memcpy(source->token + source->count, pairs->source + sources[0], (size_t)tokens * sizeof(int32_t));
    target->token[target->count] = e->start;
    memcpy(target->token + target->count + 1, text, (size_t)(targets - 1) * sizeof(int32_t));
    memcpy(target->label + target->count, text, (size_t)targets * sizeof(int32_t));
    source->count += tokens;
    target->count += targets;
    gw_rows_end_sequence(source);
    gw_rows_end_sequence(target);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const pair_examples *e = self;
    const int64_t *start = e->pairs->target_start + pair_at(e, step, i);
    labels[GW_ROWS_TARGET] += start[1] - start[0];
    return GW_OK;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// The targets' share of a batch is their share of all pairs, and a quarter more.
static gw_network_options limits_of(const gw_text_pairs *pairs, const gw_epochs *order, int64_t tokens) {
    const double share = (double)pairs->target_start[pairs->count] / (double)pairs->source_start[pairs->count];
    gw_network_options limits = {.tokens = larger(tokens, pairs->longest_source)};
    limits.targets = larger((int64_t)(1.25 * share * (double)limits.tokens), pairs->longest_target);
    limits.sequences = order ? order->batch : pairs->count < tokens ? pairs->count : tokens;
    return limits;
}

static gw_status make(gw_batch *batch, const gw_network_options *limits) {
    GW_TRY(gw_rows_make(&batch->of[GW_ROWS_TOKENS], limits->tokens, limits->sequences, GW_WITH_TOKEN));
    return gw_rows_make(&batch->of[GW_ROWS_TARGET], limits->targets, limits->sequences, GW_WITH_TOKEN | GW_WITH_LABEL);
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_pair_examples_open(const gw_model *model, const gw_text_pairs *pairs, const gw_epochs *order,
                                int64_t tokens, gw_examples *out) {
    *out = (gw_examples){0};
    pair_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (pair_examples){.pairs = pairs, .start = (int32_t)model->config.decoder_start};
    if (order) e->order = *order;
    *out = gw_examples_of(&kind, e, &e->batch, limits_of(pairs, order, tokens), order ? order->batch : pairs->count);
    return gw_examples_made(out, make(&e->batch, &out->limits));
}

gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens, gw_pair_metrics *out) {
    gw_examples examples;
    gw_steps step = {0};
    gw_step_sums sums;
    GW_TRY(gw_pair_examples_open(model, pairs, NULL, tokens, &examples));
    gw_status status = gw_steps_make(&step, model, &examples, (gw_network_options){0});
    if (status == GW_OK) status = gw_step_losses(&step, 0, &sums);
    if (status == GW_OK) {
        const gw_loss_sum *targets = &sums.losses.of[GW_ROWS_TARGET];
        *out =
            (gw_pair_metrics){targets->loss / (double)targets->count, (double)targets->right / (double)targets->count};
    }
    gw_steps_free(&step);
    gw_examples_free(&examples);
    return status;
}
