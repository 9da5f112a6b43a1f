// SPDX-License-Identifier: MIT
// Text -> number: a hash table with open addressing over texts that the caller keeps.
#ifndef GW_TEXT_JSON_TEXT_INDEX_H
#define GW_TEXT_JSON_TEXT_INDEX_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    const char *text; // NULL: an empty slot
    int32_t length, value;
} gw_text_slot;

typedef struct {
    gw_text_slot *slots;
    int64_t mask; // slots - 1
} gw_text_index;

// Room for `count` texts.
gw_status gw_text_index_make(gw_text_index *index, int64_t count) GW_MUST_CHECK;
void gw_text_index_free(gw_text_index *index);
// A text that is there already gets the new value.
void gw_text_index_put(gw_text_index *index, const char *text, int64_t length, int32_t value);
// The value, or -1.
int32_t gw_text_index_find(const gw_text_index *index, const char *text, int64_t length);

#endif
