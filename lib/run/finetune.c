// SPDX-License-Identifier: MIT
// Opens the sets, makes the classifier's config and model, and hands the gradient of labels to the trainer.
#include "run/finetune.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "label/split.h"
#include "model/task.h"
#include "run/label_gradient.h"
#include "run/predict.h"
#include "run/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A run and all that it owns.
typedef struct {
    const gw_finetune_options *options;
    gw_genome *genome;
    gw_labelled_set *train, *valid; // valid may be NULL
    gw_model *model;
    gw_label_gradient *gradient;
    gw_label_predictor *predictor; // of the model in training, for validation
    float *probabilities;          // [valid examples][labels]
    gw_metric *metrics;            // [labels]
    float *best;                   // [parameters.floats] weights of the best validation; NULL without
    json_t *notes;                 // "best" (AUROC) and "best_step"
    int64_t steps;
} finetune_run;

static gw_status open_sets(finetune_run *run) {
    const gw_finetune_options *o = run->options;
    if (o->fasta) GW_TRY(gw_genome_open(o->fasta, &run->genome));
    const gw_labelled_options train = {.genome = run->genome, .split = gw_split_names[GW_SPLIT_TRAIN]},
                              valid = {.genome = run->genome, .split = gw_split_names[GW_SPLIT_VALID]};
    GW_TRY(gw_labelled_set_open(o->sets, o->set_count, &train, &run->train));
    if (gw_labelled_set_labels(run->train) == 0) return gw_fail(GW_ERR_FORMAT, "%s has no labels", o->sets[0]);
    if (o->valid_count == 0) return GW_OK;
    return gw_labelled_set_open(o->valid, o->valid_count, &valid, &run->valid);
}

// The window that the model is told to read: the sets' own width, unless it is given.
static gw_status choose_window(const finetune_run *run, int64_t *window) {
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

// What the sets and options say, put into the config of the classifier.
static gw_status describe_task(const finetune_run *run, gw_config *config) {
    const gw_finetune_options *o = run->options;
    const gw_task_row *task = gw_task_of(o->task);
    if (config->labels > 0) {
        char name[64];
        gw_architecture_name(config->family, config->head, name);
        return gw_fail(GW_ERR_UNSUPPORTED, "the model already has labels of its own (%s); start from a pretrained one",
                       name);
    }
    config->task = o->task;
    config->head = task->head;
    config->problem = task->problem;
    config->positive_weight = o->positive_weight > 0 ? o->positive_weight : task->positive_weight;
    config->bin = task->keeps_bin ? gw_labelled_set_bin(run->train) : 0;
    config->tss_offset = !task->keeps_tss     ? -1
                         : o->tss_offset >= 0 ? o->tss_offset
                                              : gw_labelled_set_tss_offset(run->train);
    if (o->dropout >= 0) config->dropout = config->classifier_dropout = o->dropout;
    if (o->pooling) GW_TRY(gw_config_use_pooling(config, o->pooling));
    GW_TRY(choose_window(run, &config->window));
    if (config->tss_offset >= config->window)
        return gw_fail(GW_ERR_RANGE, "the TSS offset %lld is not inside the window of %lld bp",
                       (long long)config->tss_offset, (long long)config->window);
    char md5[33];
    if (run->genome) {
        GW_TRY(gw_genome_md5(run->genome, md5));
        GW_TRY(set_text(&config->reference_md5, md5));
    }
    GW_TRY(set_text(&config->command, o->command));
    return set_labels(config, run->train);
}

static gw_status fresh_model(finetune_run *run) {
    const gw_finetune_options *o = run->options;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(o->fresh, &config));
    gw_status status = describe_task(run, &config);
    if (status == GW_OK)
        status = o->tokenizer ? gw_tokenizer_load(o->tokenizer, &tokenizer) : gw_tokenizer_letters(&tokenizer);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, o->seed, &run->model);
    gw_config_free(&config);
    return status;
}

static gw_status pretrained_model(finetune_run *run) {
    gw_model *pretrained;
    gw_config config = {0};
    GW_TRY(gw_model_load(run->options->model, &pretrained));
    gw_status status = gw_config_copy(&pretrained->config, &config);
    if (status == GW_OK && run->options->attention)
        status = gw_pattern_use_mode(&config.pattern, run->options->attention);
    if (status == GW_OK) status = describe_task(run, &config);
    if (status == GW_OK) status = gw_model_with_classifier(pretrained, &config, run->options->seed, &run->model);
    gw_config_free(&config);
    gw_model_free(pretrained);
    return status;
}

static gw_status prepare_validation(finetune_run *run) {
    if (!run->valid) return GW_OK;
    const gw_label_predictor_options predictor = {.both_strands = run->options->strands == GW_STRANDS_BY_TASK
                                                                      ? gw_both_strands_by_default(run->model)
                                                                      : run->options->strands == GW_STRANDS_BOTH};
    GW_TRY(gw_check_set_labels(run->model, run->valid));
    GW_TRY(gw_check_set_windows(run->model, run->valid));
    run->probabilities =
        gw_alloc(gw_labelled_set_count(run->valid) * run->model->config.labels, sizeof *run->probabilities);
    run->metrics = gw_alloc(run->model->config.labels, sizeof *run->metrics);
    run->best = gw_alloc(run->model->parameters.floats, sizeof *run->best);
    if (!run->probabilities || !run->metrics || !run->best) return GW_ERR_MEMORY;
    return gw_label_predictor_new(run->model, &predictor, &run->predictor);
}

static gw_status prepare_training(finetune_run *run) {
    const gw_finetune_options *o = run->options;
    const gw_label_gradient_options gradient = {.batch = o->batch,
                                                .tokens = o->tokens,
                                                .recompute = o->recompute,
                                                .precision = o->precision,
                                                .reverse_at_random = o->strands == GW_STRANDS_BY_TASK
                                                                         ? gw_both_strands_by_default(run->model)
                                                                         : o->strands == GW_STRANDS_BOTH,
                                                .seed = o->seed};
    GW_TRY(gw_check_window(run->model, gw_labelled_set_longest(run->train)));
    GW_TRY(gw_check_window(run->model, run->model->config.window));
    GW_TRY(gw_label_gradient_new(run->model, run->train, &gradient, &run->gradient));
    run->steps = o->steps > 0 ? o->steps : o->epochs * gw_label_gradient_steps(run->gradient);
    run->notes = json_object();
    return run->notes ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    finetune_run *run = context;
    const int64_t epoch_steps = gw_label_gradient_steps(run->gradient);
    json_object_set_new(row, "epoch", json_real((double)(step + 1) / (double)epoch_steps));
    return gw_label_gradient_add(run->gradient, step, loss, tokens);
}

static gw_status keep_best(finetune_run *run, double auroc, int64_t done) {
    const json_t *best = json_object_get(run->notes, "best");
    if (best && auroc <= json_real_value(best)) return GW_OK;
    GW_TRY(gw_parameters_to_host(&run->model->parameters));
    json_object_set_new(run->notes, "best", json_real(auroc));
    json_object_set_new(run->notes, "best_step", json_integer(done));
    memcpy(run->best, run->model->parameters.weight, (size_t)run->model->parameters.floats * sizeof(float));
    return GW_OK;
}

static gw_status validate(finetune_run *run, int64_t done, json_t *row) {
    const int64_t labels = run->model->config.labels;
    gw_metric_summary summary;
    gw_progress_end();
    const gw_ensemble one = {&run->predictor, 1};
    GW_TRY(gw_predict_set(&one, run->valid, run->probabilities));
    GW_TRY(gw_set_metrics(run->valid, run->probabilities, run->metrics));
    GW_TRY(gw_metric_summarise(run->metrics, labels, 0, &summary));
    if (summary.targets == 0)
        return gw_fail(GW_ERR_MISMATCH, "no target of the validation set has both positives and negatives");
    json_object_set_new(row, "valid_auroc", json_real(summary.mean.auroc));
    json_object_set_new(row, "valid_median_auroc", json_real(summary.median.auroc));
    json_object_set_new(row, "valid_auprc", json_real(summary.mean.auprc));
    json_object_set_new(row, "valid_f1", json_real(summary.mean.f1));
    json_object_set_new(row, "valid_mcc", json_real(summary.mean.mcc));
    gw_note("step %lld: validation AUROC %.4f (mean), %.4f (median), F1 %.4f", (long long)done, summary.mean.auroc,
            summary.median.auroc, summary.mean.f1);
    return keep_best(run, summary.mean.auroc, done);
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    finetune_run *run = context;
    const bool epoch_ends = done % gw_label_gradient_steps(run->gradient) == 0;
    if (!run->valid || (!epoch_ends && done != run->steps)) return GW_OK;
    *report = true;
    return validate(run, done, row);
}

// Everything that a resumed run must share with the one it continues.
static char *fingerprint(const finetune_run *run) {
    const gw_finetune_options *o = run->options;
    return gw_strprintf(
        "finetune %s: %lld examples, %lld labels, validated on %lld; %lld steps of %lld, rate %.9g, "
        "schedule %s, warm-up %lld, decay %.9g, clip %.9g, weight %.9g, dropout %.9g, pooling %d, "
        "stem %s, strands %d, seed %llu, from %s%s%s%s",
        gw_task_of(o->task)->name, (long long)gw_labelled_set_count(run->train), (long long)run->model->config.labels,
        (long long)(run->valid ? gw_labelled_set_count(run->valid) : 0), (long long)run->steps, (long long)o->batch,
        o->rate, gw_schedule_name(o->schedule), (long long)o->warmup, o->decay, o->clip,
        run->model->config.positive_weight, run->model->config.dropout, (int)run->model->config.pooling,
        run->model->config.stem.text, (int)o->strands, (unsigned long long)o->seed,
        o->model ? o->model : "a fresh encoder", o->attention ? ", attention " : "", o->attention ? o->attention : "",
        o->precision == GW_BF16 ? ", products of bf16" : "");
}

static gw_status train(finetune_run *run) {
    const gw_finetune_options *o = run->options;
    char *metrics = gw_join_path(o->checkpoints ? o->checkpoints : o->output, "metrics.jsonl"),
         *print = fingerprint(run);
    gw_trainer_options trainer = {
        .schedule = gw_schedule_make(o->schedule, o->rate, o->warmup, run->steps),
        .optimiser = gw_optimiser_defaults(),
        .checkpoints = o->checkpoints,
        .save_every = o->save_every,
        .report_every = o->report_every,
        .resume = o->resume,
        .metrics = metrics,
        .fingerprint = print,
    };
    trainer.optimiser.decay = o->decay;
    trainer.optimiser.clip = o->clip;
    gw_training training = {.model = run->model,
                            .gradient = gw_label_gradient_values(run->gradient),
                            .context = run,
                            .compute = compute,
                            .updated = updated,
                            .kept = run->best,
                            .notes = run->notes};
    gw_status status = metrics && print ? gw_make_directory(o->output) : GW_ERR_MEMORY;
    if (status == GW_OK && o->checkpoints) status = gw_make_directory(o->checkpoints);
    if (status == GW_OK) status = gw_train(&training, &trainer);
    free(metrics);
    free(print);
    return status;
}

// The best weights, where there was validation, make the model.
static gw_status save_model(const finetune_run *run) {
    const gw_finetune_options *o = run->options;
    if (run->best) {
        memcpy(run->model->parameters.weight, run->best, (size_t)run->model->parameters.floats * sizeof(float));
        gw_note("kept the weights after step %lld: validation AUROC %.4f",
                (long long)json_integer_value(json_object_get(run->notes, "best_step")),
                json_real_value(json_object_get(run->notes, "best")));
    }
    if (o->checkpoints) {
        char *from = gw_join_path(o->checkpoints, "metrics.jsonl"), *to = gw_join_path(o->output, "metrics.jsonl");
        const gw_status status = from && to ? gw_copy_file(from, to) : GW_ERR_MEMORY;
        free(from);
        free(to);
        GW_TRY(status);
    }
    return gw_model_save(run->model, o->output);
}

// A finished model is left as it is by --resume, and never overwritten.
static gw_status check_output(const gw_finetune_options *options, bool *finished) {
    char *weights = gw_join_path(options->output, "model.safetensors");
    if (!weights) return GW_ERR_MEMORY;
    *finished = gw_file_exists(weights);
    free(weights);
    if (!*finished || options->resume) return GW_OK;
    return gw_fail(GW_ERR_IO, "%s already holds a model: remove it, or choose another folder", options->output);
}

gw_status gw_finetune(const gw_finetune_options *options) {
    finetune_run run = {.options = options};
    bool finished = false;
    GW_TRY(check_output(options, &finished));
    if (finished) {
        gw_note("%s is finished and was left as it is", options->output);
        return GW_OK;
    }
    gw_status status = open_sets(&run);
    if (status == GW_OK) status = options->model ? pretrained_model(&run) : fresh_model(&run);
    if (status == GW_OK) status = prepare_training(&run);
    if (status == GW_OK) status = prepare_validation(&run);
    if (status == GW_OK) status = train(&run);
    if (status == GW_OK) status = save_model(&run);
    json_decref(run.notes);
    free(run.best);
    free(run.metrics);
    free(run.probabilities);
    gw_label_predictor_free(run.predictor);
    gw_label_gradient_free(run.gradient);
    gw_model_free(run.model);
    gw_labelled_set_close(run.valid);
    gw_labelled_set_close(run.train);
    gw_genome_close(run.genome);
    return status;
}
