// SPDX-License-Identifier: MIT
// Strings of tokens, kept end to end so that what was encoded once can be read again.
#ifndef GW_TEXT_TOKEN_STRINGS_H
#define GW_TEXT_TOKEN_STRINGS_H

#include "base/status.h"

#include <stdint.h>

// String i is token[end[i - 1]] (token[0] of the first) up to token[end[i]]. Zero-initialise.
typedef struct {
    int32_t *token;
    int64_t *end; // [count]
    int64_t count, token_capacity, end_capacity;
} gw_token_strings;

typedef struct {
    const int32_t *token; // until the next string is added
    int64_t count;
} gw_token_string;

gw_status gw_token_strings_add(gw_token_strings *strings, const int32_t *tokens, int64_t count) GW_MUST_CHECK;
gw_token_string gw_token_strings_at(const gw_token_strings *strings, int64_t index);
void gw_token_strings_cut(gw_token_strings *strings, int64_t count); // keeps the first ones
void gw_token_strings_free(gw_token_strings *strings);

#endif
