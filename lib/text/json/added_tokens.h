// SPDX-License-Identifier: MIT
// The "added_tokens" of a tokenizer.json: tokens that are taken out of a text as a whole, before the model sees it.
//
// Those with "normalized": false are looked for in the text as it came, the others in the normalised text, spelt as the
// normalizer leaves them. Of the tokens at the leftmost place the longest is taken.
#ifndef GW_TEXT_JSON_ADDED_TOKENS_H
#define GW_TEXT_JSON_ADDED_TOKENS_H

#include "text/json/normalizer.h"
#include "text/json/pieces.h"
#include "text/json/text_index.h"

typedef struct {
    int32_t id;
    char *content, *wanted; // as in the file, and as it is looked for; owned
    int64_t length;         // of `wanted`
    bool single_word, left_strip, right_strip, normalized, special;
} gw_added_token;

typedef struct {
    gw_added_token *list; // sorted: those of one first byte together, the longest first
    int64_t count, capacity;
    int32_t first[2][257]; // [normalized][byte]: where the tokens with this first byte begin in `order`
    int32_t *order[2];
} gw_added_tokens;

// `vocabulary` gives the ids of tokens that the model has; `size` is the number of its tokens. Free also after failure.
gw_status gw_added_tokens_read(const char *path, const json_t *json, const gw_text_index *vocabulary, int32_t size,
                               const gw_normalizer *normalizer, gw_added_tokens *out) GW_MUST_CHECK;
void gw_added_tokens_free(gw_added_tokens *added);
// Appends the pieces of text[begin .. end) of `pieces`: text, and the tokens found in it.
gw_status gw_added_tokens_cut(const gw_added_tokens *added, bool normalized, gw_pieces *pieces, int64_t begin,
                              int64_t end, bool first) GW_MUST_CHECK;

#endif
