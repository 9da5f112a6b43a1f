// SPDX-License-Identifier: MIT
// Hash and displace (Belazzougui, Botelho, Dietzfelbinger, ESA 2009): the pairs fall into buckets of about four; the
// buckets, the fullest first, each look for the smallest shift that sends all their pairs to free slots. Half of the
// slots stay free, so the search is short; should one fail all the same, there are twice as many slots next time.
#include "text/pair_table.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_PAIRS = 4, LAST_SHIFT = 1 << 16 };

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

static uint64_t hash_of(const int32_t pair[2]) {
    return gw_pair_hash(gw_pair_key(pair[0], pair[1]));
}

static gw_status sort_into_buckets(bucket_list *list, const gw_pair_table *table, const int32_t (*pairs)[2],
                                   int32_t count) {
    const int down = 64 - table->bucket_bits;
    list->buckets = 1 << table->bucket_bits;
    list->starts = gw_alloc(list->buckets + 2, sizeof *list->starts);
    list->members = gw_alloc(count, sizeof *list->members);
    if (!list->starts || !list->members) return GW_ERR_MEMORY;
    int32_t *ends = list->starts + 1; // moves up while members are placed, to end as starts
    for (int32_t i = 0; i < count; i++) ends[(hash_of(pairs[i]) >> down) + 1]++;
    for (int32_t b = 0; b < list->buckets; b++) {
        if (ends[b + 1] > list->fullest) list->fullest = ends[b + 1];
        ends[b + 1] += ends[b];
    }
    for (int32_t i = 0; i < count; i++) list->members[ends[hash_of(pairs[i]) >> down]++] = i;
    return GW_OK;
}

// Puts the bucket's pairs into their slots under `shift`; takes them out again where one was occupied.
static bool place_bucket(gw_pair_table *table, const int32_t (*pairs)[2], int32_t first, const int32_t *members,
                         int32_t count, uint32_t shift) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t *pair = pairs[members[i]];
        uint64_t *slot = &table->slots[gw_pair_slot(table, hash_of(pair), shift)];
        if (*slot == 0) {
            *slot = gw_pair_key(pair[0], pair[1]) << GW_TOKEN_BITS | (uint32_t)(first + members[i]);
            continue;
        }
        while (i-- > 0) table->slots[gw_pair_slot(table, hash_of(pairs[members[i]]), shift)] = 0;
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
            table->shifts[b] = shift;
        }
    return true;
}

gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first) {
    *table = (gw_pair_table){.bucket_bits = bits_for(count / BUCKET_PAIRS), .slot_bits = bits_for(2 * (int64_t)count)};
    bucket_list list = {0};
    gw_status status = sort_into_buckets(&list, table, pairs, count);
    table->shifts = gw_alloc(1 << table->bucket_bits, sizeof *table->shifts);
    if (status == GW_OK && !table->shifts) status = GW_ERR_MEMORY;
    for (bool placed = false; status == GW_OK && !placed; table->slot_bits += !placed) {
        free(table->slots);
        table->slots = gw_alloc((int64_t)1 << table->slot_bits, sizeof *table->slots);
        if (table->slots) placed = place_all(table, &list, pairs, first);
        else status = GW_ERR_MEMORY;
    }
    free(list.starts);
    free(list.members);
    if (status != GW_OK) gw_pair_table_free(table);
    return status;
}

void gw_pair_table_free(gw_pair_table *table) {
    free(table->slots);
    free(table->shifts);
    *table = (gw_pair_table){0};
}
