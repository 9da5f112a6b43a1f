// SPDX-License-Identifier: MIT
// Trained classifiers: checks of their options, with the command's option names in messages; their config and model;
// settings that a resumed run must share; and the temperature of their logits.
#include "task/classifier.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "model/mixer.h"
#include "model/task.h"

#include <stdlib.h>

gw_status gw_refuse_metric(const gw_finetune_options *o) {
    return gw_fail(GW_ERR_USAGE, "--metric %s is not one of --task %s", o->metric, gw_task_of(o->task)->name);
}

gw_status gw_check_baseline(const gw_finetune_options *o, gw_baseline own) {
    if (o->baseline != GW_BASELINE_KMER && o->baseline != GW_BASELINE_WORDS) return GW_OK;
    const bool words = o->baseline == GW_BASELINE_WORDS;
    const char *name = words ? "words" : "kmer";
    if (o->baseline != own)
        return gw_fail(GW_ERR_USAGE, "--baseline %s is of %s", name,
                       words ? "classes of texts: --task classify, with --labels one or many"
                             : "windows, not of --task classify and token");
    if (o->tuning.valid.count > 0) return GW_OK;
    return gw_fail(GW_ERR_USAGE, "--baseline %s needs --valid, by which %s is chosen", name,
                   words ? "its penalty" : "k");
}

gw_status gw_read_weights(const char *option, const char *text, int64_t count, double **out) {
    char *copy = gw_strdup(text), **fields = gw_alloc(count + 1, sizeof *fields);
    *out = gw_alloc(count, sizeof **out);
    gw_status status = copy && fields && *out ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_split(copy, ',', fields, (int)count + 1) != count)
        status = gw_fail(GW_ERR_USAGE, "%s '%s' are not %lld numbers between commas", option, text, (long long)count);
    for (int64_t c = 0; status == GW_OK && c < count; c++)
        if (gw_parse_double(fields[c], 1e-6, 1e6, &(*out)[c]) != GW_OK)
            status = gw_fail(GW_ERR_USAGE, "%s: '%s' is not a number from 1e-6 to 1e6", option, fields[c]);
    free(copy);
    free(fields);
    return status;
}

// --- the model

gw_status gw_classifier_name_labels(gw_config *config, int64_t labels,
                                    const char *(*name)(const void *set, int64_t label), const void *set) {
    config->label_names = gw_alloc(labels, sizeof *config->label_names);
    if (!config->label_names) return GW_ERR_MEMORY;
    for (; config->labels < labels; config->labels++) {
        char *copy = gw_strdup(name(set, config->labels));
        if (!copy) return GW_ERR_MEMORY;
        config->label_names[config->labels] = copy;
    }
    return GW_OK;
}

// The mode of attention that is asked for, or, of BigBird's alone, the preset's; NULL: none is.
static const char *mode_of(const gw_tuning *t, const gw_config *config) {
    return t->attention || !gw_config_has_modes(config) ? t->attention : t->usual_attention;
}

static gw_status describe_task(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_describe_labels *describe,
                               gw_config *config) {
    const gw_finetune_options *o = run->options;
    const gw_task_row *task = gw_task_of(o->task);
    gw_config_forget_labels(config);
    config->task = o->task;
    config->head = task->head;
    config->problem = task->problem;
    config->positive_weight = o->positive_weight > 0 ? o->positive_weight : task->positive_weight;
    if (o->tuning.dropout >= 0) config->dropout = config->classifier_dropout = o->tuning.dropout;
    const char *mode = mode_of(&o->tuning, config);
    if (mode) GW_TRY(gw_config_use_mode(config, mode));
    else if (o->tuning.usual_globals > 0) gw_config_use_globals(config, o->tuning.usual_globals);
    if (o->pooling) GW_TRY(gw_config_use_pooling(config, o->pooling));
    GW_TRY(gw_tuning_keep_command(&o->tuning, config));
    return describe(run, tokenizer, config);
}

// Windows of labelled sets lie around a point, a start site or a bin: a fresh encoder of single bases weighs its rows
// by their places, without which the mean of hundreds hides what stands in one.
static gw_status fresh_model(gw_finetune_run *run, bool letters, gw_describe_labels *describe) {
    const gw_tuning *t = &run->options->tuning;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(t->fresh, &config));
    if (config.stem.count > 0 && config.pooling == GW_SEQUENCE_MEAN) config.pooling = GW_SEQUENCE_PLACES;
    gw_status status = t->tokenizer ? gw_tokenizer_load(t->tokenizer, &tokenizer)
                       : letters    ? gw_tokenizer_letters(&tokenizer)
                                 : gw_fail(GW_ERR_UNSUPPORTED, "a fresh encoder of texts needs a tokenizer (-t), such "
                                                               "as another model's");
    if (status == GW_OK) status = describe_task(run, tokenizer, describe, &config);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, t->seed, &run->model);
    else gw_tokenizer_free(tokenizer);
    gw_config_free(&config);
    return status;
}

// A model that has labels goes on with the same ones, of one number where they were.
static gw_status check_labels(const gw_config *model, gw_config *classifier) {
    if (model->labels == 0) return GW_OK;
    classifier->numbers.shared |= model->numbers.shared;
    if (gw_config_same_classifier(model, classifier)) {
        gw_note("the model has these labels already: training continues with its head");
        gw_numbers own = classifier->numbers, kept;
        if (!model->numbers.mean || !own.mean) return GW_OK;
        // numbers go on in the unit that the head has learned
        GW_TRY(gw_numbers_copy(&model->numbers, model->labels, &kept));
        classifier->numbers.mean = kept.mean;
        classifier->numbers.deviation = kept.deviation;
        kept.mean = own.mean;
        kept.deviation = own.deviation;
        gw_numbers_free(&kept);
        return GW_OK;
    }
    char name[64];
    gw_architecture_name(model->family, model->head, name);
    return gw_fail(GW_ERR_MISMATCH,
                   "the model has %lld labels of its own (%s), and the set %lld others; start from a pretrained one",
                   (long long)model->labels, name, (long long)classifier->labels);
}

static gw_status pretrained_model(gw_finetune_run *run, gw_describe_labels *describe) {
    const gw_finetune_options *o = run->options;
    gw_model *pretrained;
    gw_config config = {0};
    GW_TRY(gw_model_load(o->tuning.model, &pretrained));
    gw_status status = gw_config_copy(&pretrained->config, &config);
    if (status == GW_OK && o->positions > 0) status = gw_config_use_positions(&config, o->positions);
    if (status == GW_OK) status = describe_task(run, pretrained->tokenizer, describe, &config);
    if (status == GW_OK) status = check_labels(&pretrained->config, &config);
    if (status == GW_OK) status = gw_model_with_classifier(pretrained, &config, o->tuning.seed, &run->model);
    gw_config_free(&config);
    gw_model_free(pretrained);
    return status;
}

gw_status gw_classifier_make(gw_finetune_run *run, bool letters, gw_describe_labels *describe) {
    GW_TRY(run->options->tuning.model ? pretrained_model(run, describe) : fresh_model(run, letters, describe));
    gw_parameters *parameters = &run->model->parameters;
    for (int i = 0; run->options->frozen && i < parameters->count; i++) // the encoder's roles stand before the pooler's
        parameters->list[i].fixed = parameters->list[i].role < GW_ROLE_POOLER;
    return GW_OK;
}

void gw_classifier_print(const gw_finetune_run *run, int64_t examples, int64_t valid, int metric, gw_string *out) {
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const gw_config *config = &run->model->config;
    const char *mode = mode_of(t, config);
    gw_string_printf(out,
                     "finetune %s: %lld examples, %lld labels, validated on %lld; %lld steps of %lld, rate %.9g, "
                     "schedule %s, warm-up %lld, decay %.9g, clip %.9g, weight %.9g, dropout %.9g, pooling %d, "
                     "stem %s, average %.9g, best by %d, patience %lld, strands %d, seed %llu, from %s%s%s%s%s",
                     gw_task_of(o->task)->name, (long long)examples, (long long)config->labels, (long long)valid,
                     (long long)run->steps, (long long)t->batch, t->rate, gw_schedule_name(t->schedule),
                     (long long)t->warmup, t->optimiser.decay, t->optimiser.clip,
                     o->positive_weight == GW_BALANCED ? GW_BALANCED : config->positive_weight, config->dropout,
                     (int)config->pooling, config->stem.text, t->average_decay, metric, (long long)t->patience,
                     (int)o->strands, (unsigned long long)t->seed, t->model ? t->model : "a fresh encoder",
                     mode ? ", attention " : "", mode ? mode : "", t->precision == GW_BF16 ? ", products of bf16" : "",
                     o->frozen ? ", encoder frozen" : "");
    if (t->optimiser.kind != GW_OPTIMISER_ADAM) gw_string_printf(out, ", %s", gw_optimiser_name(t->optimiser.kind));
    if (o->shift > 0) gw_string_printf(out, ", shifts of %lld", (long long)o->shift);
    if (o->positions > 0) gw_string_printf(out, ", %lld positions", (long long)o->positions);
}

// --- the temperature

gw_status gw_keep_temperature(gw_model *model, const gw_temperature_rows *rows) {
    gw_temperature fit;
    GW_TRY(gw_temperature_fit(rows, &fit));
    if (!fit.found) {
        gw_note("no temperature is used: dividing the logits does not improve the probabilities on the validation set");
        return GW_OK;
    }
    model->config.temperature = fit.temperature;
    gw_note("temperature %.4g, which divides the logits: the probabilities' loss on the validation set is %.4f (%.4f "
            "without)",
            fit.temperature, fit.loss, fit.at_one);
    return GW_OK;
}
