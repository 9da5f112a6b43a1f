// SPDX-License-Identifier: MIT
// Texts to write about: a line each, as text, as JSON objects with a text field, or as token ids.
#ifndef GW_LANGUAGE_GENERATE_INPUT_H
#define GW_LANGUAGE_GENERATE_INPUT_H

#include "language/generate.h"

typedef enum { GW_SOURCE_TEXT, GW_SOURCE_JSONL, GW_SOURCE_IDS } gw_source_format;

typedef struct {
    gw_source_format format;
    const char *field; // of JSON objects
    bool truncate;     // longer texts than the model's positions are cut, and keep their end token
    bool add_end;      // end token after the text (not of ids)
} gw_source_options;

// Reads every line of the file, of which none may be empty. Appends to *texts, which holds *capacity; sources are
// made, gw_generate_texts_free() frees them. A message of a bad line names file and line.
gw_status gw_generate_read(const char *path, const gw_model *model, const gw_source_options *options,
                           gw_generate_text **texts, int64_t *count, int64_t *capacity) GW_MUST_CHECK;
void gw_generate_texts_free(gw_generate_text *texts, int64_t count);

#endif
