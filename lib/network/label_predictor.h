// SPDX-License-Identifier: MIT
// Probabilities of labels, or numbers, for windows of bases, from a fine-tuned model.
//
// Training weighs positives by w, which shifts logits by ln w. The predictor removes this shift and divides by the
// model's temperature T (1 if none was fitted): z' = (z - ln w) / T. With s the logistic function and both strands +
// and -, P = (s(z'+) + s(z'-)) / 2, and 1 - P likewise. The returned logit is ln(P / (1 - P)). P is clipped to [1e-7, 1
// - 1e-7], and computed in double precision to be exact near 0 and 1. If labels exclude each other
// (single_label_classification), s is the softmax over z / T, without a weight.
//
// If labels are numbers, the predictor returns numbers in their unit (model/numbers.h), averaged over the strands, in
// place of probabilities. Logits are then the outputs of the network: deviations from the mean, or logarithms.
//
// Each window runs at its own number of tokens, without padding. A result does not depend on the other windows of its
// batch.
#ifndef GW_NETWORK_LABEL_PREDICTOR_H
#define GW_NETWORK_LABEL_PREDICTOR_H

#include "base/status.h"
#include "model/model.h"
#include "network/network.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

// Strands on which windows are read: the default of the task, the given strand, or the average over both.
typedef enum { GW_STRANDS_BY_TASK, GW_STRANDS_ONE, GW_STRANDS_BOTH } gw_strands;

// Whether the model's task averages over both strands by default. A profile has no direction: both. A promoter window
// is on the strand of its TSS: one. Numbers: as in training.
bool gw_both_strands_by_default(const gw_model *model);

typedef struct {
    int64_t tokens;    // most tokens of a batch (memory), raised to the model's positions if lower; 0: the default
    bool both_strands; // average over the window and its reverse complement
    int64_t share;     // bytes for values that windows share (network/partial.h); 0: all windows are computed whole
} gw_label_predictor_options;

typedef struct gw_label_predictor gw_label_predictor;

// Borrows the model. A model without a classifier head is an error.
gw_status gw_label_predictor_new(gw_model *model, const gw_label_predictor_options *options,
                                 gw_label_predictor **out) GW_MUST_CHECK;
void gw_label_predictor_free(gw_label_predictor *predictor);
int64_t gw_label_predictor_labels(const gw_label_predictor *predictor);
const gw_network *gw_label_predictor_network(const gw_label_predictor *predictor);

// bases[i] is a window of lengths[i] bases, in any case and with any IUPAC letter. Fills probabilities [count][labels]
// and, unless NULL, logits [count][labels]. A window with more tokens than positions and an output that is not finite
// are errors. Messages name the window by its index in the call, from 0.
gw_status gw_label_predictor_run(gw_label_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                 int64_t count, float *probabilities, float *logits) GW_MUST_CHECK;

// The same in two steps. encode: appends the tokens of each strand of a window; *fits says whether they fit the
// positions. run_tokens: runs windows with all strands appended.
gw_status gw_label_predictor_encode(gw_label_predictor *predictor, const char *bases, int64_t length,
                                    gw_token_strings *strands, bool *fits) GW_MUST_CHECK;
gw_status gw_label_predictor_run_tokens(gw_label_predictor *predictor, const gw_token_strings *strands,
                                        float *probabilities, float *logits) GW_MUST_CHECK;
// The same for windows that differ from another window in few places: like[w] is the index of the other window, or w.
gw_status gw_label_predictor_run_alike(gw_label_predictor *predictor, const gw_token_strings *strands,
                                       const int64_t *like, float *probabilities, float *logits) GW_MUST_CHECK;

// The raw logits of the last successful run, [count][strands][labels]: ln w not removed, not divided by T.
const float *gw_label_predictor_outputs(const gw_label_predictor *predictor);
int gw_label_predictor_strands(const gw_label_predictor *predictor);

// Fails if windows of this number of bases are unlikely to fit the model's positions. Called before any work.
gw_status gw_check_window(const gw_model *model, int64_t window) GW_MUST_CHECK;

// First-order estimates for windows that differ from another window in a single base. E is the embedding table, z a
// label's logit for the other window, and x the embedding of the base:
//
//   dz = (E[alt] - E[ref]) . dz / dx
//
// This is the gradient with respect to the one-hot sequence, times ALT - REF. P = s((z - ln w) / T) changes by P (1 -
// P) dz / T, averaged over the strands. The logit of the mean changes by its own gradient. An estimated probability may
// lie outside [0, 1]. One forward and one backward pass for each label and strand of a window serve all changes in the
// window.

typedef struct gw_label_gradient gw_label_gradient;

// Borrows the model, which may have fixed weights. Labels must be independent of each other, and tokens must be single
// bases; otherwise it fails.
gw_status gw_label_gradient_new(gw_model *model, bool both_strands, gw_label_gradient **out) GW_MUST_CHECK;
void gw_label_gradient_free(gw_label_gradient *gradient); // NULL is fine
// Windows as in gw_label_predictor_run_alike(). A window that is like another one differs from it in one token per
// strand.
gw_status gw_label_gradient_run(gw_label_gradient *gradient, const gw_token_strings *strands, const int64_t *like,
                                float *probabilities, float *logits) GW_MUST_CHECK;

#endif
