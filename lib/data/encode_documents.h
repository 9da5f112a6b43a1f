// SPDX-License-Identifier: MIT
// Documents to tokens on all threads, in order, in bounded memory.
#ifndef GW_DATA_ENCODE_DOCUMENTS_H
#define GW_DATA_ENCODE_DOCUMENTS_H

#include "data/documents.h"
#include "text/tokenizer.h"

// Takes the tokens of each sentence in turn; `first` where it begins a document.
typedef struct {
    gw_status (*take)(void *context, const int32_t *tokens, int64_t count, bool first);
    void *context;
} gw_token_sink;

typedef struct {
    int64_t documents, sentences, bases, tokens;
} gw_encoded_totals;

// Encodes all that `documents` still holds; `keep_case` as in gw_encoder_keep_case(). Memory: at most about 10 bytes
// for each base of a batch of 4 million bases, or of the longest sentence where that is longer, beside one encoder a
// thread.
gw_status gw_encode_documents(const gw_tokenizer *tokenizer, gw_documents *documents, bool keep_case,
                              const gw_token_sink *sink, gw_encoded_totals *totals) GW_MUST_CHECK;

#endif
