// SPDX-License-Identifier: MIT
// Table from text to number: a hash table with open addressing. The caller owns the texts.
#ifndef GW_TEXT_JSON_ID_VOCABULARY_H
#define GW_TEXT_JSON_ID_VOCABULARY_H

#include "base/json.h"
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

// Allocates space for `count` texts.
gw_status gw_text_index_make(gw_text_index *index, int64_t count) GW_MUST_CHECK;
void gw_text_index_free(gw_text_index *index);
// A repeated text gets the new value.
void gw_text_index_put(gw_text_index *index, const char *text, int64_t length, int32_t value);
// The value, or -1.
int32_t gw_text_index_find(const gw_text_index *index, const char *text, int64_t length);

// The "vocab" of a tokenizer.json's model: an object of texts and ids.

typedef struct {
    char **texts; // [size] NULL for ids without a token; owned
    int32_t size, tokens;
    gw_text_index index; // text -> id
} gw_id_vocabulary;

// Ids may have gaps, but only so many that a small file does not need much memory. Free `out`, also after a failure.
gw_status gw_vocabulary_read(const char *path, const json_t *json, gw_id_vocabulary *out) GW_MUST_CHECK;
void gw_vocabulary_free(gw_id_vocabulary *vocabulary);

#endif
