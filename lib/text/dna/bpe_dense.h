// SPDX-License-Identifier: MIT
// The first merges of a vocabulary, made by passes over a word held in bytes: 64 tokens at a time with AVX-512 VBMI2;
// elsewhere one by one, which pays for the most frequent merges only.
#ifndef GW_TEXT_DNA_BPE_DENSE_H
#define GW_TEXT_DNA_BPE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GW_DENSE_IDS = 256,  // ids that passes make or read fit a byte
    GW_DENSE_PAIRS = 4,  // merges that one pass makes at most
    GW_DENSE_SLACK = 128 // bytes behind a word that passes may write
};

// Merges of pairs that cannot overlap, so that their order does not matter; a token with itself stands alone.
typedef struct {
    uint8_t left[GW_DENSE_PAIRS], right[GW_DENSE_PAIRS], merged[GW_DENSE_PAIRS];
    int32_t pairs;
} gw_dense_pass;

typedef struct {
    gw_dense_pass passes[GW_DENSE_IDS];
    int32_t count;
    int32_t ids;  // every merge to an id below is in a pass
    bool vectors; // passes take 64 tokens at a time
} gw_bpe_dense;

// Whether this processor takes 64 tokens at a time.
bool gw_dense_has_vectors(void);
// Plans the first merges to ids [letters, size), those that fit a byte or, without vectors, fewer: id i merges
// parts[i], two smaller ids but not 0, and ids are in the order of merging. No passes where letters do not fit.
void gw_dense_plan(gw_bpe_dense *dense, const int32_t (*parts)[2], int32_t letters, int32_t size, bool vectors);
// Makes all passes over tokens[0 .. count), none of them 0; returns how many tokens are left.
int64_t gw_dense_merge(const gw_bpe_dense *dense, uint8_t *tokens, int64_t count);

#endif
