// SPDX-License-Identifier: MIT
// The config of the classifier, and its model: a fresh encoder, a pretrained one with a new head, or a classifier of
// the same labels that goes on.
#include "base/log.h"
#include "base/memory.h"
#include "model/task.h"
#include "task/finetune_run.h"
#include "task/windows/label_loss.h"

#include <math.h>
#include <stdlib.h>

// The window that the model is told to read: the sets' own width, unless it is given.
static gw_status choose_window(const gw_finetune_run *run, int64_t *window) {
    const int64_t shortest = gw_labelled_set_shortest(run->train), longest = gw_labelled_set_longest(run->train);
    *window = run->options->window > 0 ? run->options->window : longest;
    if (run->options->window > 0 || shortest == longest) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "the training windows are %lld to %lld bp: say which width the model is for (--window)",
                   (long long)shortest, (long long)longest);
}

static gw_status set_text(char **field, const char *text) {
    free(*field);
    *field = text ? gw_strdup(text) : NULL;
    return !text || *field ? GW_OK : GW_ERR_MEMORY;
}

static gw_status set_labels(gw_config *config, const gw_labelled_set *set) {
    const int64_t labels = gw_labelled_set_labels(set);
    config->label_names = gw_alloc(labels, sizeof *config->label_names);
    if (!config->label_names) return GW_ERR_MEMORY;
    for (; config->labels < labels; config->labels++) {
        char *name = gw_strdup(gw_labelled_set_label_name(set, config->labels));
        if (!name) return GW_ERR_MEMORY;
        config->label_names[config->labels] = name;
    }
    return GW_OK;
}

static void tell_weights(const gw_config *config) {
    double least = INFINITY, most = 0;
    for (int64_t l = 0; l < config->labels; l++) {
        least = fmin(least, gw_config_positive_weight(config, l));
        most = fmax(most, gw_config_positive_weight(config, l));
    }
    if (config->labels == 1) gw_note("positives weigh %.4g (--positive-weight balanced)", most);
    else gw_note("positives weigh %.4g to %.4g, by label (--positive-weight balanced)", least, most);
}

// Positives of a label weigh as much in all as its negatives, within bounds that keep one example from ruling a batch.
static gw_status balance(gw_config *config, const gw_labelled_set *set) {
    static const double most = 100;
    double *weight = gw_alloc(config->labels, sizeof *weight);
    if (!weight) return GW_ERR_MEMORY;
    config->positive_weights = weight;
    GW_TRY(gw_label_frequencies(set, weight));
    for (int64_t l = 0; l < config->labels; l++) {
        const double f = weight[l];
        weight[l] = fmin(most, fmax(1 / most, (1 - f) / fmax(f, 1e-9)));
    }
    tell_weights(config);
    if (config->labels > 1) return GW_OK;
    config->positive_weight = weight[0];
    config->positive_weights = NULL;
    free(weight);
    return GW_OK;
}

// What the sets of windows say.
static gw_status describe_windows(const gw_finetune_run *run, const gw_task_row *task, gw_config *config) {
    const gw_finetune_options *o = run->options;
    config->bin = task->keeps_bin ? gw_labelled_set_bin(run->train) : 0;
    config->tss_offset = !task->keeps_tss     ? -1
                         : o->tss_offset >= 0 ? o->tss_offset
                                              : gw_labelled_set_tss_offset(run->train);
    GW_TRY(choose_window(run, &config->window));
    if (config->tss_offset >= config->window)
        return gw_fail(GW_ERR_RANGE, "the TSS offset %lld is not inside the window of %lld bp",
                       (long long)config->tss_offset, (long long)config->window);
    char md5[33];
    if (run->genome) {
        GW_TRY(gw_genome_md5(run->genome, md5));
        GW_TRY(set_text(&config->reference_md5, md5));
    }
    GW_TRY(set_labels(config, run->train));
    return o->positive_weight == GW_BALANCED ? balance(config, run->train) : GW_OK;
}

// What the sets and options say, put into the config of the classifier.
static gw_status describe_task(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    const gw_finetune_options *o = run->options;
    const gw_task_row *task = gw_task_of(o->task);
    gw_config_forget_labels(config);
    config->task = o->task;
    config->head = task->head;
    config->problem = task->problem;
    config->positive_weight = o->positive_weight > 0 ? o->positive_weight : task->positive_weight;
    if (o->tuning.dropout >= 0) config->dropout = config->classifier_dropout = o->tuning.dropout;
    if (o->pooling) GW_TRY(gw_config_use_pooling(config, o->pooling));
    GW_TRY(set_text(&config->command, o->tuning.command));
    return task->texts ? gw_finetune_read_texts(run, tokenizer, config) : describe_windows(run, task, config);
}

static gw_status load_tokenizer(const gw_finetune_options *o, gw_tokenizer **out) {
    if (o->tuning.tokenizer) return gw_tokenizer_load(o->tuning.tokenizer, out);
    if (gw_task_of(o->task)->texts)
        return gw_fail(GW_ERR_UNSUPPORTED, "a fresh encoder of texts needs a tokenizer (-t), such as another model's");
    return gw_tokenizer_letters(out);
}

// Windows of labelled sets lie around a point, a start site or a bin: a fresh encoder of single bases weighs its rows
// by their places, without which the mean of hundreds hides what stands in one.
static gw_status fresh_model(gw_finetune_run *run) {
    const gw_tuning *o = &run->options->tuning;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(o->fresh, &config));
    if (config.stem.count > 0 && config.pooling == GW_SEQUENCE_MEAN) config.pooling = GW_SEQUENCE_PLACES;
    gw_status status = load_tokenizer(run->options, &tokenizer);
    if (status == GW_OK) status = describe_task(run, tokenizer, &config);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, o->seed, &run->model);
    else gw_tokenizer_free(tokenizer);
    gw_config_free(&config);
    return status;
}

// A model that has labels goes on with the same ones.
static gw_status check_labels(const gw_config *model, const gw_config *classifier) {
    if (model->labels == 0) return GW_OK;
    if (gw_config_same_classifier(model, classifier)) {
        gw_note("the model has these labels already: its head goes on");
        return GW_OK;
    }
    char name[64];
    gw_architecture_name(model->family, model->head, name);
    return gw_fail(GW_ERR_MISMATCH,
                   "the model has %lld labels of its own (%s), and the set %lld others; start from a pretrained one",
                   (long long)model->labels, name, (long long)classifier->labels);
}

static gw_status pretrained_model(gw_finetune_run *run) {
    gw_model *pretrained;
    gw_config config = {0};
    GW_TRY(gw_model_load(run->options->tuning.model, &pretrained));
    gw_status status = gw_config_copy(&pretrained->config, &config);
    if (status == GW_OK && run->options->tuning.attention)
        status = gw_config_use_mode(&config, run->options->tuning.attention);
    if (status == GW_OK && run->options->positions > 0)
        status = gw_config_use_positions(&config, run->options->positions);
    if (status == GW_OK) status = describe_task(run, pretrained->tokenizer, &config);
    if (status == GW_OK) status = check_labels(&pretrained->config, &config);
    if (status == GW_OK) status = gw_model_with_classifier(pretrained, &config, run->options->tuning.seed, &run->model);
    gw_config_free(&config);
    gw_model_free(pretrained);
    return status;
}

// Weights of the encoder, whose roles stand before the pooler's.
static void fix_encoder(gw_model *model) {
    for (int i = 0; i < model->parameters.count; i++)
        model->parameters.list[i].fixed = model->parameters.list[i].role < GW_ROLE_POOLER;
}

gw_status gw_finetune_make_model(gw_finetune_run *run) {
    GW_TRY(run->options->tuning.model ? pretrained_model(run) : fresh_model(run));
    if (run->options->frozen) fix_encoder(run->model);
    return GW_OK;
}
