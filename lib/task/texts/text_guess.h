// SPDX-License-Identifier: MIT
// What knowing nothing of texts but how frequent their labels are is worth.
#ifndef GW_TASK_TEXTS_TEXT_GUESS_H
#define GW_TASK_TEXTS_TEXT_GUESS_H

#include "data/text_set.h"

typedef struct {
    float *logits; // [classes] of each class (of many: its odds) by its share of the labels; of numbers their means;
                   // none of spans
    double loss;   // of these on the same labels: entropies, or variances
} gw_text_guess;

gw_status gw_text_guess_make(const gw_text_set *set, gw_text_guess *out) GW_MUST_CHECK;
void gw_text_guess_free(gw_text_guess *guess);

#endif
