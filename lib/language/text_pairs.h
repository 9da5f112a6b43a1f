// SPDX-License-Identifier: MIT
// Sources with their targets, as tokens and, optionally, as texts.
#ifndef GW_LANGUAGE_TEXT_PAIRS_H
#define GW_LANGUAGE_TEXT_PAIRS_H

#include "data/shuffle.h"
#include "model/model.h"
#include "network/examples.h"

typedef struct {
    const char *source, *target; // columns of the files (file/table.h)
    int64_t most_source;         // tokens, end token included; 0: the model's positions
    int64_t most_target;         // the same for targets
    bool texts;                  // keeps sources and references
} gw_text_pairs_options;

// Tokens are end to end; pair i is start[i] .. start[i + 1] - 1. Each text ends with the end token, even if it was cut.
// A list of source texts is one source with one sentence each. Of a list of targets the first is the target, and all
// are references.
typedef struct {
    int64_t count;
    int32_t *source, *target;
    int64_t *source_start, *target_start; // [count + 1]
    int64_t longest_source, longest_target;
    int64_t cut_sources, cut_targets; // number of texts that were too long
    char **source_text;               // [count] sentences of a list end with newlines
    char **reference;                 // of all pairs
    int64_t *reference_start;         // [count + 1]
    int64_t capacity[4];              // of the arrays
} gw_text_pairs;

// Reads all rows of the files. Files without rows, empty sources and empty targets are errors.
gw_status gw_text_pairs_read(const char *const *files, int file_count, const gw_model *model,
                             const gw_text_pairs_options *options, gw_text_pairs *out) GW_MUST_CHECK;
void gw_text_pairs_free(gw_text_pairs *pairs);

// Pairs as training examples with teacher forcing: each token of a target is predicted from its source and the earlier
// tokens of the target.

// Batches have about `tokens` tokens of sources, with the tokens of their targets. order NULL: one step with all pairs
// in order. Borrows the pairs.
gw_status gw_pair_examples_open(const gw_model *model, const gw_text_pairs *pairs, const gw_epochs *order,
                                int64_t tokens, gw_examples *out) GW_MUST_CHECK;

// Metrics of a model for pairs, without dropout and smoothing, over tokens of targets.
typedef struct {
    double loss;    // mean of -ln p
    double correct; // share of tokens that are the most likely, given the correct earlier tokens
} gw_pair_metrics;
gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens,
                        gw_pair_metrics *out) GW_MUST_CHECK;

#endif
