// SPDX-License-Identifier: MIT
// Pair of tokens -> the token they merge into, by perfect hashing (hash and displace): one look at one slot, without a
// branch, says what the pair makes or that it makes nothing.
#ifndef GW_TEXT_PAIR_TABLE_H
#define GW_TEXT_PAIR_TABLE_H

#include "base/status.h"

#include <stdint.h>

enum { GW_TOKEN_BITS = 20 }; // an id fits into so many bits

typedef struct {
    uint64_t *slots;  // left, right and merged id in GW_TOKEN_BITS each; 0: empty
    uint32_t *shifts; // of each bucket of pairs: chosen so that no two pairs of the table share a slot
    int slot_bits, bucket_bits;
} gw_pair_table;

// From pairs[i] -> first + i, all distinct, with ids below 2^GW_TOKEN_BITS.
gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count,
                             int32_t first) GW_MUST_CHECK;
void gw_pair_table_free(gw_pair_table *table);

static inline uint64_t gw_pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)left << GW_TOKEN_BITS | (uint32_t)right;
}

static inline uint64_t gw_pair_hash(uint64_t key) {
    return key * 0x9E3779B97F4A7C15u; // Fibonacci hashing
}

static inline uint64_t gw_pair_slot(const gw_pair_table *table, uint64_t hash, uint32_t shift) {
    return (hash ^ shift) * 0xD1342543DE82EF95u >> (64 - table->slot_bits);
}

// The token that (left, right) merge into, or 0.
static inline int32_t gw_merged_token(const gw_pair_table *table, int32_t left, int32_t right) {
    const uint64_t key = gw_pair_key(left, right), hash = gw_pair_hash(key);
    const uint64_t slot = table->slots[gw_pair_slot(table, hash, table->shifts[hash >> (64 - table->bucket_bits)])];
    return slot >> GW_TOKEN_BITS == key ? (int32_t)(slot & ((1u << GW_TOKEN_BITS) - 1)) : 0;
}

#endif
