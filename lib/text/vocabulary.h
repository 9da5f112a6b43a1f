// SPDX-License-Identifier: MIT
// What a tokenizer holds, for the files of lib/text only.
#ifndef GW_TEXT_VOCABULARY_H
#define GW_TEXT_VOCABULARY_H

#include "text/pair_table.h"
#include "text/tokenizer.h"

enum {
    GW_LETTERS = 5,                                  // A C G T N
    GW_FIRST_MERGE = GW_SPECIAL_TOKENS + GW_LETTERS, // id of the token that merge 0 makes
    GW_LARGEST_VOCABULARY = 1 << GW_TOKEN_BITS,
};

struct gw_tokenizer {
    int32_t size;
    int32_t (*parts)[2]; // [size] the two tokens a token is merged from; 0, 0 for specials and letters
    int32_t *bases;      // [size]
    bool *has_n;         // [size]
    char **texts;        // [size]
    double mean_bases;
    gw_pair_table pairs;
};

// The fixed part of every vocabulary: the names of ids 0 .. GW_FIRST_MERGE - 1.
extern const char *const gw_fixed_tokens[GW_FIRST_MERGE];

// Normalisation and lookup in one: the letter's id for each byte; 0 where it is no nucleotide letter.
extern const uint8_t gw_letter_ids[256];

#endif
