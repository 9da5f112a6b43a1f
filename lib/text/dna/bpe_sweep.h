// SPDX-License-Identifier: MIT
// Table from a pair of tokens to the token that they merge into, by perfect hashing (hash and displace). A lookup reads
// one slot without a branch.
#ifndef GW_TEXT_DNA_BPE_SWEEP_H
#define GW_TEXT_DNA_BPE_SWEEP_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GW_TOKEN_BITS = 20 }; // bits of an id

typedef struct {
    uint8_t *slots;                                 // of 4 or 8 bytes: upper hash bits << id_bits | merged id; 0: empty
    uint16_t *shifts;                               // of each bucket of pairs, chosen so that no two pairs share a slot
    uint64_t hash_mask;                             // 2 id_bits
    uint64_t entry_mask;                            // the bits of a slot in 8 bytes from its begin
    int id_bits, slot_bits, bucket_down, slot_size; // 1 << slot_size bytes
} gw_pair_table;

// Makes a table of pairs[i] -> first + i; the pairs must be distinct. All ids looked up and all merged ids must be
// below `ids`, and ids <= 2^GW_TOKEN_BITS.
gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first,
                             int32_t ids) GW_MUST_CHECK;
void gw_pair_table_free(gw_pair_table *table);

// Hash of a pair: its bits multiplied by an odd number, so that different pairs have different hashes.
static inline uint64_t gw_pair_hash(const gw_pair_table *table, int32_t left, int32_t right) {
    return ((uint64_t)(uint32_t)left << table->id_bits | (uint32_t)right) * 0x9E3779B97F4A7C15u & table->hash_mask;
}

// The upper bits of a hash, which a slot stores. Only they select the bucket and the displacement of the lower bits, so
// that slot and upper bits together identify the pair.
static inline uint64_t gw_pair_rest(const gw_pair_table *table, uint64_t hash) {
    return hash >> table->slot_bits;
}

static inline uint64_t gw_pair_slot(const gw_pair_table *table, uint64_t hash, uint64_t shift) {
    const uint64_t displacement = (gw_pair_rest(table, hash) ^ shift) * 0xD1342543DE82EF95u >> (64 - table->slot_bits);
    return (hash ^ displacement) & (((uint64_t)1 << table->slot_bits) - 1);
}

// The token from merging (left, right), or 0.
static inline int32_t gw_merged_token(const gw_pair_table *table, int32_t left, int32_t right) {
    const uint64_t hash = gw_pair_hash(table, left, right), rest = gw_pair_rest(table, hash);
    const uint64_t slot = gw_pair_slot(table, hash, table->shifts[rest >> table->bucket_down]);
    uint64_t entry;
    memcpy(&entry, table->slots + (slot << table->slot_size), sizeof entry);
    entry &= table->entry_mask;
    return entry >> table->id_bits == rest ? (int32_t)(entry & (((uint64_t)1 << table->id_bits) - 1)) : 0;
}

// Exact byte-pair encoding of a word of n letters in O(n), for vocabularies in which every merge uses only letters and
// earlier merges.

// The first merges of a vocabulary run as passes over a word stored in bytes: 64 tokens at a time with AVX-512 VBMI2.
// Without it they run token by token, which is faster only for the most frequent merges.

enum {
    GW_DENSE_IDS = 256,  // ids in passes fit into a byte
    GW_DENSE_PAIRS = 4,  // most merges of a pass
    GW_DENSE_SLACK = 128 // writable bytes behind a word
};

// Merges of pairs that cannot overlap, so that their order does not matter. A pair of equal tokens has its own pass.
typedef struct {
    uint8_t left[GW_DENSE_PAIRS], right[GW_DENSE_PAIRS], merged[GW_DENSE_PAIRS];
    int32_t pairs;
} gw_dense_pass;

typedef struct {
    gw_dense_pass passes[GW_DENSE_IDS];
    int32_t count;
    int32_t ids;  // every merge to an id below this is in a pass
    bool vectors; // passes take 64 tokens at a time
} gw_bpe_dense;

// Whether this processor can take 64 tokens at a time.
bool gw_dense_has_vectors(void);
// Plans the first merges, to ids in [letters, size) that fit into a byte, or fewer without vectors. Id i merges
// parts[i], two smaller ids other than 0; ids are in the order of merging. No passes if letters do not fit into a byte.
void gw_dense_plan(gw_bpe_dense *dense, const int32_t (*parts)[2], int32_t letters, int32_t size, bool vectors);
// Runs all passes over tokens[0 .. count), which must not be 0. Returns the number of remaining tokens.
int64_t gw_dense_merge(const gw_bpe_dense *dense, uint8_t *tokens, int64_t count);

// A node of a circular list.
typedef struct {
    int32_t next, before;
} gw_sweep_node;

// The input of a sweep: ids at one position each.
typedef struct {
    int32_t *width;  // [size] positions that an id covers
    int32_t *merged; // [2^bits][2^bits] merged id of two positions; NULL: use the pair table
    int bits;
} gw_sweep_start;

// The ids of a sweep: 0 is none, then letters, then one id for each merge, in order. Zero-initialise.
typedef struct {                // from two ids to their merged id
    const gw_pair_table *pairs; // [size] the two parts of a merged id
    const int32_t (*parts)[2];  // [size] what a merged id is made of
    int32_t first_merge, size, words;
    uint8_t *sides; // [size] bits: whether an id is the left or the right part of a merge
    gw_bpe_dense dense;
    int32_t dense_from;            // words with at least this number of letters use passes first
    uint8_t *bytes;                // [letters] a word as bytes
    gw_sweep_start plain, densely; // starts without passes, and after them
    uint64_t *waiting;             // [words] bits: the list of this id may have positions
    gw_sweep_node *nodes;          // [size + positions]
    int32_t *token;                // [positions] at the first and last position of a span
    uint8_t *begins;               // [positions] whether a span begins here
    int64_t nodes_capacity, token_capacity, bytes_capacity, begins_capacity;
} gw_bpe_sweep;

// Borrows the tables. Ids below `letters` are letters (or 0). `vectors`: gw_dense_has_vectors(), or false.
gw_status gw_bpe_sweep_make(gw_bpe_sweep *sweep, const gw_pair_table *pairs, const int32_t (*parts)[2], int32_t size,
                            int32_t letters, bool vectors) GW_MUST_CHECK;
void gw_bpe_sweep_free(gw_bpe_sweep *sweep);
// Allocates memory for a word of this number of letters. The caller then sets token[1 .. letters], or bytes[0 ..
// letters).
gw_status gw_bpe_sweep_reserve(gw_bpe_sweep *sweep, int64_t letters) GW_MUST_CHECK;
// Encodes a word. Returns the number of ids; the ids are at the front of `token`.
int32_t gw_bpe_sweep_run(gw_bpe_sweep *sweep, int32_t letters);
// The same from `bytes`, if ids of letters fit into bytes: faster.
int32_t gw_bpe_sweep_run_bytes(gw_bpe_sweep *sweep, int32_t letters);

#endif
