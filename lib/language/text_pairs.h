// SPDX-License-Identifier: MIT
// Sources with their targets, as tokens and, on request, as texts.
#ifndef GW_LANGUAGE_TEXT_PAIRS_H
#define GW_LANGUAGE_TEXT_PAIRS_H

#include "data/shuffle.h"
#include "model/model.h"
#include "network/examples.h"

typedef struct {
    const char *source, *target; // columns of the files (file/table.h)
    int64_t most_source;         // tokens, the end token counted; 0: as many as the model has positions
    int64_t most_target;         // likewise
    bool texts;                  // sources and references are kept
} gw_text_pairs_options;

// Tokens lie end to end, pair i from start[i] to before start[i + 1]; each ends with the end token, also where it was
// cut. A list of texts is one source, a sentence each; of a list of targets the first is the target, and all are
// references.
typedef struct {
    int64_t count;
    int32_t *source, *target;
    int64_t *source_start, *target_start; // [count + 1]
    int64_t longest_source, longest_target;
    int64_t cut_sources, cut_targets; // how many were too long
    char **source_text;               // [count] sentences of a list end with newlines
    char **reference;                 // of all pairs
    int64_t *reference_start;         // [count + 1]
    int64_t capacity[4];              // of the arrays
} gw_text_pairs;

// Every row of the files. Files without rows, empty sources and empty targets are errors.
gw_status gw_text_pairs_read(const char *const *files, int file_count, const gw_model *model,
                             const gw_text_pairs_options *options, gw_text_pairs *out) GW_MUST_CHECK;
void gw_text_pairs_free(gw_text_pairs *pairs);

// Pairs of sources and targets as examples of teacher forcing: each token of a target is predicted from its source and
// the tokens before it.

// Batches of about `tokens` tokens of sources, and as many of targets as go with them. order NULL: one step of all
// pairs as they stand. Borrows the pairs.
gw_status gw_pair_examples_open(const gw_model *model, const gw_text_pairs *pairs, const gw_epochs *order,
                                int64_t tokens, gw_examples *out) GW_MUST_CHECK;

// What a model makes of pairs without dropout and smoothing: over tokens of targets.
typedef struct {
    double loss;    // mean of -ln p
    double correct; // share of tokens that are the likeliest where those before them are known
} gw_pair_metrics;
gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens,
                        gw_pair_metrics *out) GW_MUST_CHECK;

#endif
