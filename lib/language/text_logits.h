// SPDX-License-Identifier: MIT
// Logits of a model for texts, row by row.
#ifndef GW_LANGUAGE_TEXT_LOGITS_H
#define GW_LANGUAGE_TEXT_LOGITS_H

#include "language/text_batch.h"

// Takes the logits of a row, without the weight of positives and divided by the model's temperature
// (label_predictor.h): [labels] of a sequence head, [tokens][labels] of a token head, [tokens][2] of a span head,
// [answers] of a multiple choice.
typedef gw_status gw_text_row(void *context, int64_t row, const float *logits, int64_t count);

typedef struct gw_text_logits gw_text_logits;
// Batches have at most `tokens` tokens (memory), or those of the longest row; 0: the default. Borrows model and set.
gw_status gw_text_logits_new(gw_model *model, const gw_text_set *set, int64_t tokens,
                             gw_text_logits **out) GW_MUST_CHECK;
void gw_text_logits_free(gw_text_logits *logits);
// Runs all rows in order, with a progress display of this name (NULL: none). Outputs that are not finite are an error.
gw_status gw_text_logits_run(gw_text_logits *logits, const char *shown, gw_text_row *take, void *context) GW_MUST_CHECK;

#endif
