// SPDX-License-Identifier: MIT
// What a model says of texts, row by row.
#ifndef GW_LANGUAGE_TEXT_LOGITS_H
#define GW_LANGUAGE_TEXT_LOGITS_H

#include "language/text_batch.h"

// Takes a row's logits, the weight of positives taken off and divided by the model's temperature (label_predictor.h):
// [labels] of a sequence head, [tokens][labels] of a token head, [tokens][2] of a span head, [answers] of multiple
// choice.
typedef gw_status gw_text_row(void *context, int64_t row, const float *logits, int64_t count);

typedef struct gw_text_logits gw_text_logits;
// Batches are of `tokens` at most (memory), at least those of the longest row; 0: the default. Borrows model and set.
gw_status gw_text_logits_new(gw_model *model, const gw_text_set *set, int64_t tokens,
                             gw_text_logits **out) GW_MUST_CHECK;
void gw_text_logits_free(gw_text_logits *logits);
// All rows in their order, with progress of that name, or none (NULL). Outputs that are no finite numbers are an error.
gw_status gw_text_logits_run(gw_text_logits *logits, const char *shown, gw_text_row *take, void *context) GW_MUST_CHECK;

#endif
