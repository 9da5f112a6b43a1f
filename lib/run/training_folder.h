// SPDX-License-Identifier: MIT
// What fine-tuning runs do with the folder of the model that they make.
#ifndef GW_RUN_TRAINING_FOLDER_H
#define GW_RUN_TRAINING_FOLDER_H

#include "base/status.h"

#include <stdbool.h>

// Whether it holds a finished model: one that --resume leaves as it is (with a note), and an error without it.
gw_status gw_training_folder_check(const char *folder, bool resume, bool *finished) GW_MUST_CHECK;
// Copies metrics.jsonl of the checkpoint folder (NULL: nothing to do) into it.
gw_status gw_training_folder_take_metrics(const char *folder, const char *checkpoints) GW_MUST_CHECK;

#endif
