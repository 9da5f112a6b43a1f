// SPDX-License-Identifier: MIT
// Windows go through the network in the given order, as many at a time as fit into a batch. A window with recently seen
// tokens does not run again. An item is one strand of a window.
#include "network/label_predictor.h"

#include "base/memory.h"
#include "base/softmax.h"
#include "model/head.h"
#include "model/task.h"
#include "network/forward.h"
#include "network/partial.h"
#include "network/token_batch.h"
#include "seq/genome/genome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_label_predictor {
    gw_model *model;
    gw_token_batch batch;
    gw_forward forward;  // whose answers are logits of items
    gw_partial *partial; // of windows that are like others, or NULL
    int strands;
    int64_t labels, width; // width: logits of an item
    bool exclusive;        // one label of all is right: probabilities sum to 1
    bool numbers;          // labels are numbers
    double *log_weight;    // [labels] ln w
    double temperature;
    double *pending; // [2][labels] sums of P and 1 - P of the window in progress
    char *flipped;   // reverse complement of a window
    int64_t flipped_capacity;
    gw_token_strings encoded; // of a window
    float *z;                 // [items][width] logits of the run
    int64_t z_capacity;
};

bool gw_both_strands_by_default(const gw_model *model) {
    return gw_task_of(model->config.task)->both_strands || model->config.both_strands;
}

static gw_status set_logits(void *predictor, int64_t item, const float *z) {
    gw_label_predictor *p = predictor;
    memcpy(p->z + item * p->width, z, (size_t)p->width * sizeof *z);
    return GW_OK;
}

gw_status gw_label_predictor_new(gw_model *model, const gw_label_predictor_options *options, gw_label_predictor **out) {
    *out = NULL;
    const gw_config *config = &model->config;
    if (!gw_head_of(config->head)->problem)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no classifier head: fine-tune it first (godwit finetune)");
    gw_label_predictor *p = gw_alloc(1, sizeof *p);
    if (!p) return GW_ERR_MEMORY;
    p->model = model;
    p->strands = options->both_strands ? 2 : 1;
    p->labels = config->labels;
    p->width = gw_config_logits(config);
    p->numbers = gw_config_has_numbers(config);
    p->exclusive = config->problem == GW_PROBLEM_SINGLE_LABEL;
    p->log_weight = gw_alloc(p->labels, sizeof *p->log_weight);
    for (int64_t l = 0; p->log_weight && l < p->labels; l++)
        p->log_weight[l] = log(gw_config_positive_weight(config, l));
    p->temperature = gw_config_temperature(config);
    p->pending = gw_alloc(2 * p->labels, sizeof *p->pending);
    const int64_t longest = gw_config_longest(config), tokens = gw_forward_tokens(options->tokens, longest);
    const gw_network_options network = {
        .tokens = tokens, .sequences = GW_FORWARD_SEQUENCES, .output_rows = GW_OUTPUT_FIRST};
    gw_status status = p->pending && p->log_weight ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK)
        status = gw_token_batch_make(&p->batch, model->tokenizer, tokens, GW_FORWARD_SEQUENCES, longest);
    if (status == GW_OK)
        status = gw_forward_answers(&p->forward, model, &network, &p->batch.batch, GW_ROWS_FIRST, set_logits, p);
    if (status == GW_OK && options->share > 0)
        status = gw_partial_new(model, GW_ROWS_FIRST, options->share, &p->partial);
    if (status == GW_OK) *out = p;
    else gw_label_predictor_free(p);
    return status;
}

void gw_label_predictor_free(gw_label_predictor *predictor) {
    if (!predictor) return;
    gw_forward_free(&predictor->forward);
    gw_partial_free(predictor->partial);
    gw_token_batch_free(&predictor->batch);
    free(predictor->z);
    free(predictor->pending);
    free(predictor->log_weight);
    free(predictor->flipped);
    gw_token_strings_free(&predictor->encoded);
    free(predictor);
}

int64_t gw_label_predictor_labels(const gw_label_predictor *predictor) {
    return predictor->labels;
}

int gw_label_predictor_strands(const gw_label_predictor *predictor) {
    return predictor->strands;
}

const float *gw_label_predictor_outputs(const gw_label_predictor *predictor) {
    return predictor->z;
}

const gw_network *gw_label_predictor_network(const gw_label_predictor *predictor) {
    return predictor->forward.network;
}

// ln(P / Q) with P and Q = 1 - P clipped to 1e-7 from below.
static double clipped_logit(double p, double q) {
    const double least = 1e-7;
    if (p < least) return log(least / (1 - least));
    if (q < least) return log((1 - least) / least);
    return log(p / q);
}

// ln(P / (1 - P)) of a label: its logit beside ln w where labels are independent, beside the logarithm of the others'
// sum of exp where they exclude each other.
static double log_odds(const gw_label_predictor *p, const float *z, int64_t label) {
    const double t = p->temperature;
    if (!p->exclusive) return ((double)z[label] - p->log_weight[label]) / t;
    double top = -INFINITY, sum = 0;
    for (int64_t l = 0; l < p->labels; l++)
        if (l != label) top = fmax(top, (double)z[l] / t);
    for (int64_t l = 0; l < p->labels; l++)
        if (l != label) sum += exp((double)z[l] / t - top);
    return (double)z[label] / t - (top + log(sum));
}

// Numbers in their unit, and the logits they were made of, as means over the strands.
static void take_numbers(gw_label_predictor *p, int64_t window, int strand, const float *z, float *numbers,
                         float *logits) {
    double *number = p->pending, *logit = p->pending + p->labels;
    for (int64_t l = 0; l < p->labels; l++) {
        const double value = gw_numbers_value(&p->model->config.numbers, l, (double)z[l]);
        number[l] = (strand ? number[l] : 0) + value / p->strands;
        logit[l] = (strand ? logit[l] : 0) + (double)z[l] / p->strands;
        if (strand + 1 < p->strands) continue;
        numbers[window * p->labels + l] = (float)number[l];
        if (logits) logits[window * p->labels + l] = (float)logit[l];
    }
}

// Adds one strand's logits to the window in progress; writes the window where it was the last strand.
static gw_status take_logits(gw_label_predictor *p, int64_t item, const float *z, float *probabilities, float *logits) {
    const int64_t window = item / p->strands;
    const int strand = (int)(item % p->strands);
    double *yes = p->pending, *no = p->pending + p->labels;
    const gw_status status = gw_check_outputs(z, p->width);
    if (status != GW_OK) return gw_fail_in(status, "window %lld", (long long)window);
    if (p->numbers) take_numbers(p, window, strand, z, probabilities, logits);
    for (int64_t l = 0; !p->numbers && l < p->labels; l++) {
        const double shifted = log_odds(p, z, l);
        yes[l] = (strand ? yes[l] : 0) + gw_logistic(shifted) / p->strands;
        no[l] = (strand ? no[l] : 0) + gw_logistic(-shifted) / p->strands;
        if (strand + 1 < p->strands) continue;
        probabilities[window * p->labels + l] = (float)yes[l];
        if (logits) logits[window * p->labels + l] = (float)clipped_logit(yes[l], no[l]);
    }
    return GW_OK;
}

gw_status gw_label_predictor_encode(gw_label_predictor *p, const char *bases, int64_t length, gw_token_strings *strands,
                                    bool *fits) {
    *fits = true;
    for (int strand = 0; strand < p->strands; strand++) {
        const int32_t *tokens;
        int64_t count;
        if (strand > 0) {
            GW_TRY(gw_reserve(&p->flipped, &p->flipped_capacity, length + 1, 1));
            gw_reverse_complement(bases, length, p->flipped);
        }
        GW_TRY(gw_encode(p->batch.encoder, strand > 0 ? p->flipped : bases, length, &tokens, &count));
        GW_TRY(gw_token_strings_add(strands, tokens, count));
        *fits = *fits && count + gw_frame_tokens(&p->batch.frame) <= p->batch.positions;
    }
    return GW_OK;
}

static gw_status add_item(gw_label_predictor *p, int64_t item, gw_token_string tokens) {
    const int64_t count = tokens.count + gw_frame_tokens(&p->batch.frame);
    GW_TRY(gw_forward_reserve(&p->forward, count, 0));
    gw_token_batch_put(&p->batch, tokens.token, tokens.count);
    GW_TRY(gw_forward_ask(&p->forward, count, 0, item));
    gw_forward_end(&p->forward, count);
    return GW_OK;
}

static gw_status add_strands(gw_label_predictor *p, int64_t first, const gw_token_strings *strands) {
    for (int64_t i = 0; i < strands->count; i++) GW_TRY(add_item(p, first + i, gw_token_strings_at(strands, i)));
    return GW_OK;
}

static gw_status add_windows(gw_label_predictor *p, const char *const *bases, const int64_t *lengths, int64_t count) {
    for (int64_t window = 0; window < count; window++) {
        bool fits;
        gw_token_strings_cut(&p->encoded, 0); // the tokens of the window before
        gw_status status = gw_label_predictor_encode(p, bases[window], lengths[window], &p->encoded, &fits);
        for (int strand = 0; status == GW_OK && !fits && strand < p->strands; strand++)
            status = gw_token_batch_check(&p->batch, lengths[window], gw_token_strings_at(&p->encoded, strand).count);
        if (status != GW_OK) return gw_fail_in(status, "window %lld", (long long)window);
        GW_TRY(add_strands(p, window * p->strands, &p->encoded));
    }
    return GW_OK;
}

static gw_status begin_run(gw_label_predictor *p, int64_t items) {
    if (!p->model->packed) gw_forward_reset(&p->forward); // the weights may have changed
    return gw_reserve(&p->z, &p->z_capacity, items * p->width, sizeof *p->z);
}

// status: of what was added to the run.
static gw_status end_run(gw_label_predictor *p, gw_status status, int64_t items, float *probabilities, float *logits) {
    if (status == GW_OK) status = gw_forward_run(&p->forward);
    if (status != GW_OK) gw_forward_reset(&p->forward); // what was still to come will not
    GW_TRY(status);
    for (int64_t item = 0; item < items; item++)
        GW_TRY(take_logits(p, item, p->z + item * p->width, probabilities, logits));
    return GW_OK;
}

gw_status gw_label_predictor_run(gw_label_predictor *p, const char *const *bases, const int64_t *lengths, int64_t count,
                                 float *probabilities, float *logits) {
    const int64_t items = count * p->strands;
    GW_TRY(begin_run(p, items));
    return end_run(p, add_windows(p, bases, lengths, count), items, probabilities, logits);
}

gw_status gw_label_predictor_run_tokens(gw_label_predictor *p, const gw_token_strings *strands, float *probabilities,
                                        float *logits) {
    GW_TRY(begin_run(p, strands->count));
    return end_run(p, add_strands(p, 0, strands), strands->count, probabilities, logits);
}

// A window's sequence, until the next one is put.
static gw_status put_item(gw_label_predictor *p, gw_token_string tokens, gw_variation *out) {
    const gw_rows *stream = &p->batch.batch.of[GW_ROWS_TOKENS];
    const int64_t count = tokens.count + gw_frame_tokens(&p->batch.frame);
    GW_TRY(gw_forward_reserve(&p->forward, count, 0));
    gw_token_batch_put(&p->batch, tokens.token, tokens.count);
    *out = (gw_variation){.token = stream->token + stream->count, .count = count, .span = count, .end = count};
    return GW_OK;
}

// The windows that are like one, and that. What is not taken runs whole.
static gw_status add_alike(gw_label_predictor *p, const gw_token_strings *strands, const int64_t *like, int64_t first,
                           int strand) {
    const int64_t of = first * p->strands + strand;
    gw_variation sequence;
    GW_TRY(put_item(p, gw_token_strings_at(strands, of), &sequence));
    const int64_t count = sequence.count;
    GW_TRY(gw_partial_begin(p->partial, &sequence, of));
    for (int64_t w = first + 1; w < strands->count / p->strands; w++) {
        const int64_t item = w * p->strands + strand;
        const gw_token_string tokens = gw_token_strings_at(strands, item);
        bool taken;
        if (like[w] != first) continue;
        GW_TRY(put_item(p, tokens, &sequence));
        sequence.span = count;
        GW_TRY(gw_partial_ask(p->partial, &sequence, item, &taken));
        if (!taken) GW_TRY(add_item(p, item, tokens));
    }
    return gw_partial_run(p->partial, set_logits, p);
}

gw_status gw_label_predictor_run_alike(gw_label_predictor *p, const gw_token_strings *strands, const int64_t *like,
                                       float *probabilities, float *logits) {
    const int64_t windows = strands->count / p->strands;
    gw_status status = GW_OK;
    if (!p->partial) return gw_label_predictor_run_tokens(p, strands, probabilities, logits);
    GW_TRY(begin_run(p, strands->count));
    for (int64_t w = 0; w < windows; w++) {
        bool alike = false;
        for (int64_t k = w + 1; like[w] == w && k < windows && !alike; k++) alike = like[k] == w;
        for (int strand = 0; status == GW_OK && strand < p->strands && like[w] == w; strand++) {
            const int64_t item = w * p->strands + strand;
            status =
                alike ? add_alike(p, strands, like, w, strand) : add_item(p, item, gw_token_strings_at(strands, item));
        }
    }
    return end_run(p, status, strands->count, probabilities, logits);
}

gw_status gw_check_window(const gw_model *model, int64_t window) {
    const int64_t longest = gw_model_longest_window(model);
    if (window <= longest) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "windows of %lld bp do not fit the model: its %lld positions hold about %lld bp in its vocabulary",
                   (long long)window, (long long)gw_config_longest(&model->config), (long long)longest);
}

// The loss of a label that is known to be absent has the gradient s(z) by its logit, and 1 / s(z) times that is 1: the
// other labels are left out. Passes that train nothing add to gradients of weights that nobody reads.

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
    const gw_config *config = &model->config;
    const int64_t positions = gw_config_longest(config);
    const gw_network_options options = {.tokens = positions, .sequences = 1, .training = true, .still = true};
    if (!gw_head_of(config->head)->problem || config->problem != GW_PROBLEM_MULTI_LABEL)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "gradients replace scores only for fine-tuned models with independent yes/no labels; this model has "
            "other labels, or numbers");
    if (config->token_dropout)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the model rescales its embeddings by the share of masked tokens; gradients do not support this");
    GW_TRY(gw_token_batch_make(&g->batch, model->tokenizer, positions, 1, positions));
    GW_TRY(gw_forward_make(&g->forward, model, &options, &g->batch.batch, g));
    g->forward.ran = find_slope;
    g->width = gw_network_embedded_width(g->forward.network);
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(g->batch.encoder, "ACGTACGTAC", 10, &tokens, &count));
    if (count != 10 || g->width == 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "gradients replace changes of single bases; a token of the model has several bases");
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
