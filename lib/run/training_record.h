// SPDX-License-Identifier: MIT
// What a training run knows beside its weights, and what is saved of it with the state.
#ifndef GW_RUN_TRAINING_RECORD_H
#define GW_RUN_TRAINING_RECORD_H

#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// The best epoch's metrics on those labels that a baseline is rated on.
typedef struct {
    bool known;
    double auroc, auprc, f1, value, error; // by the criterion; standard error of the difference of both AUROCs, 0: none
} gw_beside_baseline;

// Begins as zeros.
typedef struct {
    int64_t total_tokens; // computed by this process and those that it goes on from
    double seconds;       // that they trained
    bool stop;            // the steps that are done are all
    double best;          // metric of the best validation
    int64_t best_step;    // steps that its weights had; 0: there was none
    double epoch_loss, epoch_chance,
        epoch_steps; // sums over the steps of an epoch that has not ended, and their number
    gw_beside_baseline beside;
    json_t *unfinished; // owned: the row of metrics of the last step, whose validation was interrupted; or NULL
} gw_training_record;

bool gw_training_has_best(const gw_training_record *record);               // a metric that is a number
json_t *gw_training_record_json(const gw_training_record *record);         // NULL with a message
void gw_training_record_read(const json_t *json, gw_training_record *out); // what it lacks is 0
void gw_training_record_free(gw_training_record *record);

#endif
