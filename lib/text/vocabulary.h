// SPDX-License-Identifier: MIT
// What a tokenizer holds, for the files of lib/text only.
#ifndef GW_TEXT_VOCABULARY_H
#define GW_TEXT_VOCABULARY_H

#include "text/tokenizer.h"

enum {
    GW_LETTERS = 5,                                  // A C G T N
    GW_FIRST_MERGE = GW_SPECIAL_TOKENS + GW_LETTERS, // id of the token that merge 0 makes
    GW_TOKEN_BITS = 20,                              // an id fits into so many bits
    GW_LARGEST_VOCABULARY = 1 << GW_TOKEN_BITS,
};

struct gw_tokenizer {
    int32_t size;
    int32_t (*parts)[2]; // [size] the two tokens a token is merged from; 0, 0 for specials and letters
    int32_t *bases;      // [size]
    bool *has_n;         // [size]
    char **texts;        // [size]
    double mean_bases;
    // Pair of tokens -> the token they merge into, by open addressing: left, right and merged id in 20 bits each, 0
    // where a slot is empty.
    uint64_t *slots;
    int slot_shift; // 64 - log2(slots)
};

// The fixed part of every vocabulary: the names of ids 0 .. GW_FIRST_MERGE - 1.
extern const char *const gw_fixed_tokens[GW_FIRST_MERGE];

// Normalisation and lookup in one: the letter's id for each byte; 0 where it is no nucleotide letter.
extern const uint8_t gw_letter_ids[256];

static inline uint64_t gw_pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)left << GW_TOKEN_BITS | (uint32_t)right;
}

static inline uint64_t gw_pair_slot(uint64_t key, int shift) {
    return key * 0x9E3779B97F4A7C15u >> shift; // Fibonacci hashing
}

// The token that (left, right) merge into, or 0.
static inline int32_t gw_merged_token(const gw_tokenizer *tokenizer, int32_t left, int32_t right) {
    const uint64_t key = gw_pair_key(left, right), mask = UINT64_MAX >> tokenizer->slot_shift;
    for (uint64_t at = gw_pair_slot(key, tokenizer->slot_shift);; at = (at + 1) & mask) {
        const uint64_t slot = tokenizer->slots[at];
        if (slot >> GW_TOKEN_BITS == key || slot == 0) return (int32_t)(slot & (GW_LARGEST_VOCABULARY - 1));
    }
}

#endif
