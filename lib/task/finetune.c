// SPDX-License-Identifier: MIT
// Makes the model and the examples by the kind of task, and passes the gradient to the trainer. Validates after epochs,
// keeps the best weights, and stops a run if validation no longer improves.
#include "task/finetune.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "measure/metric.h"
#include "run/ranks.h"
#include "run/training_folder.h"
#include "task/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gw_epochs gw_tuning_order(const gw_tuning *t, int64_t examples) {
    return (gw_epochs){.seed = t->seed, .examples = examples, .batch = t->batch};
}

gw_status gw_tuning_keep_command(const gw_tuning *t, gw_config *config) {
    free(config->command);
    config->command = t->command ? gw_strdup(t->command) : NULL;
    return !t->command || config->command ? GW_OK : GW_ERR_MEMORY;
}

bool gw_chance_stays(gw_chance *chance, double loss, double guess) {
    static const int64_t memory = 50; // steps
    static const double near = 0.995;
    chance->steps++;
    const double share = 1 / (double)(chance->steps < memory ? chance->steps : memory);
    chance->loss += share * (loss - chance->loss);
    chance->guess += share * (guess - chance->guess);
    if (chance->steps < chance->patience || chance->loss < near * chance->guess) return false;
    chance->patience = 2 * chance->steps;
    return true;
}

// --- the table, one line of notes an epoch

// Columns of fixed width; those of validation are left out where there is none.
void gw_epoch_column_add(gw_epoch_columns *columns, const char *name, int width, double value) {
    columns->of[columns->count].name = name;
    columns->of[columns->count].width = width;
    columns->of[columns->count++].value = value;
}

// Notes the line, and frees it.
static void put_line(gw_string *line) {
    if (!line->failed) gw_note("%s", line->data);
    gw_string_free(line);
}

static void put_columns(const gw_epoch_columns *columns, gw_string *line) {
    for (int c = 0; c < columns->count; c++)
        gw_string_printf(line, "%*.4f", columns->of[c].width, columns->of[c].value);
}

// Before the first epoch the heading and the baseline's line, where there is one.
static void put_epoch(gw_finetune_run *run, const gw_epoch *epoch) {
    gw_string line = {0};
    char head[64], passed[GW_DURATION_SIZE], left[GW_DURATION_SIZE];
    gw_epoch_baseline beside = {0};
    if (!run->table_begun) {
        run->table_begun = true;
        gw_string_puts(&line, " epoch     steps  train loss");
        for (int c = 0; c < epoch->valid.count; c++)
            gw_string_printf(&line, "%*s", epoch->valid.of[c].width, epoch->valid.of[c].name);
        gw_string_printf(&line, "    time    left%s", epoch->validated ? "  (* best so far)" : "");
        put_line(&line);
        if (run->kind->baseline_line && run->kind->baseline_line(run, &beside)) {
            const int used = snprintf(head, sizeof head, "%s", beside.name);
            if (beside.error > 0)
                snprintf(head + used, sizeof head - (size_t)used, " (%s +/- %.4f)", beside.metric, beside.error);
            gw_string_printf(&line, "%-28s", head);
            put_columns(&beside.valid, &line);
            put_line(&line);
        }
    }
    gw_duration_text(epoch->seconds, passed);
    gw_duration_text(epoch->left, left);
    gw_string_printf(&line, "%6.4g%10lld%12.4f", epoch->number, (long long)epoch->steps, epoch->train_loss);
    put_columns(&epoch->valid, &line);
    gw_string_printf(&line, "%8s%8s%s", passed, left, epoch->validated && epoch->better ? "  *" : "");
    put_line(&line);
}

// --- steps

// Adds step `step` to its epoch; warns where nothing is learnt.
static void count_step(gw_finetune_run *run, int64_t step, double loss) {
    gw_training_record *record = &run->training.record;
    const double chance = run->kind->chance ? run->kind->chance(run, step) : 0;
    record->epoch_loss += loss;
    record->epoch_chance += chance;
    record->epoch_steps++;
    if (!run->kind->chance || !gw_chance_stays(&run->chance, loss, chance)) return;
    gw_warn(
        "after %lld steps the training loss is still %.4f; always predicting the frequencies of the labels gives %.4f: "
        "nothing is learnt so far; try another --lr, a longer --warmup, a pretrained model, more epochs, or "
        "less --dropout",
        (long long)step + 1, run->chance.loss, run->chance.guess);
}

static void prepare_step(void *context, int64_t step) {
    gw_finetune_run *run = context;
    gw_steps_prepare(&run->step, step);
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    gw_finetune_run *run = context;
    gw_step_sums sums;
    json_object_set_new(row, "epoch", json_real((double)(step + 1) / (double)run->epoch_steps));
    GW_TRY(gw_step_gradient(&run->step, step, &sums));
    const gw_parameters *parameters = &run->model->parameters;
    float *gradient = gw_network_gradient(run->step.network);
    for (int i = 0; i < parameters->count; i++) { // fixed weights have no gradient, whatever was computed
        const gw_parameter *p = &parameters->list[i];
        if (p->fixed) GW_TRY(parameters->mirror.kernels->zero(gradient + p->offset, p->count * (int64_t)sizeof(float)));
    }
    *loss = gw_step_mean(&sums) + (run->kind->added_loss ? run->kind->added_loss(run) : 0);
    *tokens = sums.tokens;
    count_step(run, step, *loss);
    gw_network_add_metrics(run->step.network, row);
    gw_steps_add_metrics(&run->step, row);
    return GW_OK;
}

// --- epochs

// Of the average of the weights, where there is one. Keeps the best weights.
static gw_status validate(gw_finetune_run *run, int64_t done, gw_epoch *epoch, json_t *row) {
    const gw_training_record *record = &run->training.record;
    const gw_task_kind *kind = run->kind;
    double value = 0;
    GW_TRY(gw_average_exchange(&run->training));
    gw_status status = kind->validate(run, epoch, row, &value);
    if (status == GW_OK) {
        epoch->better =
            !gw_training_has_best(record) || (kind->less_is_better ? value < record->best : value > record->best);
        if (epoch->better) status = gw_training_keep(&run->training, run->model->parameters.weight, value, done, row);
    }
    GW_TRY(gw_first_failure(status, gw_average_exchange(&run->training)));
    return kind->beside_baseline ? kind->beside_baseline(run, row, epoch->better) : GW_OK;
}

// At the end of an epoch, or of the run where that is earlier: validates, keeps the best weights, adds to `row`, and
// stops a run whose patience is out.
static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    gw_finetune_run *run = context;
    if (done % run->epoch_steps != 0 && done != run->steps) return GW_OK;
    *report = true;
    gw_training_record *record = &run->training.record;
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    gw_epoch epoch = {.number = (double)done / (double)run->epoch_steps,
                      .steps = done,
                      .validated = run->kind->validates(run),
                      .seconds = seconds,
                      .left = seconds * (double)(run->steps - done) / (double)done};
    if (epoch.validated) GW_TRY(validate(run, done, &epoch, row));
    epoch.train_loss = record->epoch_loss / record->epoch_steps; // the means of the epoch's steps; the next one begins
    json_object_set_new(row, "train_loss", json_real(epoch.train_loss));
    if (run->kind->chance)
        json_object_set_new(row, "chance_loss", json_real(record->epoch_chance / record->epoch_steps));
    record->epoch_loss = record->epoch_chance = record->epoch_steps = 0;
    put_epoch(run, &epoch);
    const int64_t patience = run->options->tuning.patience;
    record->stop =
        epoch.validated && done < run->steps && patience > 0 && done - record->best_step >= patience * run->epoch_steps;
    if (record->stop)
        gw_note("stopped: no epoch was better on the validation set for %lld epochs (--patience)", (long long)patience);
    return GW_OK;
}

// --- the run

static gw_status prepare(gw_finetune_run *run) {
    enum { LEAST_PATIENCE = 20, MOST_PATIENCE = 200 }; // steps before a loss at chance is worth a warning
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const gw_network_options network = {.training = true,
                                        .recompute = t->recompute,
                                        .precision = t->precision,
                                        .mixer = t->mixer,
                                        .seed = t->seed,
                                        .smoothing = o->smoothing,
                                        .focus = o->focus};
    GW_TRY(run->kind->make_examples(run, t));
    GW_TRY(gw_steps_make(&run->step, run->model, &run->examples, network));
    GW_TRY(gw_steps_share(&run->step, t->groups, t->all_reduce));
    run->steps = t->steps > 0 ? t->steps : t->epochs * run->epoch_steps;
    run->chance.patience = gw_min(gw_max(run->steps / 2, LEAST_PATIENCE), MOST_PATIENCE);
    GW_TRY(gw_training_make_blocks(&run->training, run->model, t->average_decay > 0, run->kind->validates(run)));
    return run->kind->prepare ? run->kind->prepare(run) : GW_OK;
}

static gw_status train(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    const bool first = gw_is_first_rank();
    gw_string fingerprint = {0};
    run->kind->print(run, &fingerprint);
    gw_mixer_print_options(&run->model->config, &t->mixer, &fingerprint);
    gw_steps_print(&run->step, &fingerprint);
    char *metrics = gw_join_path(t->checkpoints ? t->checkpoints : t->output, "metrics.jsonl");
    gw_status status = metrics ? gw_string_status(&fingerprint) : GW_ERR_MEMORY;
    run->training = (gw_training){.model = run->model,
                                  .gradient = gw_network_gradient(run->step.network),
                                  .context = run,
                                  .compute = compute,
                                  .prepare = prepare_step,
                                  .updated = updated,
                                  .kept = run->training.kept,
                                  .average = run->training.average};
    const gw_trainer_options options = {
        .schedule = gw_schedule_make(t->schedule, t->rate, t->warmup, run->steps),
        .optimiser = t->optimiser,
        .checkpoints = t->checkpoints,
        .save_every = t->save_every,
        .save_seconds = GW_SAVE_SECONDS,
        .report_every = t->report_every,
        .resume = t->resume,
        .metrics = metrics,
        .fingerprint = fingerprint.data,
        .average_decay = t->average_decay,
    };
    if (status == GW_OK && first) status = gw_make_directory(t->output);
    if (status == GW_OK && first && t->checkpoints) status = gw_make_directory(t->checkpoints);
    if (status == GW_OK) status = gw_train(&run->training, &options);
    gw_string_free(&fingerprint);
    free(metrics);
    return status;
}

// The best weights, where there was validation, else the averaged or the last ones, make the model.
static void take_weights(const gw_finetune_run *run) {
    const gw_training_record *record = &run->training.record;
    const float *kept = run->training.kept ? run->training.kept : run->training.average;
    if (kept) memcpy(run->model->parameters.weight, kept, (size_t)run->model->parameters.floats * sizeof(float));
    if (!run->training.kept || !gw_training_has_best(record) || record->best <= GW_METRIC_WORST) return;
    const char *metric = run->kind->metric(run);
    const bool negated = !run->kind->less_is_better && strcmp(metric, "loss") == 0;
    gw_note("kept the weights after step %lld: validation %s %.4f", (long long)record->best_step, metric,
            negated ? -record->best : record->best);
}

static gw_status finish(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    if (!gw_is_first_rank()) return GW_OK;
    take_weights(run);
    if (run->kind->finish) GW_TRY(run->kind->finish(run));
    GW_TRY(gw_training_folder_take_metrics(t->output, t->checkpoints));
    if (run->kind->save) GW_TRY(run->kind->save(run));
    GW_TRY(gw_model_save(run->model, t->output)); // whose weights say that the folder is whole
    return run->kind->compare ? run->kind->compare(run) : GW_OK;
}

static gw_status run_task(const gw_finetune_options *options) {
    gw_finetune_run run = {.options = options, .kind = gw_task_kind_of(options->task)};
    run.own = gw_alloc(run.kind->size, 1);
    if (!run.own) return GW_ERR_MEMORY;
    gw_status status = run.kind->make_model(&run);
    if (status == GW_OK) status = prepare(&run);
    if (status == GW_OK) status = train(&run);
    if (status == GW_OK) status = finish(&run);
    gw_training_free(&run.training);
    gw_steps_free(&run.step);
    gw_examples_free(&run.examples);
    run.kind->free(run.own);
    free(run.own);
    gw_model_free(run.model);
    return status;
}

gw_status gw_finetune(const gw_finetune_options *options) {
    const gw_tuning *t = &options->tuning;
    const bool passing = t->checkpoints_pass && t->checkpoints;
    gw_training_locks locks = {0};
    bool finished = false;
    GW_TRY(gw_training_folders_lock(&locks, t->output, t->checkpoints));
    gw_status status = gw_training_folder_check(t->output, t->resume, &finished);
    if (status == GW_OK && !finished && !t->resume && passing) status = gw_training_folder_check_state(t->checkpoints);
    if (status == GW_OK && !finished) status = run_task(options);
    if (status == GW_OK && passing) gw_training_folder_remove_state(t->checkpoints);
    gw_training_folders_unlock(&locks);
    return status;
}
