// SPDX-License-Identifier: MIT
// The "normalizer" of a tokenizer.json: steps that change a text before it is cut.
#ifndef GW_TEXT_JSON_NORMALIZER_H
#define GW_TEXT_JSON_NORMALIZER_H

#include "text/json/text_pattern.h"
#include "text/unicode.h"

typedef struct {
    enum {
        GW_NORMALIZE_STRIP,
        GW_NORMALIZE_REPLACE,
        GW_NORMALIZE_PREPEND,
        GW_NORMALIZE_LOWER_CASE,
        GW_NORMALIZE_FORM,
        GW_NORMALIZE_STRIP_ACCENTS, // drops marks; `left`: only those that take no room
        GW_NORMALIZE_CLEAN,         // BERT's: control characters go, white space becomes a space
        GW_NORMALIZE_SPACE_CHINESE, // BERT's: spaces around Chinese characters
        GW_NORMALIZE_BYTES          // GPT-2's letters of bytes
    } kind;
    bool left, right;        // STRIP
    gw_text_pattern pattern; // REPLACE
    char *content;           // REPLACE, PREPEND; owned
    gw_normal_form form;     // FORM
} gw_normalizer_step;

typedef struct {
    gw_normalizer_step *steps;
    int64_t count, capacity;
} gw_normalizer;

// From the value of "normalizer", which may be null. Free the normalizer, also after failure.
gw_status gw_normalizer_read(const char *path, const json_t *json, gw_normalizer *out) GW_MUST_CHECK;
void gw_normalizer_free(gw_normalizer *normalizer);

// Memory of one thread. Zero-initialise.
typedef struct {
    gw_string texts[2];
    gw_regex_scratch regex;
} gw_normalizer_scratch;
void gw_normalizer_scratch_free(gw_normalizer_scratch *scratch);

// Appends the text, which is valid UTF-8, as it is after all steps. *trimmed: something was stripped from its front.
gw_status gw_normalize(const gw_normalizer *normalizer, gw_normalizer_scratch *scratch, const char *text,
                       int64_t length, gw_string *out, bool *trimmed) GW_MUST_CHECK;

#endif
