// SPDX-License-Identifier: MIT
// The output folder of a fine-tuning run. Rank 0 checks it, and other ranks take its result.
#ifndef GW_RUN_TRAINING_FOLDER_H
#define GW_RUN_TRAINING_FOLDER_H

#include "base/json.h"
#include "base/lock.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Locks of the folders that a training run writes, for its duration.
typedef struct {
    gw_lock output, checkpoints;
} gw_training_locks; // begins as zeros
gw_status gw_training_folders_lock(gw_training_locks *locks, const char *output,
                                   const char *checkpoints) GW_MUST_CHECK; // checkpoints NULL: none
void gw_training_folders_unlock(gw_training_locks *locks);

// Whether the folder holds a finished model. With --resume a finished model stays as it is (with a note); otherwise it
// is an error.
gw_status gw_training_folder_check(const char *folder, bool resume, bool *finished) GW_MUST_CHECK;
// Fails if the checkpoints hold the state of a stopped run, for a run that begins anew.
gw_status gw_training_folder_check_state(const char *checkpoints) GW_MUST_CHECK;
// Removes state and metrics, and the folder if it is then empty.
void gw_training_folder_remove_state(const char *checkpoints);
// Copies metrics.jsonl from the checkpoint folder (NULL: nothing to do) to `folder`.
gw_status gw_training_folder_take_metrics(const char *folder, const char *checkpoints) GW_MUST_CHECK;

// Metrics of a run as JSON lines, one object a line, each with its "step". The lines can be read during the run.

typedef struct gw_metrics gw_metrics;
// Continues the file at `path` after `step` steps. Lines of later steps, left by an interrupted run, are removed. Step
// 0 starts a new file.
gw_status gw_metrics_open(const char *path, int64_t step, gw_metrics **out) GW_MUST_CHECK;
gw_status gw_metrics_add(gw_metrics *metrics, const json_t *row) GW_MUST_CHECK;
gw_status gw_metrics_close(gw_metrics *metrics) GW_MUST_CHECK; // NULL is fine

#endif
