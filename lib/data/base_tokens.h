// SPDX-License-Identifier: MIT
// Bases as sequences of tokens of one base each, in their frame, [CLS] ... [SEP], as `score` and `predict` make them of
// a window.
#ifndef GW_DATA_BASE_TOKENS_H
#define GW_DATA_BASE_TOKENS_H

#include "base/batch.h"
#include "text/tokenizer.h"

enum { GW_BASE_SPECIALS = 2 }; // special tokens of a sequence, at most

typedef struct {
    int32_t of[256]; // the token of a letter, of either case; that of N for what is no base
    gw_frame frame;
} gw_base_tokens;

// Tokenizers with tokens of several bases are an error.
gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Appends a sequence in a frame, the tokens' own or one that says more of the sequence, to a stream that has room for
// it; returns the row of its first base.
int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, const gw_frame *frame, const char *bases,
                              int64_t count);

#endif
