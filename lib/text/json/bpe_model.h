// SPDX-License-Identifier: MIT
// The "BPE" model of a tokenizer.json: conversion of words to ids.
//
// The characters (code points) of a word become tokens with this text, byte tokens, or [UNK]. Then the neighbouring
// pair with the earliest merge is merged repeatedly, the leftmost first. Internally tokens are symbols. If every merge
// makes a new token from earlier ones, symbols are numbered for a sweep (bpe_sweep.h), and long words take O(n).
// Otherwise, and for short words, a heap of pairs takes O(n log n).
#ifndef GW_TEXT_JSON_BPE_MODEL_H
#define GW_TEXT_JSON_BPE_MODEL_H

#include "base/json.h"
#include "text/dna/bpe_sweep.h"
#include "text/json/id_vocabulary.h"

enum { GW_LONGEST_AFFIX = 64 };

typedef struct {
    uint32_t point;
    int32_t symbol; // 0: an empty slot
} gw_point_symbol;

typedef struct {
    char **texts; // [size] NULL for ids without a token; owned
    int32_t size, tokens;
    gw_text_index index;
    // merges
    int32_t (*merges)[2]; // [merge_count] symbols, without repetitions
    int32_t merge_count;
    gw_pair_table pairs; // from symbols to first_merge + rank
    int32_t first_merge;
    int32_t *product; // [merge_count] the symbol made by a merge
    bool ordered;     // product[i] is first_merge + i
    int32_t symbols;
    int32_t *token_of, *symbol_of; // [symbols], [size]; 0 means no symbol
    int32_t (*parts)[2];           // [symbols] if ordered
    // characters
    int32_t ascii[128]; // symbols, 0: none
    gw_point_symbol *points;
    int64_t point_mask;
    int32_t unknown, byte_symbols[256]; // symbols, 0: none
    bool fuse_unknown, byte_fallback, ignore_merges;
    char *prefix, *suffix; // or NULL
    int64_t prefix_length, suffix_length;
    bool has_affixes;
} gw_bpe_model;

// Free `out`, also after a failure.
gw_status gw_bpe_model_read(const char *path, const json_t *json, gw_bpe_model *out) GW_MUST_CHECK;
void gw_bpe_model_free(gw_bpe_model *model);

// The two sides of a merge, written as "a b" or ["a", "b"]; false for other values.
bool gw_merge_sides(const json_t *merge, const char **left, size_t *left_length, const char **right);

// Scratch memory of one thread, and the tokens so far.
typedef struct {
    gw_bpe_sweep sweep;
    int32_t *symbols;
    uint64_t *heap; // merge << 32 | position
    int32_t *links; // [2][positions] positions before and behind
    int64_t symbols_capacity, heap_capacity, links_capacity;
    int32_t *tokens;
    int64_t count, capacity;
    int64_t unknown; // characters
} gw_bpe_words;

gw_status gw_bpe_words_make(gw_bpe_words *words, const gw_bpe_model *model) GW_MUST_CHECK;
void gw_bpe_words_free(gw_bpe_words *words);
gw_status gw_bpe_words_add_token(gw_bpe_words *words, int32_t token) GW_MUST_CHECK;
// Appends the tokens of a word of valid UTF-8.
gw_status gw_bpe_words_add(gw_bpe_words *words, const gw_bpe_model *model, const char *word,
                           int64_t length) GW_MUST_CHECK;

#endif
