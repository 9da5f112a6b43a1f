// SPDX-License-Identifier: MIT
// Validates, keeps the best weights, and stops a run whose validation no longer gets better.
#include "base/log.h"
#include "base/memory.h"
#include "task/finetune_run.h"
#include "task/windows/predict.h"

#include <stdlib.h>
#include <string.h>

bool gw_finetune_validates(const gw_finetune_run *run) {
    return run->valid || run->texts.valid.rows > 0;
}

gw_status gw_finetune_prepare_validation(gw_finetune_run *run) {
    if (!gw_finetune_validates(run)) return GW_OK;
    if (gw_finetune_of_texts(run)) return GW_OK;
    const gw_label_predictor_options predictor = {.both_strands =
                                                      gw_reads_both_strands(run->options->strands, run->model)};
    GW_TRY(gw_check_set_labels(run->model, run->valid));
    GW_TRY(gw_check_set_windows(run->model, run->valid));
    run->values = gw_labelled_set_all_values(run->valid);
    run->probabilities =
        gw_alloc(gw_labelled_set_count(run->valid) * run->model->config.labels, sizeof *run->probabilities);
    run->metrics = gw_alloc(run->model->config.labels, sizeof *run->metrics);
    if (!run->values || !run->probabilities || !run->metrics) return GW_ERR_MEMORY;
    return gw_label_predictor_new(run->model, &predictor, &run->predictor);
}

void gw_finetune_count_step(gw_finetune_run *run, int64_t done, double loss, double chance) {
    gw_training_record *record = &run->training.record;
    record->epoch_loss += loss;
    record->epoch_chance += chance;
    record->epoch_steps++;
    if (!gw_chance_stays(&run->chance, loss, chance)) return;
    gw_warn("after %lld steps the training loss is still %.4f, and knowing nothing but how frequent each label is has "
            "%.4f: nothing is learnt so far; try another --lr, a longer --warmup, a pretrained model, more epochs, or "
            "less --dropout",
            (long long)done, run->chance.loss, run->chance.guess);
}

// The means of the epoch's steps; the next one begins.
static void close_sums(gw_finetune_run *run, gw_epoch *epoch, json_t *row) {
    gw_training_record *record = &run->training.record;
    epoch->train_loss = record->epoch_loss / record->epoch_steps;
    json_object_set_new(row, "train_loss", json_real(epoch->train_loss));
    json_object_set_new(row, "chance_loss", json_real(record->epoch_chance / record->epoch_steps));
    record->epoch_loss = record->epoch_chance = record->epoch_steps = 0;
}

static gw_status keep_best(gw_finetune_run *run, double value, int64_t done, bool *better) {
    const gw_training_record *record = &run->training.record;
    *better = !gw_training_has_best(record) || value > record->best;
    return *better ? gw_training_keep(&run->training, run->model->parameters.weight, value, done) : GW_OK;
}

static gw_status judge_weights(gw_finetune_run *run, int64_t done, gw_epoch *epoch) {
    double value;
    if (gw_finetune_of_texts(run)) {
        GW_TRY(gw_finetune_judge_texts(run, &epoch->figures, &value));
        return keep_best(run, value, done, &epoch->better);
    }
    const gw_ensemble one = {&run->predictor, 1};
    GW_TRY(gw_predict_set(&one, run->valid, NULL, run->probabilities));
    GW_TRY(gw_judge(&run->model->config, run->values, run->probabilities, gw_labelled_set_count(run->valid),
                    run->metrics, &epoch->valid));
    return keep_best(run, gw_judgement_value(&epoch->valid, gw_criterion_by_name(run->options->metric)), done,
                     &epoch->better);
}

static gw_status validate(gw_finetune_run *run, int64_t done, gw_epoch *epoch) {
    GW_TRY(gw_average_exchange(&run->training));
    const gw_status status = judge_weights(run, done, epoch);
    return gw_first_failure(status, gw_average_exchange(&run->training));
}

// Epochs since the best one.
static bool patience_is_out(const gw_finetune_run *run, int64_t done) {
    const int64_t best = run->training.record.best_step;
    return run->options->tuning.patience > 0 && done - best >= run->options->tuning.patience * run->epoch_steps;
}

gw_status gw_finetune_end_epoch(gw_finetune_run *run, int64_t done, json_t *row) {
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    gw_epoch epoch = {.number = (double)done / (double)run->epoch_steps,
                      .steps = done,
                      .labels = run->model->config.labels,
                      .validated = gw_finetune_validates(run),
                      .texts = gw_finetune_of_texts(run),
                      .seconds = seconds,
                      .left = seconds * (double)(run->steps - done) / (double)done};
    gw_epoch_baseline beside;
    if (epoch.validated) GW_TRY(validate(run, done, &epoch));
    if (epoch.validated && epoch.texts) gw_text_figures_report(&epoch.figures, "valid", row);
    gw_finetune_report_words(run, row);
    if (run->valid) {
        gw_judgement_report(&epoch.valid, "valid", row);
        GW_TRY(gw_finetune_judge_beside_baseline(run, row, epoch.better));
    }
    close_sums(run, &epoch, row);
    if (gw_finetune_baseline_line(run, &beside)) gw_epoch_table_begin(&run->table, &epoch, &beside);
    gw_epoch_table_add(&run->table, &epoch);
    run->training.record.stop = epoch.validated && done < run->steps && patience_is_out(run, done);
    if (run->training.record.stop)
        gw_note("stopped: no epoch was better on the validation set for %lld epochs (--patience)",
                (long long)run->options->tuning.patience);
    return GW_OK;
}
