// SPDX-License-Identifier: MIT
// Pair of tokens -> the token they merge into, by perfect hashing (hash and displace): one look at one slot, without a
// branch, says what the pair makes or that it makes nothing.
#ifndef GW_TEXT_DNA_PAIR_TABLE_H
#define GW_TEXT_DNA_PAIR_TABLE_H

#include "base/status.h"

#include <stdint.h>
#include <string.h>

enum { GW_TOKEN_BITS = 20 }; // an id fits into so many bits

typedef struct {
    uint8_t *slots;      // of 4 or 8 bytes: rest << id_bits | merged id; 0: empty
    uint16_t *shifts;    // of each bucket of pairs: chosen so that no two pairs of the table share a slot
    uint64_t hash_mask;  // 2 id_bits
    uint64_t entry_mask; // the bits of a slot in the 8 bytes from its begin
    int id_bits, slot_bits, bucket_down, slot_size; // 1 << slot_size bytes
} gw_pair_table;

// From pairs[i] -> first + i, all distinct. Every id that is ever asked for, and every merged one, is below `ids`, and
// ids <= 2^GW_TOKEN_BITS.
gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first,
                             int32_t ids) GW_MUST_CHECK;
void gw_pair_table_free(gw_pair_table *table);

// A pair's bits, shuffled: multiplied by an odd number, so that no two pairs have the same.
static inline uint64_t gw_pair_hash(const gw_pair_table *table, int32_t left, int32_t right) {
    return ((uint64_t)(uint32_t)left << table->id_bits | (uint32_t)right) * 0x9E3779B97F4A7C15u & table->hash_mask;
}

// The upper bits of a hash, which a slot keeps; they alone choose the bucket and how the lower bits are displaced, so
// that slot and rest together say which pair it is.
static inline uint64_t gw_pair_rest(const gw_pair_table *table, uint64_t hash) {
    return hash >> table->slot_bits;
}

static inline uint64_t gw_pair_slot(const gw_pair_table *table, uint64_t hash, uint64_t shift) {
    const uint64_t displacement = (gw_pair_rest(table, hash) ^ shift) * 0xD1342543DE82EF95u >> (64 - table->slot_bits);
    return (hash ^ displacement) & (((uint64_t)1 << table->slot_bits) - 1);
}

// The token that (left, right) merge into, or 0.
static inline int32_t gw_merged_token(const gw_pair_table *table, int32_t left, int32_t right) {
    const uint64_t hash = gw_pair_hash(table, left, right), rest = gw_pair_rest(table, hash);
    const uint64_t slot = gw_pair_slot(table, hash, table->shifts[rest >> table->bucket_down]);
    uint64_t entry;
    memcpy(&entry, table->slots + (slot << table->slot_size), sizeof entry);
    entry &= table->entry_mask;
    return entry >> table->id_bits == rest ? (int32_t)(entry & (((uint64_t)1 << table->id_bits) - 1)) : 0;
}

#endif
