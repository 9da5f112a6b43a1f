// SPDX-License-Identifier: MIT
// How good the texts are that a model writes about texts: ROUGE, beside the first sentences of each source.
#ifndef GW_TASK_PAIRS_EVALUATE_SUMMARIES_H
#define GW_TASK_PAIRS_EVALUATE_SUMMARIES_H

#include "task/evaluate.h"

// Prints a table: predictor, metric, pairs, value, low, high, precision, recall. Metrics are loss (nats a token, those
// before it known), next_token (share that the model finds likeliest), exact (share of targets written token for token)
// and the ROUGE kinds (F1 and its interval).
gw_status gw_eval_summaries(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
