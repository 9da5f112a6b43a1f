// SPDX-License-Identifier: MIT
// Rows of a text set as batches of a network, with labels for its head and global tokens.
#ifndef GW_LANGUAGE_TEXT_BATCH_H
#define GW_LANGUAGE_TEXT_BATCH_H

#include "base/batch.h"
#include "language/text_set.h"
#include "model/head.h"
#include "network/network.h"
#include "text/tokenizer.h"

// --- global tokens -------------------------------------------------------------------------------------------------

// Global tokens of texts and of question windows, for models that have them (docs/reference/patterns.md). In order: one
// for [CLS], without text; one for each token of a question, which embeds as this token and reads everything; one for
// each candidate, which reads everything and is linked with the tokens of its mentions; one for each paragraph, if the
// format names paragraphs; and one for each sentence. Unless the format gives sentences, a sentence ends with a token
// that ends with . ! or ? (our rule).

// A global token: the tokens [begin, end) of the row that it summarises; begin -1: none.
typedef struct {
    int32_t begin, end, token;
    bool sentence;     // may be joined with its neighbour
    int32_t candidate; // from 0; -1: none
} gw_text_global;

// Zero-initialise, and free.
typedef struct {
    int64_t most;   // of a sequence; 0: no global tokens
    uint8_t *stops; // [vocabulary] ends a sentence
    int32_t classifier, separator;
    gw_text_global *global; // [count] of the current row
    int64_t count, capacity;
    int32_t *mention; // [tokens] bytes of the mention that each token is linked for
    int64_t mention_capacity;
} gw_text_structure;

// For a model with at most `most` global tokens for a sequence.
gw_status gw_text_structure_make(gw_text_structure *structure, int64_t most,
                                 const gw_tokenizer *tokenizer) GW_MUST_CHECK;
void gw_text_structure_free(gw_text_structure *structure);
// Lists the global tokens of a sequence of the set, at most `most` and at most as many as its tokens. part, if not
// NULL: the part of each token: 0 before the context, then the number of a paragraph from 1. link, if not NULL: the
// global token that each token is linked with, -1: none.
gw_status gw_text_structure_list(gw_text_structure *structure, const gw_text_set *set, int64_t sequence, int32_t *part,
                                 int32_t *link) GW_MUST_CHECK;

// --- batches ---------------------------------------------------------------------------------------------------------

// A batch of rows with its capacity.
typedef struct {
    gw_batch batch;
    const gw_model *model;
    const gw_text_set *set;
    int labelled; // row set with the labels
    int32_t *label;
    float *number;
    int64_t rows; // in the batch
    gw_text_structure structure;
} gw_text_batch;

// Most global tokens in batches of this number of tokens, if `together` sequences must fit together; 0: the model has
// none.
int64_t gw_text_most_globals(const gw_model *model, int64_t tokens, int64_t together);
// A batch of at most `tokens` tokens and `sequences` sequences; `together` sequences must fit together. Borrows model
// and set. Free the batch, also after a failure.
gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences, int64_t together) GW_MUST_CHECK;
void gw_text_batch_free(gw_text_batch *batch);
// Whether `tokens` tokens of `sequences` sequences fit into the batch.
bool gw_text_batch_fits(const gw_text_batch *batch, int64_t tokens, int64_t sequences);
// Appends a row. If it does not fit, *full is set.
gw_status gw_text_batch_add(gw_text_batch *batch, int64_t row, bool *full) GW_MUST_CHECK;
// Sets a second column for a head that reads texts as separate sequences: text2 by default.
void gw_texts_match(const gw_head_row *head, gw_text_options *texts);
// Sets the longest text if it is 0, and checks it.
gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) GW_MUST_CHECK;

#endif
