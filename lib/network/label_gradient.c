// SPDX-License-Identifier: MIT
// The loss of a label that is known to be absent has the gradient s(z) by its logit, and 1 / s(z) times that is 1: the
// other labels are left out. Passes that train nothing add to gradients of weights that nobody reads.
#include "network/label_gradient.h"

#include "base/memory.h"
#include "base/softmax.h"
#include "model/head.h"
#include "network/forward.h"
#include "network/token_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_label_gradient {
    gw_model *model;
    gw_forward forward; // of a strand of a window and one label
    gw_token_batch batch;
    int strands;
    int64_t labels, width, leading; // leading: tokens before a window's first
    double temperature;
    const float *table; // [tokens of the vocabulary][width]
    double table_scale;
    int64_t label;        // of the batch
    double z;             // its logit
    float *number;        // [labels] of the batch
    float *slope;         // [positions][width] dz / dx of a label and strand
    double *change;       // [windows][labels][2] sums over strands: dP, and P of the window that it is like
    int64_t change_count; // capacity
};

static gw_status check_model(const gw_model *model) {
    const gw_config *config = &model->config;
    if (!gw_head_of(config->head)->problem || config->problem != GW_PROBLEM_MULTI_LABEL)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "gradients stand for scores of fine-tuned models whose labels are there or not "
                       "each by itself; this one has other labels, or numbers");
    if (model->config.token_dropout)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model makes up for masked tokens; gradients do not");
    return GW_OK;
}

static gw_status check_tokens(gw_label_gradient *g) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(g->batch.encoder, "ACGTACGTAC", 10, &tokens, &count));
    if (count == 10 && g->width > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "gradients stand for changes of single bases; the model's tokens have more");
}

// z and dz / dx of the label of the sequence in the batch.
static gw_status find_slope(void *gradient, const gw_losses *losses) {
    gw_label_gradient *g = gradient;
    float scale[GW_BATCH_ROWS] = {0};
    const float *logits = gw_network_output(g->forward.network, GW_ROWS_FIRST);
    (void)losses;
    if (!logits) return GW_ERR_IO;
    GW_TRY(gw_check_outputs(logits, g->labels));
    g->z = (double)logits[g->label];
    scale[GW_ROWS_FIRST] = (float)(1 / fmax(gw_logistic(g->z), 1e-30));
    GW_TRY(gw_network_backward(g->forward.network, scale));
    return gw_network_embedded_gradient(g->forward.network, g->slope);
}

static gw_status make(gw_label_gradient *g) {
    gw_model *model = g->model;
    const int64_t positions = gw_config_longest(&model->config);
    const gw_network_options options = {.tokens = positions, .sequences = 1, .training = true, .still = true};
    GW_TRY(check_model(model));
    GW_TRY(gw_token_batch_make(&g->batch, model->tokenizer, positions, 1, positions));
    GW_TRY(gw_forward_make(&g->forward, model, &options, &g->batch.batch, g));
    g->forward.ran = find_slope;
    g->width = gw_network_embedded_width(g->forward.network);
    GW_TRY(check_tokens(g));
    const gw_parameter *table = gw_model_role(model, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    g->table = model->parameters.weight + table->offset;
    g->table_scale = model->config.rescale ? sqrt((double)model->config.width) : 1;
    g->labels = model->config.labels;
    g->leading = g->batch.frame.begins;
    g->temperature = gw_config_temperature(&model->config);
    g->number = gw_alloc(g->labels, sizeof *g->number);
    g->slope = gw_alloc(positions * g->width, sizeof *g->slope);
    return g->number && g->slope ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_label_gradient_new(gw_model *model, bool both_strands, gw_label_gradient **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->model = model;
    (*out)->strands = both_strands ? 2 : 1;
    const gw_status status = make(*out);
    if (status == GW_OK) return GW_OK;
    gw_label_gradient_free(*out);
    *out = NULL;
    return status;
}

void gw_label_gradient_free(gw_label_gradient *g) {
    if (!g) return;
    gw_forward_free(&g->forward);
    gw_token_batch_free(&g->batch);
    free(g->number);
    free(g->slope);
    free(g->change);
    free(g);
}

// dz of the token that differs.
static double change_of(const gw_label_gradient *g, gw_token_string from, gw_token_string to) {
    int64_t at = 0;
    while (at + 1 < from.count && from.token[at] == to.token[at]) at++;
    const float *slope = g->slope + (g->leading + at) * g->width, *before = g->table + from.token[at] * g->width,
                *after = g->table + to.token[at] * g->width;
    double sum = 0;
    for (int64_t e = 0; e < g->width; e++) sum += ((double)after[e] - (double)before[e]) * (double)slope[e];
    return g->table_scale * sum;
}

static double *sums_of(const gw_label_gradient *g, int64_t window, int64_t label) {
    return g->change + 2 * (window * g->labels + label);
}

static gw_status add_strand(gw_label_gradient *g, const gw_token_strings *strings, const int64_t *like, int64_t first,
                            int strand) {
    const gw_token_string from = gw_token_strings_at(strings, first * g->strands + strand);
    for (int64_t l = 0; l < g->labels; l++) {
        gw_batch_clear(&g->batch.batch);
        if (!gw_token_batch_add_tokens(&g->batch, from.token, from.count))
            return gw_token_batch_check(&g->batch, from.count, from.count);
        for (int64_t i = 0; i < g->labels; i++) g->number[i] = i == l ? 0 : NAN;
        g->batch.batch.of[GW_ROWS_FIRST].number = g->number;
        g->label = l;
        GW_TRY(gw_forward_run(&g->forward));
        const double shifted = (g->z - log(gw_config_positive_weight(&g->model->config, l))) / g->temperature,
                     p = gw_logistic(shifted), slope = p * gw_logistic(-shifted) / g->temperature;
        for (int64_t w = first; w < strings->count / g->strands; w++) {
            if (like[w] != first) continue;
            const gw_token_string to = gw_token_strings_at(strings, w * g->strands + strand);
            sums_of(g, w, l)[0] += w == first ? 0 : slope * change_of(g, from, to) / g->strands;
            sums_of(g, w, l)[1] += p / g->strands;
        }
    }
    return GW_OK;
}

gw_status gw_label_gradient_run(gw_label_gradient *g, const gw_token_strings *strings, const int64_t *like,
                                float *probabilities, float *logits) {
    const int64_t windows = strings->count / g->strands;
    const double least = 1e-7;
    GW_TRY(gw_reserve(&g->change, &g->change_count, 2 * windows * g->labels, sizeof *g->change));
    memset(g->change, 0, (size_t)(2 * windows * g->labels) * sizeof *g->change);
    for (int64_t w = 0; w < windows; w++)
        for (int strand = 0; strand < g->strands && like[w] == w; strand++)
            GW_TRY(add_strand(g, strings, like, w, strand));
    for (int64_t i = 0; i < windows * g->labels; i++) {
        const double change = g->change[2 * i], p = g->change[2 * i + 1], of = fmin(fmax(p, least), 1 - least);
        probabilities[i] = (float)(p + change);
        logits[i] = (float)(log(of / (1 - of)) + change / (of * (1 - of)));
    }
    return GW_OK;
}
