// SPDX-License-Identifier: MIT
// A batch runs in passes of as many examples as the token budget holds; all draws are functions of seed, step and
// position.
#include "run/label_gradient.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/shuffle.h"
#include "run/density.h"
#include "run/label_loss.h"
#include "score/token_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_label_gradient {
    gw_model *model;
    gw_labelled_set *set;
    gw_label_gradient_options options;
    gw_network *network;
    gw_token_batch pass;
    float *values;     // [batch][labels]
    char *reversed;    // [longest]
    double *frequency; // [labels] of the set
};

gw_status gw_label_gradient_new(gw_model *model, gw_labelled_set *set, const gw_label_gradient_options *options,
                                gw_label_gradient **out) {
    *out = NULL;
    gw_label_gradient *g = gw_alloc(1, sizeof *g);
    if (!g) return GW_ERR_MEMORY;
    *g = (gw_label_gradient){.model = model, .set = set, .options = *options};
    const int64_t positions = gw_config_longest(&model->config);
    const int64_t tokens = options->tokens > positions ? options->tokens : positions;
    gw_network_options network = {.tokens = tokens,
                                  .sequences = options->batch,
                                  .training = true,
                                  .recompute = options->recompute,
                                  .precision = options->precision,
                                  .seed = options->seed,
                                  .density = options->density};
    network.density.sequences = options->batch;
    g->values = gw_alloc(options->batch * model->config.labels, sizeof *g->values);
    g->reversed = gw_alloc(gw_labelled_set_longest(set), 1);
    g->frequency = gw_alloc(model->config.labels, sizeof *g->frequency);
    gw_status status = g->values && g->reversed && g->frequency ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_label_frequencies(set, g->frequency);
    if (status == GW_OK) status = gw_network_new(model, &network, &g->network);
    if (status == GW_OK) status = gw_token_batch_make(&g->pass, model->tokenizer, tokens, options->batch, positions);
    if (status == GW_OK) *out = g;
    else gw_label_gradient_free(g);
    return status;
}

void gw_label_gradient_free(gw_label_gradient *gradient) {
    if (!gradient) return;
    gw_token_batch_free(&gradient->pass);
    gw_network_free(gradient->network);
    free(gradient->values);
    free(gradient->reversed);
    free(gradient->frequency);
    free(gradient);
}

void gw_label_gradient_density(const gw_label_gradient *gradient, json_t *row) {
    gw_density_add(gradient->network, &gradient->model->config, row);
}

float *gw_label_gradient_values(gw_label_gradient *gradient) {
    return gw_network_gradient(gradient->network);
}

int64_t gw_label_gradient_steps(const gw_label_gradient *gradient) {
    return (gw_labelled_set_count(gradient->set) + gradient->options.batch - 1) / gradient->options.batch;
}

// The example at `position` of the order of `epoch`.
static int64_t example_at(const gw_label_gradient *g, int64_t epoch, int64_t position) {
    return gw_shuffle(g->options.seed, (uint64_t)epoch, gw_labelled_set_count(g->set), position);
}

// The bases of the example at `position` of the epoch's order, at the place and on the strand that are drawn for it.
static gw_status example_bases(gw_label_gradient *g, int64_t epoch, int64_t position, const char **bases,
                               int64_t *length) {
    const uint64_t index = (uint64_t)(epoch * gw_labelled_set_count(g->set) + position);
    gw_random random = gw_random_at(g->options.seed, GW_SITE_AUGMENT, index, 0);
    const bool reverse = g->options.reverse_at_random && gw_random_below(&random, 2) == 1;
    const int64_t reach = g->options.shift;
    const int64_t shift = reach > 0 ? (int64_t)gw_random_below(&random, (uint64_t)(2 * reach + 1)) - reach : 0;
    GW_TRY(gw_labelled_set_shifted_bases(g->set, example_at(g, epoch, position), shift, bases, length));
    if (!reverse) return GW_OK;
    gw_reverse_complement(*bases, *length, g->reversed);
    *bases = g->reversed;
    return GW_OK;
}

typedef struct {
    int64_t step, epoch, first, end; // positions of the batch in the epoch's order
    int64_t label_count, tokens;     // labels that are not missing; tokens so far
    double loss;                     // sum
} batch_run;

// Forward and backward of what the pass holds: the examples from `first` on.
static gw_status run_pass(gw_label_gradient *g, batch_run *run, int64_t first) {
    gw_batch *batch = &g->pass.batch;
    gw_rows *stream = &batch->of[GW_ROWS_TOKENS];
    const float scale[GW_BATCH_ROWS] = {[GW_ROWS_FIRST] = 1 / (float)run->label_count};
    gw_losses losses;
    batch->step = (uint32_t)run->step;
    stream->first = run->tokens;
    batch->of[GW_ROWS_FIRST].number = g->values + (first - run->first) * g->model->config.labels;
    GW_TRY(gw_network_forward(g->network, batch, &losses));
    GW_TRY(gw_network_backward(g->network, scale));
    run->loss += losses.of[GW_ROWS_FIRST].loss;
    run->tokens += stream->count;
    gw_batch_clear(batch);
    return GW_OK;
}

static gw_status run_batch(gw_label_gradient *g, batch_run *run) {
    int64_t first = run->first; // of the pass
    gw_batch_clear(&g->pass.batch);
    for (int64_t position = run->first; position < run->end;) {
        const char *bases;
        int64_t length;
        bool full = false;
        GW_TRY(example_bases(g, run->epoch, position, &bases, &length));
        const gw_status status = gw_token_batch_add(&g->pass, bases, length, &full);
        if (status != GW_OK)
            return gw_fail_in(status, "example %lld", (long long)example_at(g, run->epoch, position) + 1);
        if (!full) {
            position++;
            continue;
        }
        GW_TRY(run_pass(g, run, first));
        first = position;
    }
    return run_pass(g, run, first);
}

gw_status gw_label_gradient_add(gw_label_gradient *g, int64_t step, double *loss, double *chance, int64_t *tokens) {
    const int64_t count = gw_labelled_set_count(g->set), labels = g->model->config.labels;
    const int64_t epoch_steps = gw_label_gradient_steps(g);
    batch_run run = {.step = step, .epoch = step / epoch_steps, .first = step % epoch_steps * g->options.batch};
    run.end = run.first + g->options.batch < count ? run.first + g->options.batch : count;
    for (int64_t position = run.first; position < run.end; position++)
        gw_labelled_set_values(g->set, example_at(g, run.epoch, position), g->values + (position - run.first) * labels);
    for (int64_t i = 0; i < (run.end - run.first) * labels; i++) run.label_count += !isnan(g->values[i]);
    gw_network_restart_density(g->network);
    *loss = 0;
    *tokens = 0;
    *chance = gw_label_loss_of_constant(&g->model->config, g->values, run.end - run.first, g->frequency);
    if (run.label_count == 0) return GW_OK;
    GW_TRY(run_batch(g, &run));
    *loss = run.loss / (double)run.label_count;
    *tokens = run.tokens;
    return GW_OK;
}
