// SPDX-License-Identifier: MIT
// Tokens of single words, as they stand in a text: behind a blank where they are not the first.
#ifndef GW_DATA_WORD_ENCODER_H
#define GW_DATA_WORD_ENCODER_H

#include "base/string.h"
#include "text/tokenizer.h"

// Borrows both; free `text`.
typedef struct {
    const gw_tokenizer *tokenizer;
    gw_encoder *encoder;
    gw_string text;
} gw_word_encoder;

// *tokens belongs to the encoder until its next call.
gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) GW_MUST_CHECK;

#endif
