// SPDX-License-Identifier: MIT
// The choice of tokens for one target, from the logits that a decoder gives: greedy, beam search by two rules, or
// sampling. It knows no model.
//
// Both rules of beam search keep the M best unfinished targets by the sum of log p, take the 2 M best continuations a
// step, and keep the M best finished targets by a score that the length n divides; n counts the end token, not the
// start.
//   hf      sum / n^a, as transformers' generate(): a continuation that ends counts only among the M best, and the
//           search ends when no unfinished target, were it to end now, could beat the worst of M finished ones
//   google  sum / ((5 + n) / 6)^a (Wu et al., 2016, equation 14), as google-research/bigbird: all steps are made, and a
//           target that never ends counts only where none has ended
#ifndef GW_LANGUAGE_BEAM_SEARCH_H
#define GW_LANGUAGE_BEAM_SEARCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_BEAM_HF, GW_BEAM_GOOGLE } gw_beam_rule;

typedef struct {
    gw_beam_rule rule;
    int64_t beams; // M; 1: greedy, or sampling where `sample` is set
    double length_penalty;
    int64_t max_length;        // tokens of a target, the start and the end counted
    int64_t min_length;        // the end is not taken before so many
    int64_t no_repeat_ngram;   // no sequence of so many tokens occurs twice in a target, the start counted; 0: any may
    int32_t start, end;        // tokens
    int32_t forced_end;        // the last of max_length tokens; -1: any may stand there
    bool sample;               // draws each token, from what is left of
    double temperature, top_p; // softmax(logits / temperature) of the likeliest tokens that together have top_p
    uint64_t seed, number;     // of the draws, and which target it is
} gw_beam_options;

// An unfinished target's last token, and which of the targets before it goes on with (-1: none).
typedef struct {
    int32_t parent, token;
} gw_beam_row;

typedef struct gw_beam_search gw_beam_search;
gw_status gw_beam_search_new(const gw_beam_options *options, gw_beam_search **out) GW_MUST_CHECK;
void gw_beam_search_free(gw_beam_search *search);
// Begins anew, as target `number`.
void gw_beam_search_begin(gw_beam_search *search, uint64_t number);
// Targets that need their next token, best first; 0: the search has ended.
int64_t gw_beam_search_rows(const gw_beam_search *search, const gw_beam_row **rows);
// Takes the logits [rows][vocabulary] of what follows each of them. NaN is an error.
gw_status gw_beam_search_step(gw_beam_search *search, const float *logits, int64_t vocabulary) GW_MUST_CHECK;
// The best target without start and end, and its score; of a search that has ended.
int64_t gw_beam_search_best(const gw_beam_search *search, const int32_t **tokens, double *score);

#endif
