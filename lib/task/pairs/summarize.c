// SPDX-License-Identifier: MIT
// Makes the model, hands the gradient of pairs to the trainer, validates after each epoch, and writes the folder.
#include "task/pairs/summarize.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/convert.h"
#include "model/task.h"
#include "run/step.h"
#include "run/training_folder.h"
#include "task/pairs/pair_examples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_finetune_options *options;
    gw_model *model;
    gw_text_pairs train, valid;
    gw_examples examples; // of training
    gw_steps step;
    double entropy; // sum_v t_v ln t_v of smoothed labels
    int64_t steps, epoch_steps;
    gw_training training;
} summarize_run;

static gw_status describe(const gw_tuning *o, gw_config *config) {
    if (o->dropout >= 0) config->dropout = o->dropout;
    if (o->attention) GW_TRY(gw_config_use_mode(config, o->attention));
    config->task = GW_TASK_SUMMARIZE;
    free(config->command);
    config->command = o->command ? gw_strdup(o->command) : NULL;
    return !o->command || config->command ? GW_OK : GW_ERR_MEMORY;
}

static gw_status fresh_model(summarize_run *run) {
    const gw_tuning *o = &run->options->tuning;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(o->fresh, &config));
    gw_status status = describe(o, &config);
    if (status == GW_OK)
        status = o->tokenizer ? gw_tokenizer_load(o->tokenizer, &tokenizer) : gw_tokenizer_letters(&tokenizer);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, o->seed, &run->model);
    gw_config_free(&config);
    return status;
}

// An encoder alone becomes both, as the paper's base model did.
static gw_status add_decoder(summarize_run *run) {
    gw_model *encoder = run->model;
    run->model = NULL;
    gw_status status = gw_model_with_decoder(encoder, run->options->tuning.seed, &run->model);
    gw_model_free(encoder);
    if (status != GW_OK) return gw_fail_in(status, "%s", run->options->tuning.model);
    gw_note("%s has no decoder: one that shares its tensors was added, with fresh attention to the source",
            run->options->tuning.model);
    return GW_OK;
}

static gw_status make_model(summarize_run *run) {
    const gw_tuning *o = &run->options->tuning;
    if (!o->model) return fresh_model(run);
    GW_TRY(gw_model_load(o->model, &run->model));
    if (run->model->config.decoder_layers == 0) GW_TRY(add_decoder(run));
    return describe(o, &run->model->config);
}

static gw_status read_pairs(summarize_run *run) {
    const gw_finetune_options *o = run->options;
    GW_TRY(gw_text_pairs_read(o->tuning.sets.items, o->tuning.sets.count, run->model, &o->pairs, &run->train));
    if (o->tuning.valid.count == 0) return GW_OK;
    return gw_text_pairs_read(o->tuning.valid.items, o->tuning.valid.count, run->model, &o->pairs, &run->valid);
}

// With smoothing s the loss of a token is sum_v t_v (ln t_v - ln p_v), t = 1 - s for the token, s / (V - 1) for each
// other (Szegedy et al., 2016, section 7), which is 0 where p = t, as google-research/bigbird reports it. The sum of
// t_v ln t_v.
static double entropy_of(double smoothing, int64_t classes) {
    if (smoothing == 0) return 0;
    return (1 - smoothing) * log(1 - smoothing) + smoothing * log(smoothing / (double)(classes - 1));
}

static gw_status prepare(summarize_run *run) {
    const gw_finetune_options *o = run->options;
    const gw_epochs order = gw_tuning_order(&o->tuning, run->train.count);
    gw_network_options network = gw_tuning_network(&o->tuning);
    network.smoothing = o->smoothing;
    run->entropy = entropy_of(o->smoothing, run->model->config.vocabulary);
    run->epoch_steps = gw_epochs_steps(&order);
    run->steps = gw_tuning_steps(&o->tuning, run->epoch_steps);
    GW_TRY(gw_pair_examples_open(run->model, &run->train, &order, o->tuning.tokens, &run->examples));
    GW_TRY(gw_steps_make(&run->step, run->model, &run->examples, network));
    return gw_training_make_blocks(&run->training, run->model, o->tuning.average_decay > 0, o->tuning.valid.count > 0);
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    summarize_run *run = context;
    gw_step_sums sums;
    json_object_set_new(row, "epoch", json_real((double)(step + 1) / (double)run->epoch_steps));
    GW_TRY(gw_step_gradient(&run->step, step, &sums));
    *loss = gw_step_mean(&sums) + run->entropy;
    *tokens = sums.tokens;
    gw_network_add_figures(run->step.network, row);
    return GW_OK;
}

static gw_status keep_best(summarize_run *run, double loss, int64_t done) {
    const gw_training_record *record = &run->training.record;
    if (gw_training_has_best(record) && loss >= record->best) return GW_OK;
    return gw_training_keep(&run->training, run->model->parameters.weight, loss, done);
}

static gw_status validate(summarize_run *run, int64_t done, json_t *row) {
    gw_pair_figures figures;
    GW_TRY(gw_average_exchange(&run->training));
    gw_status status = gw_pairs_rate(run->model, &run->valid, run->options->tuning.tokens, &figures);
    if (status == GW_OK) status = keep_best(run, figures.loss, done);
    GW_TRY(gw_first_failure(status, gw_average_exchange(&run->training)));
    json_object_set_new(row, "valid_loss", json_real(figures.loss));
    json_object_set_new(row, "valid_accuracy", json_real(figures.correct));
    gw_note("epoch %.4g, step %lld: training loss %.4f, validation loss %.4f, next tokens right %.4f",
            (double)done / (double)run->epoch_steps, (long long)done, json_number_value(json_object_get(row, "loss")),
            figures.loss, figures.correct);
    return GW_OK;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    summarize_run *run = context;
    const int64_t patience = run->options->tuning.patience;
    if (!run->training.kept || (done % run->epoch_steps != 0 && done != run->steps)) return GW_OK;
    *report = true;
    GW_TRY(validate(run, done, row));
    const int64_t since = done - run->training.record.best_step;
    run->training.record.stop = patience > 0 && done < run->steps && since >= patience * run->epoch_steps;
    if (run->training.record.stop)
        gw_note("stopped: no epoch had a lower validation loss for %lld epochs (--patience)", (long long)patience);
    return GW_OK;
}

// Everything that a resumed run must share with the one it continues.
static gw_status fingerprint(const summarize_run *run, gw_string *out) {
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const bool adam = t->optimiser.kind == GW_OPTIMISER_ADAM;
    gw_string_printf(
        out,
        "summarize: %lld pairs of %lld and %lld tokens, validated on %lld; %lld steps of %lld, %s, rate %.9g, schedule "
        "%s, warm-up %lld, decay %.9g, clip %.9g, smoothing %.9g, dropout %.9g, average %.9g, patience %lld, seed "
        "%llu, from %s%s%s%s",
        (long long)run->train.count, (long long)run->train.source_start[run->train.count],
        (long long)run->train.target_start[run->train.count], (long long)run->valid.count, (long long)run->steps,
        (long long)t->batch, adam ? "Adam" : "Adafactor", t->rate, gw_schedule_name(t->schedule), (long long)t->warmup,
        t->optimiser.decay, t->optimiser.clip, o->smoothing, run->model->config.dropout, t->average_decay,
        (long long)t->patience, (unsigned long long)t->seed, t->model ? t->model : "a fresh model",
        t->attention ? ", attention " : "", t->attention ? t->attention : "",
        t->precision == GW_BF16 ? ", products of bf16" : "");
    gw_mixer_print_options(&run->model->config, &o->tuning.mixer, out);
    return gw_string_status(out);
}

static gw_status train(summarize_run *run) {
    gw_string print = {0};
    gw_status status = fingerprint(run, &print);
    run->training = (gw_training){.model = run->model,
                                  .gradient = gw_network_gradient(run->step.network),
                                  .context = run,
                                  .compute = compute,
                                  .updated = updated,
                                  .kept = run->training.kept,
                                  .average = run->training.average};
    if (status == GW_OK) status = gw_tune(&run->options->tuning, run->steps, print.data, &run->training);
    gw_string_free(&print);
    return status;
}

// What generate and transformers' generate() begin with; the rest is theirs.
static gw_status save_generation(const summarize_run *run) {
    const gw_config *config = &run->model->config;
    char *path = gw_join_path(run->options->tuning.output, "generation_config.json");
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:i}", "decoder_start_token_id", (json_int_t)config->decoder_start,
                             "eos_token_id", (json_int_t)config->end, "pad_token_id", (json_int_t)config->pad,
                             "max_length", (json_int_t)run->train.longest_target + 1, "num_beams", 5);
    gw_status status = path && json ? gw_json_save(path, json) : GW_ERR_MEMORY;
    json_decref(json);
    free(path);
    return status;
}

// The best weights, where there was validation, else the averaged or the last ones, make the model.
static gw_status save_model(const summarize_run *run) {
    const gw_tuning *o = &run->options->tuning;
    const float *kept = run->training.kept ? run->training.kept : run->training.average;
    if (kept) memcpy(run->model->parameters.weight, kept, (size_t)run->model->parameters.floats * sizeof(float));
    if (run->training.kept)
        gw_note("kept the weights after step %lld: validation loss %.4f", (long long)run->training.record.best_step,
                run->training.record.best);
    GW_TRY(gw_training_folder_take_metrics(o->output, o->checkpoints));
    GW_TRY(save_generation(run));
    return gw_model_save(run->model, o->output);
}

static void free_run(summarize_run *run) {
    gw_training_free(&run->training);
    gw_steps_free(&run->step);
    gw_examples_free(&run->examples);
    gw_text_pairs_free(&run->train);
    gw_text_pairs_free(&run->valid);
    gw_model_free(run->model);
}

static gw_status summarize(const void *options) {
    summarize_run run = {.options = options};
    gw_status status = make_model(&run);
    if (status == GW_OK) status = read_pairs(&run);
    if (status == GW_OK) status = prepare(&run);
    if (status == GW_OK) status = train(&run);
    if (status == GW_OK) status = save_model(&run);
    free_run(&run);
    return status;
}

gw_status gw_summarize(const gw_finetune_options *options) {
    return gw_tuning_run(&options->tuning, summarize, options);
}
