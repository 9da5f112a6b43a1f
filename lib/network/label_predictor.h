// SPDX-License-Identifier: MIT
// Windows of bases -> probabilities, or numbers, of a fine-tuned model.
//
// Training weighs positives by w, which shifts the logits by ln w; that is taken off here, and what is left divided by
// the model's temperature T (1 where none was fitted): z' = (z - ln w) / T. With both strands, P = (s(z'+) + s(z'-)) /
// 2 and 1 - P likewise, s the logistic function, + and - the strands. The logit given is ln(P / (1 - P)). Of a model
// whose labels exclude each other (single_label_classification) s is the softmax over z / T of them, and no weight is
// taken off. Labels that are numbers take the place of probabilities in their unit (model/numbers.h), means over the
// strands, and the logits given are the network's: deviations from the mean, or logarithms. P is clipped to [1e-7, 1 -
// 1e-7], computed in double, so that it stays exact near 0 and 1. Each window runs at its own number of tokens, without
// padding: results do not depend on its company in a batch.
#ifndef GW_NETWORK_LABEL_PREDICTOR_H
#define GW_NETWORK_LABEL_PREDICTOR_H

#include "base/status.h"
#include "model/model.h"
#include "network/network.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

// Those that windows are read on: as the model's task has it, as given, or both, whose probabilities are averaged.
typedef enum { GW_STRANDS_BY_TASK, GW_STRANDS_ONE, GW_STRANDS_BOTH } gw_strands;

// The strands that a model's probabilities are averaged over by default: a profile has no direction, so both; a
// promoter window comes on the strand of its TSS, so that one; numbers as they were learned.
bool gw_both_strands_by_default(const gw_model *model);

typedef struct {
    int64_t tokens;    // most tokens a batch holds (memory); at least the model's positions are taken. 0: the default
    bool both_strands; // average over the window and its reverse complement
    int64_t share;     // bytes for what windows have in common (network/partial.h); 0: all are run whole
} gw_label_predictor_options;

typedef struct gw_label_predictor gw_label_predictor;

// Borrows the model. A model without a classifier head is an error.
gw_status gw_label_predictor_new(gw_model *model, const gw_label_predictor_options *options,
                                 gw_label_predictor **out) GW_MUST_CHECK;
void gw_label_predictor_free(gw_label_predictor *predictor);
int64_t gw_label_predictor_labels(const gw_label_predictor *predictor);
const gw_network *gw_label_predictor_network(const gw_label_predictor *predictor);

// bases[i] is a window of lengths[i] bases, in any case and with any IUPAC letter. Fills probabilities [count][labels]
// and, where not NULL, logits [count][labels]. A window that makes more tokens than the positions hold, and an output
// that is not a finite number, are errors. The messages name the window by its index in the call.
gw_status gw_label_predictor_run(gw_label_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                 int64_t count, float *probabilities, float *logits) GW_MUST_CHECK;

// The same in two steps, for a caller that decides in between: appends the tokens of each strand of a window, *fits
// says whether all of them fit the positions; and runs windows of which all strands were appended.
gw_status gw_label_predictor_encode(gw_label_predictor *predictor, const char *bases, int64_t length,
                                    gw_token_strings *strands, bool *fits) GW_MUST_CHECK;
gw_status gw_label_predictor_run_tokens(gw_label_predictor *predictor, const gw_token_strings *strands,
                                        float *probabilities, float *logits) GW_MUST_CHECK;
// The same of windows of which some differ from another one in few places: like[w] is that one's index, or w.
gw_status gw_label_predictor_run_alike(gw_label_predictor *predictor, const gw_token_strings *strands,
                                       const int64_t *like, float *probabilities, float *logits) GW_MUST_CHECK;

// Of the last run that succeeded: the network's own logits [count][strands][labels], with ln w and undivided.
const float *gw_label_predictor_outputs(const gw_label_predictor *predictor);
int gw_label_predictor_strands(const gw_label_predictor *predictor);

// Refuses, before any work, windows of this many bases where they cannot be expected to fit the model's positions.
gw_status gw_check_window(const gw_model *model, int64_t window) GW_MUST_CHECK;

// Probabilities of windows that differ from another one in a single base, to first order: with E the table of what
// tokens embed as and z a label's logit of the other window,
//   dz = (E[alt] - E[ref]) . dz / dx
// where x is what the base embeds as there: the gradient with respect to the one-hot sequence, times ALT - REF. P =
// s((z - ln w) / T) moves by P (1 - P) dz / T, the mean over the strands, and the logit of that mean by its own
// gradient: what is given as a probability may leave [0, 1]. One forward and one backward pass for each label and
// strand of a window stand for all changes in it.

typedef struct gw_label_gradient gw_label_gradient;

// Borrows the model, whose weights may be fixed. Of labels that are there or not by themselves, and of tokens that are
// single bases; all else is an error.
gw_status gw_label_gradient_new(gw_model *model, bool both_strands, gw_label_gradient **out) GW_MUST_CHECK;
void gw_label_gradient_free(gw_label_gradient *gradient); // NULL is fine
// Windows as of gw_label_predictor_run_alike(); those that are like another one differ from it in one token a strand.
gw_status gw_label_gradient_run(gw_label_gradient *gradient, const gw_token_strings *strands, const int64_t *like,
                                float *probabilities, float *logits) GW_MUST_CHECK;

#endif
