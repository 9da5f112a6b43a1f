// SPDX-License-Identifier: MIT
// Fine-tuning: a pretrained model, or a fresh one, trained for a task on a labelled set.
#ifndef GW_TASK_FINETUNE_H
#define GW_TASK_FINETUNE_H

#include "task/finetune_options.h"

// With validation sets the weights of the best epoch are kept, by means over targets (that are not constant there)
// after each epoch and at the end. An existing model in `output` is an error, or left as it is
// where `resume` is set.
gw_status gw_finetune(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
