// SPDX-License-Identifier: MIT
// Fine-tuning of a model that writes texts about texts, on pairs of sources and targets (teacher forcing).
#ifndef GW_TASK_PAIRS_SUMMARIZE_H
#define GW_TASK_PAIRS_SUMMARIZE_H

#include "task/finetune.h"

// Of a model with a decoder, or of an encoder that gets one; sets are files of pairs.
// With validation the weights of the epoch with the lowest loss (without smoothing) are kept. The folder's
// generation_config.json says what begins and ends a target, and how long the longest of training may be. An existing
// model in `output` is an error, or left as it is where `resume` is set.
gw_status gw_summarize(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
