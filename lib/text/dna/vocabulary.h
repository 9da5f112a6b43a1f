// SPDX-License-Identifier: MIT
// godwit's own kind of tokenizer: byte-pair encoding of DNA. Only for the files of lib/text.
#ifndef GW_TEXT_DNA_VOCABULARY_H
#define GW_TEXT_DNA_VOCABULARY_H

#include "text/dna/bpe_sweep.h"
#include "text/kind.h"

// Ids of special tokens of this kind. For other kinds use gw_tokenizer_special().
enum {
    GW_TOKEN_PAD = 0,
    GW_TOKEN_UNK = 1,
    GW_TOKEN_CLS = 2,
    GW_TOKEN_SEP = 3,
    GW_TOKEN_MASK = 4,
    GW_SPECIAL_TOKENS = 5
};

enum {
    GW_LETTERS = 5,                                  // A C G T N
    GW_FIRST_MERGE = GW_SPECIAL_TOKENS + GW_LETTERS, // id of the token of merge 0
    GW_LARGEST_VOCABULARY = 1 << GW_TOKEN_BITS,
};

// The state of this kind.
typedef struct {
    int32_t (*parts)[2]; // [size] the two parts of a merged token; 0, 0 for specials and letters
    gw_pair_table pairs;
} gw_dna_vocabulary;

extern const gw_tokenizer_kind gw_dna_kind;
gw_status gw_dna_encode(void *scratch, const char *bases, int64_t length, gw_encoded *out) GW_MUST_CHECK;

// Writes a tokenizer.json.
gw_status gw_dna_save(const gw_tokenizer *tokenizer, const char *path) GW_MUST_CHECK;

// The first ids of every vocabulary: names of ids 0 .. GW_FIRST_MERGE - 1.
extern const char *const gw_fixed_tokens[GW_FIRST_MERGE];

// Normalisation and lookup together: the id of the letter for each byte; 0 if it is not a nucleotide letter.
extern const uint8_t gw_letter_ids[256];

#endif
