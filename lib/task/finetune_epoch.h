// SPDX-License-Identifier: MIT
// What a fine-tuning run does at the end of a step and of an epoch. Private to lib/task/finetune.c.
#ifndef GW_TASK_FINETUNE_EPOCH_H
#define GW_TASK_FINETUNE_EPOCH_H

#include "task/kind.h"

// Adds step `step` to its epoch; warns where nothing is learnt.
void gw_finetune_count_step(gw_finetune_run *run, int64_t step, double loss);
// The end of an epoch, or of the run where that is earlier: validates, keeps the best weights, adds to `row`, and stops
// a run whose patience is out.
gw_status gw_finetune_end_epoch(gw_finetune_run *run, int64_t done, json_t *row) GW_MUST_CHECK;

#endif
