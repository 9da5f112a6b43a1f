// SPDX-License-Identifier: MIT
// Exact byte-pair encoding of a word of n letters in O(n), where every merge only uses what earlier merges make.
#ifndef GW_TEXT_DNA_BPE_SWEEP_H
#define GW_TEXT_DNA_BPE_SWEEP_H

#include "text/dna/pair_table.h"

#include <stdbool.h>
#include <stdint.h>

// bpe_dense.c: the first merges of a vocabulary, made by passes over a word held in bytes: 64 tokens at a time with
// AVX-512 VBMI2; elsewhere one by one, which pays for the most frequent merges only.

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

// A node of a circular list.
typedef struct {
    int32_t next, before;
} gw_sweep_node;

// What a sweep starts from: ids that are one position each.
typedef struct {
    int32_t *width;  // [size] positions an id covers
    int32_t *merged; // [2^bits][2^bits] what two positions merge into; NULL: ask the pair table
    int bits;
} gw_sweep_start;

// The ids of a sweep: 0 is nothing, then letters, then one id a merge, in the order of the merges. Zero-initialise.
typedef struct {
    const gw_pair_table *pairs; // of ids to the id that they merge into
    const int32_t (*parts)[2];  // [size] what a merged id is made of
    int32_t first_merge, size, words;
    uint8_t *sides; // [size] bits: whether an id is the left or the right part of any merge
    gw_bpe_dense dense;
    int32_t dense_from;            // words from so many letters on are merged by passes first
    uint8_t *bytes;                // [letters] a word as bytes
    gw_sweep_start plain, densely; // without passes, and after them
    uint64_t *waiting;             // [words] bits: the list of this id may hold positions
    gw_sweep_node *nodes;          // [size + positions]
    int32_t *token;                // [positions] at the first and last position of a span
    uint8_t *begins;               // [positions] whether a span begins there
    int64_t nodes_capacity, token_capacity, bytes_capacity, begins_capacity;
} gw_bpe_sweep;

// Borrows the tables; ids below `letters` are letters (or 0). `vectors`: gw_dense_has_vectors(), or false.
gw_status gw_bpe_sweep_make(gw_bpe_sweep *sweep, const gw_pair_table *pairs, const int32_t (*parts)[2], int32_t size,
                            int32_t letters, bool vectors) GW_MUST_CHECK;
void gw_bpe_sweep_free(gw_bpe_sweep *sweep);
// Room for a word of so many letters: the caller then sets token[1 .. letters], or bytes[0 .. letters).
gw_status gw_bpe_sweep_reserve(gw_bpe_sweep *sweep, int64_t letters) GW_MUST_CHECK;
// Encodes a word; returns the number of ids, which stand at the front of `token` afterwards.
int32_t gw_bpe_sweep_run(gw_bpe_sweep *sweep, int32_t letters);
// The same from `bytes`, where ids of letters fit them: faster.
int32_t gw_bpe_sweep_run_bytes(gw_bpe_sweep *sweep, int32_t letters);

#endif
