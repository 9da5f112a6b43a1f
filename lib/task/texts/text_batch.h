// SPDX-License-Identifier: MIT
// Rows of a set of texts as batches of a network, with the labels that its head reads.
#ifndef GW_TASK_TEXTS_TEXT_BATCH_H
#define GW_TASK_TEXTS_TEXT_BATCH_H

#include "data/text_set.h"
#include "network/network.h"

// Room for as many rows as a batch holds.
typedef struct {
    gw_batch batch;
    const gw_model *model;
    const gw_text_set *set;
    int labelled; // row set that has the labels
    int32_t *label;
    float *number;
    int64_t rows; // in the batch
} gw_text_batch;

// Of at most `tokens` tokens and `sequences` sequences. Borrows model and set. Free it, also on failure.
gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences) GW_MUST_CHECK;
void gw_text_batch_free(gw_text_batch *batch);
void gw_text_batch_clear(gw_text_batch *batch);
// Appends a row; false where it does not fit beside those already there.
bool gw_text_batch_add(gw_text_batch *batch, int64_t row);
// Labels of a row that are not missing.
int64_t gw_text_labels_of(const gw_text_set *set, int64_t row);
// Sets how long texts may be, where it is 0, and checks it.
gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) GW_MUST_CHECK;

#endif
