// SPDX-License-Identifier: MIT
// Opens the sets, and hands the gradient to the trainer.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "label/split.h"
#include "model/task.h"
#include "run/training_folder.h"
#include "task/finetune_run.h"
#include "task/trained_on.h"
#include "task/windows/predict.h"

#include <stdlib.h>
#include <string.h>

static gw_status open_sets(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    if (gw_finetune_of_texts(run)) return GW_OK; // which need the model's tokenizer
    if (o->fasta) GW_TRY(gw_genome_open(o->fasta, &run->genome));
    const bool tenth = o->negatives.count > 0 && o->tuning.valid.count > 0 && o->valid_negatives.count == 0;
    const gw_labelled_options train = {.genome = run->genome,
                                       .split = gw_split_names[GW_SPLIT_TRAIN],
                                       .negatives = o->negatives.items,
                                       .negative_count = o->negatives.count,
                                       .tenth = tenth};
    const gw_labelled_options valid = {.genome = run->genome,
                                       .split = gw_split_names[GW_SPLIT_VALID],
                                       .negatives = tenth ? o->negatives.items : o->valid_negatives.items,
                                       .negative_count = tenth ? o->negatives.count : o->valid_negatives.count,
                                       .tenth = tenth};
    GW_TRY(gw_labelled_set_open(o->tuning.sets.items, o->tuning.sets.count, &train, &run->train));
    if (gw_labelled_set_labels(run->train) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s has no labels", o->tuning.sets.items[0]);
    if (o->tuning.valid.count == 0) return GW_OK;
    return gw_labelled_set_open(o->tuning.valid.items, o->tuning.valid.count, &valid, &run->valid);
}

static gw_status prepare_windows(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    const gw_label_examples_options examples = {.order = gw_tuning_order(&o->tuning, gw_labelled_set_count(run->train)),
                                                .tokens = o->tuning.tokens,
                                                .reverse_at_random = gw_reads_both_strands(o->strands, run->model),
                                                .shift = o->shift};
    GW_TRY(gw_check_window(run->model, gw_labelled_set_longest(run->train)));
    GW_TRY(gw_check_window(run->model, run->model->config.window));
    run->epoch_steps = gw_epochs_steps(&examples.order);
    return gw_label_examples_open(run->model, run->train, &examples, &run->examples);
}

static gw_status prepare_training(gw_finetune_run *run) {
    enum { LEAST_PATIENCE = 20, MOST_PATIENCE = 200 }; // steps before a loss at chance is worth a warning
    const gw_tuning *o = &run->options->tuning;
    GW_TRY(gw_finetune_of_texts(run) ? gw_finetune_prepare_texts(run) : prepare_windows(run));
    GW_TRY(gw_steps_make(&run->step, run->model, &run->examples, gw_tuning_network(o)));
    run->steps = gw_tuning_steps(o, run->epoch_steps);
    run->chance.patience = run->steps / 2 > MOST_PATIENCE    ? MOST_PATIENCE
                           : run->steps / 2 > LEAST_PATIENCE ? run->steps / 2
                                                             : LEAST_PATIENCE;
    return gw_training_make_blocks(&run->training, run->model, o->average_decay > 0, gw_finetune_validates(run));
}

// Fixed weights have no gradient, whatever was computed.
static gw_status clear_fixed(const gw_finetune_run *run) {
    const gw_parameters *parameters = &run->model->parameters;
    float *gradient = gw_network_gradient(run->step.network);
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *p = &parameters->list[i];
        if (p->fixed) GW_TRY(parameters->mirror.kernels->zero(gradient + p->offset, p->count * (int64_t)sizeof(float)));
    }
    return GW_OK;
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    gw_finetune_run *run = context;
    gw_step_sums sums;
    json_object_set_new(row, "epoch", json_real((double)(step + 1) / (double)run->epoch_steps));
    GW_TRY(gw_step_gradient(&run->step, step, &sums));
    GW_TRY(clear_fixed(run));
    *loss = gw_step_mean(&sums);
    *tokens = sums.tokens;
    gw_finetune_count_step(run, step + 1, *loss,
                           gw_finetune_of_texts(run) ? run->texts.guess.loss
                                                     : gw_label_examples_chance(&run->examples, step));
    gw_network_add_figures(run->step.network, row);
    return GW_OK;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    gw_finetune_run *run = context;
    if (done % run->epoch_steps != 0 && done != run->steps) return GW_OK;
    *report = true;
    return gw_finetune_end_epoch(run, done, row);
}

// By what an epoch is better, as a number: figures of texts begin where no criterion of windows is.
static int number_of_criterion(const gw_finetune_run *run) {
    enum { OF_TEXTS = 100 };
    return gw_finetune_of_texts(run) ? OF_TEXTS + run->texts.figure : (int)gw_criterion_by_name(run->options->metric);
}

// Everything that a resumed run must share with the one it continues.
static gw_status fingerprint(const gw_finetune_run *run, gw_string *out) {
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const bool texts = gw_finetune_of_texts(run);
    const int64_t valid = texts ? run->texts.valid.rows : run->valid ? gw_labelled_set_count(run->valid) : 0;
    gw_string_printf(
        out,
        "finetune %s: %lld examples, %lld labels, validated on %lld; %lld steps of %lld, rate %.9g, "
        "schedule %s, warm-up %lld, decay %.9g, clip %.9g, weight %.9g, dropout %.9g, pooling %d, "
        "stem %s, average %.9g, best by %d, patience %lld, strands %d, seed %llu, from %s%s%s%s%s",
        gw_task_of(o->task)->name, (long long)(texts ? run->texts.train.rows : gw_labelled_set_count(run->train)),
        (long long)run->model->config.labels, (long long)valid, (long long)run->steps, (long long)t->batch, t->rate,
        gw_schedule_name(t->schedule), (long long)t->warmup, t->optimiser.decay, t->optimiser.clip,
        o->positive_weight == GW_BALANCED ? GW_BALANCED : run->model->config.positive_weight,
        run->model->config.dropout, (int)run->model->config.pooling, run->model->config.stem.text, t->average_decay,
        number_of_criterion(run), (long long)t->patience, (int)o->strands, (unsigned long long)t->seed,
        t->model ? t->model : "a fresh encoder", t->attention ? ", attention " : "", t->attention ? t->attention : "",
        t->precision == GW_BF16 ? ", products of bf16" : "", o->frozen ? ", encoder frozen" : "");
    if (o->shift > 0) gw_string_printf(out, ", shifts of %lld", (long long)o->shift);
    if (o->positions > 0) gw_string_printf(out, ", %lld positions", (long long)o->positions);
    gw_mixer_print_options(&run->model->config, &o->tuning.mixer, out);
    return gw_string_status(out);
}

static gw_status train(gw_finetune_run *run) {
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

// The best weights, where there was validation, else the averaged or the last ones, make the model.
static void take_weights(const gw_finetune_run *run) {
    static const char *const figures[] = {"mean AUROC", "mean AUPRC", "mean F1", "loss"};
    const gw_criterion by = gw_criterion_by_name(run->options->metric);
    const float *kept = run->training.kept ? run->training.kept : run->training.average;
    const double best = run->training.record.best;
    if (kept) memcpy(run->model->parameters.weight, kept, (size_t)run->model->parameters.floats * sizeof(float));
    const bool texts = gw_finetune_of_texts(run), loss = texts ? run->texts.figure == GW_FIGURE_LOSS : by == GW_BY_LOSS;
    if (run->training.kept && best > GW_FIGURE_WORST)
        gw_note("kept the weights after step %lld: validation %s %.4f", (long long)run->training.record.best_step,
                texts ? gw_figure_names[run->texts.figure] : figures[by], loss ? -best : best);
}

static gw_status save_model(gw_finetune_run *run) {
    const gw_tuning *o = &run->options->tuning;
    take_weights(run);
    GW_TRY(gw_finetune_fit_temperature(run));
    GW_TRY(gw_training_folder_take_metrics(o->output, o->checkpoints));
    gw_contig_sizes genomes = {0};
    gw_status status = gw_model_save(run->model, o->output);
    if (status == GW_OK && run->genome) status = gw_contig_sizes_add(&genomes, run->genome);
    if (status == GW_OK) status = gw_trained_on_write(o->output, o->model, &genomes);
    gw_contig_sizes_free(&genomes);
    return status;
}

static gw_status finetune(const void *options) {
    gw_finetune_run run = {.options = options};
    gw_status status = open_sets(&run);
    if (status == GW_OK) status = gw_finetune_make_model(&run);
    if (status == GW_OK) status = prepare_training(&run);
    if (status == GW_OK) status = gw_finetune_prepare_validation(&run);
    if (status == GW_OK)
        status = gw_finetune_of_texts(&run) ? gw_finetune_make_word_baseline(&run) : gw_finetune_make_baseline(&run);
    if (status == GW_OK) status = train(&run);
    if (status == GW_OK) status = save_model(&run);
    if (status == GW_OK && gw_finetune_of_texts(&run)) status = gw_finetune_compare_words(&run);
    else if (status == GW_OK) gw_finetune_compare(&run);
    gw_finetune_free_texts(&run.texts);
    free(run.baseline.values);
    free(run.baseline.share);
    gw_training_free(&run.training);
    free(run.values);
    free(run.metrics);
    free(run.probabilities);
    gw_label_predictor_free(run.predictor);
    gw_steps_free(&run.step);
    gw_examples_free(&run.examples);
    gw_model_free(run.model);
    gw_labelled_set_close(run.valid);
    gw_labelled_set_close(run.train);
    gw_genome_close(run.genome);
    return status;
}

gw_status gw_finetune(const gw_finetune_options *options) {
    return gw_tuning_run(&options->tuning, finetune, options);
}
