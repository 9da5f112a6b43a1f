// SPDX-License-Identifier: MIT
// The choice of tokens for one target from a decoder's logits: greedy, beam search by two rules, or sampling. It is
// independent of the model.
//
// Both rules of beam search keep the M best unfinished targets by the sum of log p, consider the 2 M best continuations
// in each step, and keep the M best finished targets by a score. The score divides the sum by a function of the length
// n. n includes the end token, but not the start.
//   hf      sum / n^a, as transformers' generate(): a continuation that ends counts only if it is among the M best. The
//           search ends when no unfinished target could beat the worst of M finished ones by ending now
//   google  sum / ((5 + n) / 6)^a (Wu et al., 2016, equation 14), as google-research/bigbird: all steps are made. A
//           target that never ends counts only if no target has ended
#ifndef GW_LANGUAGE_BEAM_SEARCH_H
#define GW_LANGUAGE_BEAM_SEARCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_BEAM_HF, GW_BEAM_GOOGLE } gw_beam_rule;

typedef struct {
    gw_beam_rule rule;
    int64_t beams; // M; 1: greedy, or sampling with `sample`
    double length_penalty;
    int64_t max_length;        // tokens of a target, start and end included
    int64_t min_length;        // the end is not allowed before this number of tokens
    int64_t no_repeat_ngram;   // no sequence of this number of tokens occurs twice in a target, start included; 0: no
                               // limit
    int32_t start, end;        // tokens
    int32_t forced_end;        // the last of max_length tokens; -1: any token
    bool sample;               // draws each token from
    double temperature, top_p; // softmax(logits / temperature) of the likeliest tokens that together have top_p
    uint64_t seed, number;     // of the draws; number of the target
} gw_beam_options;

// The last token of an unfinished target, and the index of its predecessor in the last step (-1: none).
typedef struct {
    int32_t parent, token;
} gw_beam_row;

typedef struct gw_beam_search gw_beam_search;
gw_status gw_beam_search_new(const gw_beam_options *options, gw_beam_search **out) GW_MUST_CHECK;
void gw_beam_search_free(gw_beam_search *search);
// Starts again, for target `number`.
void gw_beam_search_begin(gw_beam_search *search, uint64_t number);
// The targets that need a next token, best first; 0: the search has ended.
int64_t gw_beam_search_rows(const gw_beam_search *search, const gw_beam_row **rows);
// Takes the logits [rows][vocabulary] for the next token of each. NaN is an error.
gw_status gw_beam_search_step(gw_beam_search *search, const float *logits, int64_t vocabulary) GW_MUST_CHECK;
// The best target, without start and end, and its score, after the search has ended.
int64_t gw_beam_search_best(const gw_beam_search *search, const int32_t **tokens, double *score);

#endif
