// SPDX-License-Identifier: MIT
// The "pre_tokenizer" of a tokenizer.json: steps that cut a text into the words that the model sees.
#ifndef GW_TEXT_JSON_PRE_TOKENIZER_H
#define GW_TEXT_JSON_PRE_TOKENIZER_H

#include "text/json/pieces.h"

typedef struct {
    enum {
        GW_PRE_SPLIT,
        GW_PRE_SPACE_BEFORE, // ByteLevel's add_prefix_space: a space before a piece that has none
        GW_PRE_BYTES,        // GPT-2's letters of bytes
        GW_PRE_METASPACE     // spaces become `mark`, and one is put before the piece as `prepend` says
    } kind;
    gw_text_pattern pattern;
    gw_split behaviour;
    bool invert;
    char mark[8]; // one character
    enum { GW_PREPEND_NEVER, GW_PREPEND_FIRST, GW_PREPEND_ALWAYS } prepend;
} gw_pre_step;

typedef struct {
    gw_pre_step *steps;
    int64_t count, capacity;
} gw_pre_tokenizer;

// From the value of "pre_tokenizer", which may be null. Free the pre-tokenizer, also after failure.
gw_status gw_pre_tokenizer_read(const char *path, const json_t *json, gw_pre_tokenizer *out) GW_MUST_CHECK;
void gw_pre_tokenizer_free(gw_pre_tokenizer *pre_tokenizer);
gw_status gw_pre_tokenize(const gw_pre_tokenizer *pre_tokenizer, gw_pieces *pieces) GW_MUST_CHECK;

// Metaspace's settings, of the pre-tokenizer and of the decoder.
gw_status gw_metaspace_read(const char *path, const json_t *json, gw_pre_step *out, bool *split) GW_MUST_CHECK;

#endif
