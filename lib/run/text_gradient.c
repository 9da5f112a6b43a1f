// SPDX-License-Identifier: MIT
// A batch runs in passes of as many rows as the token budget holds; all draws are functions of seed, step and position.
#include "run/text_gradient.h"

#include "base/memory.h"
#include "data/shuffle.h"
#include "run/density.h"

#include <stdlib.h>

struct gw_text_gradient {
    const gw_model *model;
    const gw_text_set *set;
    gw_text_gradient_options options;
    gw_network *network;
    gw_text_batch pass;
};

gw_status gw_text_gradient_new(gw_model *model, const gw_text_set *set, const gw_text_gradient_options *options,
                               gw_text_gradient **out) {
    *out = NULL;
    gw_text_gradient *g = gw_alloc(1, sizeof *g);
    if (!g) return GW_ERR_MEMORY;
    g->model = model;
    g->set = set;
    g->options = *options;
    const int64_t row = set->longest * set->per_row, tokens = options->tokens > row ? options->tokens : row;
    gw_network_options network = {.tokens = tokens,
                                  .sequences = options->batch * set->per_row,
                                  .training = true,
                                  .recompute = options->recompute,
                                  .precision = options->precision,
                                  .seed = options->seed,
                                  .density = options->density};
    network.density.sequences = network.sequences;
    gw_status status = gw_network_new(model, &network, &g->network);
    if (status == GW_OK) status = gw_text_batch_make(&g->pass, model, set, tokens, network.sequences);
    if (status == GW_OK) *out = g;
    else gw_text_gradient_free(g);
    return status;
}

void gw_text_gradient_free(gw_text_gradient *gradient) {
    if (!gradient) return;
    gw_text_batch_free(&gradient->pass);
    gw_network_free(gradient->network);
    free(gradient);
}

void gw_text_gradient_density(const gw_text_gradient *gradient, json_t *row) {
    gw_density_add(gradient->network, &gradient->model->config, row);
}

float *gw_text_gradient_values(gw_text_gradient *gradient) {
    return gw_network_gradient(gradient->network);
}

int64_t gw_text_gradient_steps(const gw_text_gradient *gradient) {
    return (gradient->set->rows + gradient->options.batch - 1) / gradient->options.batch;
}

static int64_t row_at(const gw_text_gradient *g, int64_t epoch, int64_t position) {
    return gw_shuffle(g->options.seed, (uint64_t)epoch, g->set->rows, position);
}

static gw_status run_pass(gw_text_gradient *g, int64_t step, int64_t labels, double *loss, int64_t *tokens) {
    float scale[GW_BATCH_ROWS] = {0};
    gw_losses losses;
    gw_rows *stream = &g->pass.batch.of[GW_ROWS_TOKENS];
    scale[g->pass.labelled] = 1 / (float)labels;
    g->pass.batch.step = (uint32_t)step;
    stream->first = *tokens;
    GW_TRY(gw_network_forward(g->network, &g->pass.batch, &losses));
    GW_TRY(gw_network_backward(g->network, scale));
    *loss += losses.of[g->pass.labelled].loss / (double)labels;
    *tokens += stream->count;
    gw_text_batch_clear(&g->pass);
    return GW_OK;
}

gw_status gw_text_gradient_add(gw_text_gradient *g, int64_t step, double *loss, int64_t *tokens) {
    const int64_t epoch_steps = gw_text_gradient_steps(g), epoch = step / epoch_steps;
    const int64_t first = step % epoch_steps * g->options.batch;
    const int64_t end = first + g->options.batch < g->set->rows ? first + g->options.batch : g->set->rows;
    int64_t labels = 0;
    *loss = 0;
    *tokens = 0;
    for (int64_t i = first; i < end; i++) labels += gw_text_labels_of(g->set, row_at(g, epoch, i));
    gw_network_restart_density(g->network);
    if (labels == 0) return GW_OK;
    gw_text_batch_clear(&g->pass);
    for (int64_t i = first; i < end; i++) {
        const int64_t row = row_at(g, epoch, i);
        if (gw_text_batch_add(&g->pass, row)) continue;
        if (g->pass.rows > 0) GW_TRY(run_pass(g, step, labels, loss, tokens));
        if (!gw_text_batch_add(&g->pass, row)) return gw_fail(GW_ERR_RANGE, "a row does not fit a batch");
    }
    return run_pass(g, step, labels, loss, tokens);
}
