// SPDX-License-Identifier: MIT
// Choices with several right entries (Clark & Gardner, 2018, section 3.2): the logarithm of the softmax probability of
// all right entries together.
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>

static double value_of(const double *logit, int32_t entry) {
    return entry < 0 ? 0.0 : logit[entry];
}

void ref_choice_loss(int64_t choices, const int64_t *start, const int32_t *entry, const double *number, int64_t logits,
                     const double *logit, double scale, double *loss, double *gradient) {
    for (int64_t i = 0; i < logits; i++) gradient[i] = 0.0;
    for (int64_t c = 0; c < choices; c++) {
        double all = 0.0, right = 0.0, weight = 0.0, top = -HUGE_VAL;
        loss[c] = 0.0;
        for (int64_t i = start[c]; i < start[c + 1]; i++) top = fmax(top, value_of(logit, entry[i]));
        for (int64_t i = start[c]; i < start[c + 1]; i++) {
            all += exp(value_of(logit, entry[i]) - top);
            if (number[i] == 0.0) continue;
            right += exp(value_of(logit, entry[i]) - top);
            weight = number[i];
        }
        if (weight == 0.0) continue;
        loss[c] = -weight * log(right / all);
        for (int64_t i = start[c]; i < start[c + 1]; i++) {
            const double e = exp(value_of(logit, entry[i]) - top);
            if (entry[i] < 0) continue;
            gradient[entry[i]] += scale * weight * (e / all - (number[i] == 0.0 ? 0.0 : e / right));
        }
    }
}
