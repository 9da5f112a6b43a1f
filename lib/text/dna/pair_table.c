// SPDX-License-Identifier: MIT
// Hash and displace (Belazzougui, Botelho, Dietzfelbinger, ESA 2009): the pairs fall into buckets of about four; the
// buckets, the fullest first, each look for the smallest shift that sends all their pairs to free slots. Half of the
// slots stay free, so the search is short; should one fail all the same, there are twice as many slots next time.
// A slot holds only what its own number does not say of the pair (quotienting: Knuth, TAOCP 3, 6.4, exercise 13), so
// that four bytes do for ids of up to 16 bits, and the table of a large vocabulary stays in the cache.
#include "text/dna/pair_table.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_PAIRS = 4, LAST_SHIFT = 1 << 16, LEAST_ID_BITS = 4 };

// The pairs of each bucket: pairs members[starts[b] .. starts[b + 1]).
typedef struct {
    int32_t *starts, *members;
    int32_t buckets, fullest;
} bucket_list;

static int bits_for(int64_t count) {
    int bits = 1;
    while ((int64_t)1 << bits < count) bits++;
    return bits;
}

static uint64_t hash_of(const gw_pair_table *table, const int32_t pair[2]) {
    return gw_pair_hash(table, pair[0], pair[1]);
}

static int64_t bucket_of(const gw_pair_table *table, const int32_t pair[2]) {
    return (int64_t)(gw_pair_rest(table, hash_of(table, pair)) >> table->bucket_down);
}

static gw_status sort_into_buckets(bucket_list *list, const gw_pair_table *table, const int32_t (*pairs)[2],
                                   int32_t count) {
    list->buckets = (int32_t)((table->hash_mask >> table->slot_bits >> table->bucket_down) + 1);
    list->starts = gw_alloc(list->buckets + 2, sizeof *list->starts);
    list->members = gw_alloc(count, sizeof *list->members);
    if (!list->starts || !list->members) return GW_ERR_MEMORY;
    int32_t *ends = list->starts + 1; // moves up while members are placed, to end as starts
    for (int32_t i = 0; i < count; i++) ends[bucket_of(table, pairs[i]) + 1]++;
    for (int32_t b = 0; b < list->buckets; b++) {
        if (ends[b + 1] > list->fullest) list->fullest = ends[b + 1];
        ends[b + 1] += ends[b];
    }
    for (int32_t i = 0; i < count; i++) list->members[ends[bucket_of(table, pairs[i])]++] = i;
    return GW_OK;
}

static uint8_t *slot_of(const gw_pair_table *table, const int32_t pair[2], uint32_t shift) {
    return table->slots + (gw_pair_slot(table, hash_of(table, pair), shift) << table->slot_size);
}

// Puts the bucket's pairs into their slots under `shift`; takes them out again where one was occupied.
static bool place_bucket(gw_pair_table *table, const int32_t (*pairs)[2], int32_t first, const int32_t *members,
                         int32_t count, uint32_t shift) {
    const size_t bytes = (size_t)1 << table->slot_size;
    for (int32_t i = 0; i < count; i++) {
        const int32_t *pair = pairs[members[i]];
        const uint64_t rest = gw_pair_rest(table, hash_of(table, pair));
        uint64_t entry = 0;
        memcpy(&entry, slot_of(table, pair, shift), bytes); // little endian, as every machine this runs on
        if (entry == 0) {
            entry = rest << table->id_bits | (uint32_t)(first + members[i]);
            memcpy(slot_of(table, pair, shift), &entry, bytes);
            continue;
        }
        while (i-- > 0) memset(slot_of(table, pairs[members[i]], shift), 0, bytes);
        return false;
    }
    return true;
}

static bool place_all(gw_pair_table *table, const bucket_list *list, const int32_t (*pairs)[2], int32_t first) {
    for (int32_t size = list->fullest; size > 0; size--)
        for (int32_t b = 0; b < list->buckets; b++) {
            if (list->starts[b + 1] - list->starts[b] != size) continue;
            uint32_t shift = 0;
            while (!place_bucket(table, pairs, first, list->members + list->starts[b], size, shift))
                if (++shift == LAST_SHIFT) return false;
            table->shifts[b] = (uint16_t)shift;
        }
    return true;
}

// One try with 2^slot_bits slots.
static gw_status fill(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first, bool *placed) {
    const int rest_bits = 2 * table->id_bits - table->slot_bits, bucket_bits = bits_for(count / BUCKET_PAIRS);
    table->bucket_down = rest_bits > bucket_bits ? rest_bits - bucket_bits : 0;
    table->slot_size = rest_bits + table->id_bits <= 32 ? 2 : 3;
    table->entry_mask = table->slot_size == 2 ? UINT32_MAX : UINT64_MAX;
    bucket_list list = {0};
    gw_status status = sort_into_buckets(&list, table, pairs, count);
    if (status == GW_OK) {
        table->shifts = gw_alloc(list.buckets, sizeof *table->shifts);
        table->slots = gw_alloc(((int64_t)1 << table->slot_bits << table->slot_size) + 8, 1);
        if (table->shifts && table->slots) *placed = place_all(table, &list, pairs, first);
        else status = GW_ERR_MEMORY;
    }
    free(list.starts);
    free(list.members);
    return status;
}

// With a slot for each hash no try fails.
gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first,
                             int32_t ids) {
    gw_status status = GW_OK;
    int slot_bits = bits_for(2 * (int64_t)count);
    *table = (gw_pair_table){0};
    for (bool placed = false; status == GW_OK && !placed; slot_bits++) {
        gw_pair_table_free(table);
        table->id_bits = bits_for(ids) > LEAST_ID_BITS ? bits_for(ids) : LEAST_ID_BITS;
        table->hash_mask = ((uint64_t)1 << 2 * table->id_bits) - 1;
        table->slot_bits = slot_bits;
        status = fill(table, pairs, count, first, &placed);
    }
    if (status != GW_OK) gw_pair_table_free(table);
    return status;
}

void gw_pair_table_free(gw_pair_table *table) {
    free(table->slots);
    free(table->shifts);
    *table = (gw_pair_table){0};
}
