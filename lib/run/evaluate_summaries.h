// SPDX-License-Identifier: MIT
// How good the texts are that a model writes about texts: ROUGE, beside the first sentences of each source.
#ifndef GW_RUN_EVALUATE_SUMMARIES_H
#define GW_RUN_EVALUATE_SUMMARIES_H

#include "run/generate.h"
#include "run/text_pairs.h"

typedef struct {
    const char *const *files;
    int file_count;
    gw_text_pairs_options pairs; // `texts` is set
    gw_generate_options generate;
    int64_t lead;       // sentences of the source that stand beside the model; 0: none do
    int64_t samples;    // of bootstrap intervals
    uint64_t seed;      // of these
    const char *output; // what was written, a line each; NULL: nowhere
} gw_eval_summaries_options;

// Prints a table: predictor, metric, pairs, value, low, high, precision, recall. Metrics are loss (nats a token, those
// before it known), next_token (share that the model finds likeliest), exact (share of targets written token for token)
// and the ROUGE kinds (F1 and its interval).
gw_status gw_eval_summaries(gw_model *model, const gw_eval_summaries_options *options) GW_MUST_CHECK;

#endif
