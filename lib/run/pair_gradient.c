// SPDX-License-Identifier: MIT
// A batch runs in passes of as many pairs as there is room for; all draws are functions of seed, step and position.
#include "run/pair_gradient.h"

#include "base/log.h"
#include "base/memory.h"
#include "data/shuffle.h"
#include "run/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Passes over pairs in a network of their own.
typedef struct {
    const gw_text_pairs *pairs;
    gw_network *network;
    gw_batch batch;
    int32_t start; // the token before a target's first
    int64_t done_sources, done_targets;
    double loss; // sum over target tokens
    int64_t right;
} passes;

struct gw_pair_gradient {
    const gw_model *model;
    gw_pair_gradient_options options;
    passes passes;
    double constant; // sum_v t_v ln t_v
};

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// Room for about `tokens` tokens of both: the targets' share is their share of all pairs, and a quarter more.
static gw_status make_passes(passes *p, gw_model *model, const gw_text_pairs *pairs, int64_t tokens, int64_t most_pairs,
                             gw_network_options options) {
    const double share = (double)pairs->target_start[pairs->count] / (double)pairs->source_start[pairs->count];
    *p = (passes){.pairs = pairs, .start = (int32_t)model->config.decoder_start};
    options.tokens = larger(tokens, pairs->longest_source);
    options.targets = larger((int64_t)(1.25 * share * (double)options.tokens), pairs->longest_target);
    options.sequences = most_pairs;
    GW_TRY(gw_network_new(model, &options, &p->network));
    GW_TRY(gw_rows_make(&p->batch.of[GW_ROWS_TOKENS], options.tokens, most_pairs, GW_WITH_TOKEN));
    return gw_rows_make(&p->batch.of[GW_ROWS_TARGET], options.targets, most_pairs, GW_WITH_TOKEN | GW_WITH_LABEL);
}

static void free_passes(passes *p) {
    gw_batch_free(&p->batch);
    gw_network_free(p->network);
}

// Appends pair i to the pass, unless that is full.
static bool add_pair(passes *p, int64_t i) {
    gw_rows *source = &p->batch.of[GW_ROWS_TOKENS], *target = &p->batch.of[GW_ROWS_TARGET];
    const gw_text_pairs *pairs = p->pairs;
    const int64_t tokens = pairs->source_start[i + 1] - pairs->source_start[i];
    const int64_t targets = pairs->target_start[i + 1] - pairs->target_start[i];
    if (!gw_rows_fit(source, tokens) || !gw_rows_fit(target, targets)) return false;
    const int32_t *text = pairs->target + pairs->target_start[i];
    memcpy(source->token + source->count, pairs->source + pairs->source_start[i], (size_t)tokens * sizeof(int32_t));
    target->token[target->count] = p->start;
    memcpy(target->token + target->count + 1, text, (size_t)(targets - 1) * sizeof(int32_t));
    memcpy(target->label + target->count, text, (size_t)targets * sizeof(int32_t));
    source->count += tokens;
    target->count += targets;
    gw_rows_end_sequence(source);
    gw_rows_end_sequence(target);
    return true;
}

// Runs what the pass holds, backward where `scale` is not 0, and empties it.
static gw_status run_pass(passes *p, float scale) {
    gw_rows *source = &p->batch.of[GW_ROWS_TOKENS], *target = &p->batch.of[GW_ROWS_TARGET];
    gw_losses losses;
    const gw_loss_sum *sum = &losses.of[GW_ROWS_TARGET];
    source->first = p->done_sources;
    target->first = p->done_targets;
    GW_TRY(gw_network_forward(p->network, &p->batch, &losses));
    if (scale > 0) GW_TRY(gw_network_backward(p->network, (float[GW_BATCH_ROWS]){[GW_ROWS_TARGET] = scale}));
    p->loss += sum->loss;
    p->right += sum->right;
    p->done_sources += source->count;
    p->done_targets += target->count;
    gw_batch_clear(&p->batch);
    return GW_OK;
}

static gw_status put_pair(passes *p, int64_t i, float scale) {
    if (add_pair(p, i)) return GW_OK;
    if (p->batch.of[GW_ROWS_TOKENS].sequences > 0) GW_TRY(run_pass(p, scale));
    return add_pair(p, i) ? GW_OK : gw_fail(GW_ERR_RANGE, "a pair does not fit a batch");
}

static void begin(passes *p, uint32_t step) {
    gw_batch_clear(&p->batch);
    p->batch.step = step;
    p->done_sources = p->done_targets = p->right = 0;
    p->loss = 0;
}

static double entropy_of(double smoothing, int64_t classes) {
    if (smoothing == 0) return 0;
    return (1 - smoothing) * log(1 - smoothing) + smoothing * log(smoothing / (double)(classes - 1));
}

gw_status gw_pair_gradient_new(gw_model *model, const gw_text_pairs *pairs, const gw_pair_gradient_options *options,
                               gw_pair_gradient **out) {
    *out = NULL;
    gw_pair_gradient *g = gw_alloc(1, sizeof *g);
    if (!g) return GW_ERR_MEMORY;
    g->model = model;
    g->options = *options;
    g->constant = entropy_of(options->smoothing, model->config.vocabulary);
    gw_network_options network = {.training = true,
                                  .recompute = options->recompute,
                                  .precision = options->precision,
                                  .smoothing = options->smoothing,
                                  .seed = options->seed,
                                  .density = options->density};
    network.density.sequences = options->batch;
    const gw_status status = make_passes(&g->passes, model, pairs, options->tokens, options->batch, network);
    if (status == GW_OK) *out = g;
    else gw_pair_gradient_free(g);
    return status;
}

void gw_pair_gradient_free(gw_pair_gradient *gradient) {
    if (!gradient) return;
    free_passes(&gradient->passes);
    free(gradient);
}

void gw_pair_gradient_density(const gw_pair_gradient *gradient, json_t *row) {
    gw_density_add(gradient->passes.network, &gradient->model->config, row);
}

float *gw_pair_gradient_values(gw_pair_gradient *gradient) {
    return gw_network_gradient(gradient->passes.network);
}

int64_t gw_pair_gradient_steps(const gw_pair_gradient *g) {
    return (g->passes.pairs->count + g->options.batch - 1) / g->options.batch;
}

// The pair at a place of the step's batch.
static int64_t pair_at(const gw_pair_gradient *g, int64_t step, int64_t place) {
    const int64_t steps = gw_pair_gradient_steps(g);
    return gw_shuffle(g->options.seed, (uint64_t)(step / steps), g->passes.pairs->count,
                      step % steps * g->options.batch + place);
}

gw_status gw_pair_gradient_add(gw_pair_gradient *g, int64_t step, double *loss, int64_t *tokens) {
    passes *p = &g->passes;
    const int64_t left = p->pairs->count - step % gw_pair_gradient_steps(g) * g->options.batch;
    const int64_t count = left < g->options.batch ? left : g->options.batch;
    int64_t targets = 0;
    for (int64_t place = 0; place < count; place++) {
        const int64_t *start = p->pairs->target_start + pair_at(g, step, place);
        targets += start[1] - start[0];
    }
    begin(p, (uint32_t)step);
    gw_network_restart_density(p->network);
    for (int64_t place = 0; place < count; place++) GW_TRY(put_pair(p, pair_at(g, step, place), 1 / (float)targets));
    GW_TRY(run_pass(p, 1 / (float)targets));
    *loss = p->loss / (double)targets + g->constant;
    *tokens = p->done_sources + p->done_targets;
    return GW_OK;
}

gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens, gw_pair_figures *out) {
    passes p;
    const int64_t most_pairs = pairs->count < tokens ? pairs->count : tokens;
    gw_status status = make_passes(&p, model, pairs, tokens, most_pairs, (gw_network_options){0});
    if (status == GW_OK) begin(&p, 0);
    for (int64_t i = 0; status == GW_OK && i < pairs->count; i++) {
        status = gw_check_interrupt();
        if (status == GW_OK) status = put_pair(&p, i, 0);
    }
    if (status == GW_OK) status = run_pass(&p, 0);
    if (status == GW_OK)
        *out = (gw_pair_figures){p.loss / (double)p.done_targets, (double)p.right / (double)p.done_targets};
    free_passes(&p);
    return status;
}
