// SPDX-License-Identifier: MIT
// Answers as spans (Devlin et al., 2019, section 4.2): a softmax over a sequence's tokens for the first token of the
// answer, another for the last. The logits of the question's tokens, except the first of all, are lowered before (Big
// Bird's released code).
#include "reference/ref.h"

#include <stdlib.h>

void ref_question_mask(int64_t sequences, int64_t width, const int64_t *start, const int32_t *question, double *logit) {
    for (int64_t s = 0; s < sequences; s++)
        for (int64_t token = 1; token < question[s]; token++)
            for (int64_t j = 0; j < width; j++) logit[(start[s] + token) * width + j] -= 1e6;
}

void ref_span_loss(int64_t sequences, const int64_t *start, const double *logit, const int32_t *label, double scale,
                   double *loss, int32_t *best, double *gradient) {
    for (int64_t i = 0; i < 2 * sequences; i++) {
        const int64_t begin = start[i / 2], tokens = start[i / 2 + 1] - begin, end = i % 2;
        double *column = malloc((size_t)tokens * sizeof *column), *slope = malloc((size_t)tokens * sizeof *slope);
        for (int64_t token = 0; token < tokens; token++) column[token] = logit[2 * (begin + token) + end];
        ref_cross_entropy(1, tokens, column, &label[i], 0, scale, &loss[i], &best[i], slope);
        for (int64_t token = 0; token < tokens; token++) gradient[2 * (begin + token) + end] = slope[token];
        free(column);
        free(slope);
    }
}
