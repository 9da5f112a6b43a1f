// SPDX-License-Identifier: MIT
// Probabilities of windows that differ from another one in a single base, to first order: with E the table of what
// tokens embed as and z a label's logit of the other window,
//   dz = (E[alt] - E[ref]) . dz / dx
// where x is what the base embeds as there: the gradient with respect to the one-hot sequence, times ALT - REF. P =
// s((z - ln w) / T) moves by P (1 - P) dz / T, the mean over the strands, and the logit of that mean by its own
// gradient: what is given as a probability may leave [0, 1]. One forward and one backward pass for each label and
// strand of a window stand for all changes in it.
#ifndef GW_NETWORK_LABEL_GRADIENT_H
#define GW_NETWORK_LABEL_GRADIENT_H

#include "model/model.h"
#include "text/tokenizer.h"

typedef struct gw_label_gradient gw_label_gradient;

// Borrows the model, whose weights may be fixed. Of labels that are there or not by themselves, and of tokens that are
// single bases; all else is an error.
gw_status gw_label_gradient_new(gw_model *model, bool both_strands, gw_label_gradient **out) GW_MUST_CHECK;
void gw_label_gradient_free(gw_label_gradient *gradient); // NULL is fine
// Windows as of gw_label_predictor_run_alike(); those that are like another one differ from it in one token a strand.
gw_status gw_label_gradient_run(gw_label_gradient *gradient, const gw_token_strings *strands, const int64_t *like,
                                float *probabilities, float *logits) GW_MUST_CHECK;

#endif
