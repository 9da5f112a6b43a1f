// SPDX-License-Identifier: MIT
// The "vocab" of a tokenizer.json's model, an object of texts and ids.
#ifndef GW_TEXT_JSON_VOCABULARY_READ_H
#define GW_TEXT_JSON_VOCABULARY_READ_H

#include "base/json.h"
#include "text/json/text_index.h"

typedef struct {
    char **texts; // [size] NULL where no token has this id; owned
    int32_t size, tokens;
    gw_text_index index; // text -> id
} gw_id_vocabulary;

// Ids may have gaps, but not so many that a small file asks for much memory. Free it, also after failure.
gw_status gw_vocabulary_read(const char *path, const json_t *json, gw_id_vocabulary *out) GW_MUST_CHECK;
void gw_vocabulary_free(gw_id_vocabulary *vocabulary);

#endif
