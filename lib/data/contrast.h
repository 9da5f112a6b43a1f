// SPDX-License-Identifier: MIT
// Sentences whose encoding is to be predicted (the contrastive loss of ETC; Ainslie et al., 2020, section 3.3). Some
// sentences of an example are masked whole, all but their global tokens, and each stands in a sequence of its own too,
// where its global token sees it alone: that is what the masked one's state is held to.
//
// Ours, where the paper is silent: 15 % of an example's sentences, rounded, of those with seven or more; a sentence of
// its own stands in [CLS] ... [SEP]; a masked one's global token embeds as the mask.
#ifndef GW_DATA_CONTRAST_H
#define GW_DATA_CONTRAST_H

#include "data/batch.h"

enum { GW_CONTRAST_SENTENCES = 7 }; // least of a document

// What is drawn of one example. Zero-initialise; gw_contrast_free() it.
typedef struct {
    gw_rows globals; // of the example
    int64_t *chosen; // [count] of these, ascending
    int64_t count;
    int32_t *tokens; // [most] of the example, before they are masked
    int64_t most;
} gw_contrast;

// For examples of up to so many tokens, special ones included.
gw_status gw_contrast_make(gw_contrast *contrast, const gw_example_format *format, int64_t most) GW_MUST_CHECK;
void gw_contrast_free(gw_contrast *contrast);
// Most sentences that are masked of an example.
int64_t gw_contrast_most(const gw_example_format *format);
// Draws a pair's sentences; *size, that of the pair, grows by what they need.
void gw_contrast_draw(gw_contrast *contrast, const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                      gw_random *random, gw_example_size *size);
// Masks them in the last sequence of the batch, which is the pair.
void gw_contrast_mask(gw_contrast *contrast, const gw_example_format *format, gw_batch *batch, int32_t mask);
// Appends a sequence for each, after which there are as many encoded rows as predicted ones.
void gw_contrast_append(const gw_contrast *contrast, const gw_example_format *format, gw_batch *batch);

#endif
