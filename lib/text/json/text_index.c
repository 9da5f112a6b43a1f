// SPDX-License-Identifier: MIT
// Hashes texts by FNV-1a and probes linearly.
#include "text/json/text_index.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_text_index_make(gw_text_index *index, int64_t count) {
    int64_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    index->mask = slots - 1;
    index->slots = gw_alloc(slots, sizeof *index->slots);
    return index->slots ? GW_OK : GW_ERR_MEMORY;
}

void gw_text_index_free(gw_text_index *index) {
    free(index->slots);
    *index = (gw_text_index){0};
}

static gw_text_slot *slot_of(const gw_text_index *index, const char *text, int64_t length) {
    uint64_t hash = gw_hash_bytes(GW_HASH_START, text, length);
    hash ^= hash >> 32;
    for (int64_t at = (int64_t)hash & index->mask;; at = (at + 1) & index->mask) {
        gw_text_slot *slot = &index->slots[at];
        if (!slot->text || (slot->length == length && memcmp(slot->text, text, (size_t)length) == 0)) return slot;
    }
}

void gw_text_index_put(gw_text_index *index, const char *text, int64_t length, int32_t value) {
    *slot_of(index, text, length) = (gw_text_slot){text, (int32_t)length, value};
}

int32_t gw_text_index_find(const gw_text_index *index, const char *text, int64_t length) {
    const gw_text_slot *slot = slot_of(index, text, length);
    return slot->text ? slot->value : -1;
}
