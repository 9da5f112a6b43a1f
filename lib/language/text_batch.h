// SPDX-License-Identifier: MIT
// Rows of a set of texts as batches of a network, with the labels that its head reads.
#ifndef GW_LANGUAGE_TEXT_BATCH_H
#define GW_LANGUAGE_TEXT_BATCH_H

#include "language/text_set.h"
#include "language/text_structure.h"
#include "model/head.h"
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
    gw_text_structure structure;
} gw_text_batch;

// Room for global tokens in batches of so many tokens, where so many sequences must fit together; 0: the model has
// none.
int64_t gw_text_most_globals(const gw_model *model, int64_t tokens, int64_t together);
// Of at most `tokens` tokens and `sequences` sequences, of which `together` must fit together. Borrows model and set.
// Free it, also on failure.
gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences, int64_t together) GW_MUST_CHECK;
void gw_text_batch_free(gw_text_batch *batch);
void gw_text_batch_clear(gw_text_batch *batch);
// Whether so many tokens of so many sequences fit beside those already there.
bool gw_text_batch_fits(const gw_text_batch *batch, int64_t tokens, int64_t sequences);
// Appends a row, unless it does not fit: *full.
gw_status gw_text_batch_add(gw_text_batch *batch, int64_t row, bool *full) GW_MUST_CHECK;
// Labels of a row that are not missing.
int64_t gw_text_labels_of(const gw_text_set *set, int64_t row);
// What a head that reads texts apart asks of a table: a second column, text2 where none is named.
void gw_texts_match(const gw_head_row *head, gw_text_options *texts);
// Sets how long texts may be, where it is 0, and checks it.
gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) GW_MUST_CHECK;

#endif
