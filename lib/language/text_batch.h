// SPDX-License-Identifier: MIT
// Rows of a set of texts as batches of a network, with the labels that its head reads and their global tokens.
#ifndef GW_LANGUAGE_TEXT_BATCH_H
#define GW_LANGUAGE_TEXT_BATCH_H

#include "base/batch.h"
#include "language/text_set.h"
#include "model/head.h"
#include "network/network.h"
#include "text/tokenizer.h"

// --- global tokens -------------------------------------------------------------------------------------------------

// The structure of texts and of windows of questions, for models with global tokens (docs/reference/patterns.md). In
// order: one for [CLS], of no part of the text; one for each token of a question, which embeds as that token and reads
// everything; one for each candidate, which reads everything, and which its tokens are linked with wherever it is
// mentioned; one for each paragraph, where a format names paragraphs; and one for each sentence. Ours: a sentence ends
// with a token that ends with . ! or ?, unless the format tells sentences.

// A global token: the tokens of the row that it stands for, [begin, end), begin -1: none.
typedef struct {
    int32_t begin, end, token;
    bool sentence;     // which may be joined to its neighbour
    int32_t candidate; // from 0; -1: of none
} gw_text_global;

// Zero-initialise, and free.
typedef struct {
    int64_t most;   // of a sequence; 0: the model has none
    uint8_t *stops; // [vocabulary] ends a sentence
    int32_t classifier, separator;
    gw_text_global *global; // [count] of the row at hand
    int64_t count, capacity;
    int32_t *mention; // [tokens] bytes of the mention that each is linked for
    int64_t mention_capacity;
} gw_text_structure;

// Of a model with at most so many global tokens for a sequence.
gw_status gw_text_structure_make(gw_text_structure *structure, int64_t most,
                                 const gw_tokenizer *tokenizer) GW_MUST_CHECK;
void gw_text_structure_free(gw_text_structure *structure);
// Lists the global tokens of a sequence of the set, at most `most` and as many as it has tokens, and where part is not
// NULL sets the part of each of its tokens: 0 before the context, then the number of a paragraph from 1; and where link
// is not NULL the global token that each is linked with, -1: none.
gw_status gw_text_structure_list(gw_text_structure *structure, const gw_text_set *set, int64_t sequence, int32_t *part,
                                 int32_t *link) GW_MUST_CHECK;

// --- batches ---------------------------------------------------------------------------------------------------------

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
// Whether so many tokens of so many sequences fit beside those already there.
bool gw_text_batch_fits(const gw_text_batch *batch, int64_t tokens, int64_t sequences);
// Appends a row, unless it does not fit: *full.
gw_status gw_text_batch_add(gw_text_batch *batch, int64_t row, bool *full) GW_MUST_CHECK;
// What a head that reads texts apart asks of a table: a second column, text2 where none is named.
void gw_texts_match(const gw_head_row *head, gw_text_options *texts);
// Sets how long texts may be, where it is 0, and checks it.
gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) GW_MUST_CHECK;

#endif
