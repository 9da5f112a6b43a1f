// SPDX-License-Identifier: MIT
// Makes the model, which gets a decoder where it has none, reads the pairs, and rates next tokens after each epoch.
#include "task/texts/pairs.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "language/pair_examples.h"
#include "model/convert.h"
#include "task/kind.h"
#include "task/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a run has of its own.
typedef struct {
    gw_text_pairs train, valid;
    double entropy; // sum_v t_v ln t_v of smoothed labels
} pairs_run;

// BigBird's Table 17, and the released Pegasus, whose rate does not rise.
static void preset(gw_finetune_options *o, const char *name) {
    static const struct {
        const char *name;
        int64_t source, target;
    } lengths[] = {{"xsum-", 1024, 64}, {"cnn-", 2048, 128}, {"long-", 3072, 256}};
    const bool pegasus = strcmp(name, "pegasus") == 0, base = strstr(name, "-base") != NULL;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (strncmp(name, lengths[i].name, strlen(lengths[i].name)) != 0) continue;
        GW_UNLESS_GIVEN(o, pairs.most_source, lengths[i].source);
        GW_UNLESS_GIVEN(o, pairs.most_target, lengths[i].target);
        GW_UNLESS_GIVEN(o, tuning.batch, 128);
        GW_UNLESS_GIVEN(o, tuning.dropout, 0.1);
    }
    GW_UNLESS_GIVEN(o, smoothing, 0.1);
    GW_UNLESS_GIVEN(o, tuning.warmup, 10000);
    if (!base) GW_UNLESS_GIVEN(o, tuning.optimiser.kind, GW_OPTIMISER_ADAFACTOR);
    GW_UNLESS_GIVEN(o, tuning.schedule, pegasus ? GW_SCHEDULE_HOLD_SQRT : GW_SCHEDULE_SQRT);
    if (base) GW_UNLESS_GIVEN(o, tuning.rate, 1e-5);
}

static gw_status complete(gw_finetune_options *o) {
    if (o->positions > 0) return gw_fail(GW_ERR_USAGE, "--length goes with --from-scratch where the task writes texts");
    return GW_OK;
}

static gw_status describe(const gw_tuning *t, gw_config *config) {
    if (t->dropout >= 0) config->dropout = t->dropout;
    if (t->attention) GW_TRY(gw_config_use_mode(config, t->attention));
    config->task = GW_TASK_SUMMARIZE;
    return gw_tuning_keep_command(t, config);
}

static gw_status fresh_model(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(t->fresh, &config));
    gw_status status = describe(t, &config);
    if (status == GW_OK)
        status = t->tokenizer ? gw_tokenizer_load(t->tokenizer, &tokenizer) : gw_tokenizer_letters(&tokenizer);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, t->seed, &run->model);
    gw_config_free(&config);
    return status;
}

// An encoder alone becomes both, as the paper's base model did.
static gw_status add_decoder(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    gw_model *encoder = run->model;
    run->model = NULL;
    gw_status status = gw_model_with_decoder(encoder, t->seed, &run->model);
    gw_model_free(encoder);
    if (status != GW_OK) return gw_fail_in(status, "%s", t->model);
    gw_note("%s has no decoder: one that shares its tensors was added, with fresh attention to the source", t->model);
    return GW_OK;
}

static gw_status pretrained_model(gw_finetune_run *run) {
    GW_TRY(gw_model_load(run->options->tuning.model, &run->model));
    if (run->model->config.decoder_layers == 0) GW_TRY(add_decoder(run));
    return describe(&run->options->tuning, &run->model->config);
}

static gw_status make_model(gw_finetune_run *run) {
    return run->options->tuning.model ? pretrained_model(run) : fresh_model(run);
}

// With smoothing s the loss of a token is sum_v t_v (ln t_v - ln p_v), t = 1 - s for the token, s / (V - 1) for each
// other (Szegedy et al., 2016, section 7), which is 0 where p = t, as google-research/bigbird reports it. The sum of
// t_v ln t_v.
static double entropy_of(double smoothing, int64_t classes) {
    if (smoothing == 0) return 0;
    return (1 - smoothing) * log(1 - smoothing) + smoothing * log(smoothing / (double)(classes - 1));
}

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *t) {
    pairs_run *own = run->own;
    const gw_finetune_options *o = run->options;
    GW_TRY(gw_text_pairs_read(t->sets.items, t->sets.count, run->model, &o->pairs, &own->train));
    if (t->valid.count > 0)
        GW_TRY(gw_text_pairs_read(t->valid.items, t->valid.count, run->model, &o->pairs, &own->valid));
    const gw_epochs order = gw_tuning_order(t, own->train.count);
    own->entropy = entropy_of(o->smoothing, run->model->config.vocabulary);
    run->epoch_steps = gw_epochs_steps(&order);
    return gw_pair_examples_open(run->model, &own->train, &order, t->tokens, &run->examples);
}

static bool validates(const gw_finetune_run *run) {
    return run->options->tuning.valid.count > 0;
}

static double added_loss(const gw_finetune_run *run) {
    return ((const pairs_run *)run->own)->entropy;
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    const pairs_run *own = run->own;
    gw_pair_metrics metrics;
    GW_TRY(gw_pairs_rate(run->model, &own->valid, run->options->tuning.tokens, &metrics));
    json_object_set_new(row, "valid_loss", json_real(metrics.loss));
    json_object_set_new(row, "valid_accuracy", json_real(metrics.correct));
    gw_epoch_column_add(&epoch->valid, "valid loss", 12, metrics.loss);
    gw_epoch_column_add(&epoch->valid, "next token", 12, metrics.correct);
    *value = metrics.loss;
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    (void)run;
    return "loss";
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const pairs_run *own = run->own;
    gw_string_printf(
        out,
        "summarize: %lld pairs of %lld and %lld tokens, validated on %lld; %lld steps of %lld, %s, rate %.9g, schedule "
        "%s, warm-up %lld, decay %.9g, clip %.9g, smoothing %.9g, dropout %.9g, average %.9g, patience %lld, seed "
        "%llu, from %s%s%s%s",
        (long long)own->train.count, (long long)own->train.source_start[own->train.count],
        (long long)own->train.target_start[own->train.count], (long long)own->valid.count, (long long)run->steps,
        (long long)t->batch, gw_optimiser_name(t->optimiser.kind), t->rate, gw_schedule_name(t->schedule),
        (long long)t->warmup, t->optimiser.decay, t->optimiser.clip, o->smoothing, run->model->config.dropout,
        t->average_decay, (long long)t->patience, (unsigned long long)t->seed, t->model ? t->model : "a fresh model",
        t->attention ? ", attention " : "", t->attention ? t->attention : "",
        t->precision == GW_BF16 ? ", products of bf16" : "");
}

// What generate and transformers' generate() begin with; the rest is theirs.
static gw_status save(const gw_finetune_run *run) {
    const gw_config *config = &run->model->config;
    const pairs_run *own = run->own;
    char *path = gw_join_path(run->options->tuning.output, "generation_config.json");
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:i}", "decoder_start_token_id", (json_int_t)config->decoder_start,
                             "eos_token_id", (json_int_t)config->end, "pad_token_id", (json_int_t)config->pad,
                             "max_length", (json_int_t)own->train.longest_target + 1, "num_beams", 5);
    gw_status status = path && json ? gw_json_save(path, json) : GW_ERR_MEMORY;
    json_decref(json);
    free(path);
    return status;
}

static void free_own(void *pairs) {
    pairs_run *own = pairs;
    gw_text_pairs_free(&own->train);
    gw_text_pairs_free(&own->valid);
}

const gw_task_kind gw_task_kind_pairs = {.data = &gw_data_pairs,
                                         .of = GW_OF_PAIRS,
                                         .size = sizeof(pairs_run),
                                         .writes = true,
                                         .presets = GW_PAIRS_PRESETS,
                                         .preset = preset,
                                         .complete = complete,
                                         .make_model = make_model,
                                         .make_examples = make_examples,
                                         .validates = validates,
                                         .added_loss = added_loss,
                                         .validate = validate,
                                         .less_is_better = true,
                                         .metric = metric,
                                         .print = print,
                                         .save = save,
                                         .free = free_own};
