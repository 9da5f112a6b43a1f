// SPDX-License-Identifier: MIT
// Validates, keeps the best weights, and stops a run whose validation no longer gets better.
#include "task/finetune_epoch.h"

#include "base/log.h"

void gw_finetune_count_step(gw_finetune_run *run, int64_t step, double loss) {
    gw_training_record *record = &run->training.record;
    const double chance = run->kind->chance ? run->kind->chance(run, step) : 0;
    record->epoch_loss += loss;
    record->epoch_chance += chance;
    record->epoch_steps++;
    if (!run->kind->chance || !gw_chance_stays(&run->chance, loss, chance)) return;
    gw_warn("after %lld steps the training loss is still %.4f, and knowing nothing but how frequent each label is has "
            "%.4f: nothing is learnt so far; try another --lr, a longer --warmup, a pretrained model, more epochs, or "
            "less --dropout",
            (long long)step + 1, run->chance.loss, run->chance.guess);
}

// The means of the epoch's steps; the next one begins.
static void close_sums(gw_finetune_run *run, gw_epoch *epoch, json_t *row) {
    gw_training_record *record = &run->training.record;
    epoch->train_loss = record->epoch_loss / record->epoch_steps;
    json_object_set_new(row, "train_loss", json_real(epoch->train_loss));
    if (run->kind->chance)
        json_object_set_new(row, "chance_loss", json_real(record->epoch_chance / record->epoch_steps));
    record->epoch_loss = record->epoch_chance = record->epoch_steps = 0;
}

static gw_status keep_best(gw_finetune_run *run, double value, int64_t done, bool *better) {
    const gw_training_record *record = &run->training.record;
    *better =
        !gw_training_has_best(record) || (run->kind->less_is_better ? value < record->best : value > record->best);
    return *better ? gw_training_keep(&run->training, run->model->parameters.weight, value, done) : GW_OK;
}

static gw_status rate(gw_finetune_run *run, int64_t done, gw_epoch *epoch, json_t *row) {
    double value;
    GW_TRY(run->kind->validate(run, epoch, row, &value));
    return keep_best(run, value, done, &epoch->better);
}

// Of the average of the weights, where there is one.
static gw_status validate(gw_finetune_run *run, int64_t done, gw_epoch *epoch, json_t *row) {
    GW_TRY(gw_average_exchange(&run->training));
    const gw_status status = rate(run, done, epoch, row);
    GW_TRY(gw_first_failure(status, gw_average_exchange(&run->training)));
    return run->kind->beside_baseline ? run->kind->beside_baseline(run, row, epoch->better) : GW_OK;
}

// Epochs since the best one.
static bool patience_is_out(const gw_finetune_run *run, int64_t done) {
    const int64_t best = run->training.record.best_step, patience = run->options->tuning.patience;
    return patience > 0 && done - best >= patience * run->epoch_steps;
}

gw_status gw_finetune_end_epoch(gw_finetune_run *run, int64_t done, json_t *row) {
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    gw_epoch epoch = {.number = (double)done / (double)run->epoch_steps,
                      .steps = done,
                      .validated = run->kind->validates(run),
                      .seconds = seconds,
                      .left = seconds * (double)(run->steps - done) / (double)done};
    gw_epoch_baseline beside = {0};
    if (epoch.validated) GW_TRY(validate(run, done, &epoch, row));
    close_sums(run, &epoch, row);
    if (run->kind->baseline_line && run->kind->baseline_line(run, &beside))
        gw_epoch_table_begin(&run->table, &epoch, &beside);
    gw_epoch_table_add(&run->table, &epoch);
    run->training.record.stop = epoch.validated && done < run->steps && patience_is_out(run, done);
    if (run->training.record.stop)
        gw_note("stopped: no epoch was better on the validation set for %lld epochs (--patience)",
                (long long)run->options->tuning.patience);
    return GW_OK;
}
