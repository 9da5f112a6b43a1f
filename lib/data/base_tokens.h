// SPDX-License-Identifier: MIT
// Bases as sequences of tokens of one base each: [CLS] bases [SEP], as `score` and `predict` make them of a window.
#ifndef GW_DATA_BASE_TOKENS_H
#define GW_DATA_BASE_TOKENS_H

#include "base/batch.h"
#include "text/tokenizer.h"

enum { GW_BASE_SPECIALS = 2 }; // special tokens of a sequence

typedef struct {
    int32_t of[256];               // the token of a letter, of either case; that of N for what is no base
    int32_t classifier, separator; // [CLS] and [SEP]
} gw_base_tokens;

// Tokenizers with tokens of several bases are an error.
gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Appends a sequence to a stream that has room for it; returns the row of its first base. `first` stands before it:
// [CLS], or a token that says more of the sequence.
int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, int32_t first, const char *bases,
                              int64_t count);

#endif
