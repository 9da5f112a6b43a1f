// SPDX-License-Identifier: MIT
// What fine-tuning runs do with the folder of the model that they make: on rank 0 alone, whose word the others take.
#ifndef GW_RUN_TRAINING_FOLDER_H
#define GW_RUN_TRAINING_FOLDER_H

#include "base/json.h"
#include "base/lock.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// What a run that trains writes is its own as long as it lasts.
typedef struct {
    gw_lock output, checkpoints;
} gw_training_locks; // begins as zeros
gw_status gw_training_folders_lock(gw_training_locks *locks, const char *output,
                                   const char *checkpoints) GW_MUST_CHECK; // checkpoints NULL: none
void gw_training_folders_unlock(gw_training_locks *locks);

// Whether it holds a finished model: one that --resume leaves as it is (with a note), and an error without it.
gw_status gw_training_folder_check(const char *folder, bool resume, bool *finished) GW_MUST_CHECK;
// Whether the checkpoints hold the state of a run that was stopped, which is an error to a run that begins anew.
gw_status gw_training_folder_check_state(const char *checkpoints) GW_MUST_CHECK;
// Removes state and metrics, and the folder unless it holds anything else.
void gw_training_folder_remove_state(const char *checkpoints);
// Copies metrics.jsonl of the checkpoint folder (NULL: nothing to do) into it.
gw_status gw_training_folder_take_metrics(const char *folder, const char *checkpoints) GW_MUST_CHECK;

// Metrics of a run as JSON lines, one object a line, each with its "step". Lines can be read while the run goes on.

typedef struct gw_metrics gw_metrics;
// Continues the file at `path` after `step` steps: lines of later steps, left by a run that was cut off, are taken out.
// step 0 starts anew.
gw_status gw_metrics_open(const char *path, int64_t step, gw_metrics **out) GW_MUST_CHECK;
gw_status gw_metrics_add(gw_metrics *metrics, const json_t *row) GW_MUST_CHECK;
gw_status gw_metrics_close(gw_metrics *metrics) GW_MUST_CHECK; // NULL is fine

#endif
