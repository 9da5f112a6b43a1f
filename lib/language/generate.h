// SPDX-License-Identifier: MIT
// Generates texts from texts with a decoder: the loop over batches of sources and over the tokens of their targets.
#ifndef GW_LANGUAGE_GENERATE_H
#define GW_LANGUAGE_GENERATE_H

#include "language/beam_search.h"
#include "model/model.h"

// A source, and the target generated from it.
typedef struct {
    int32_t *source, *target; // gw_generate() makes `target`, without start and end
    int64_t source_count, target_count;
    double score; // of the search: sum of log p, divided by the rule's penalty
} gw_generate_text;

typedef struct {
    gw_beam_options search; // start, end and forced_end are set by gw_generate_complete()
    int64_t batch;          // texts at a time
    // Takes the next `count` texts with their targets, before the next batch begins. NULL: the caller reads them at the
    // end.
    gw_status (*take)(void *context, const gw_generate_text *texts, int64_t count);
    void *context;
} gw_generate_options;

// Options that take 0 or -1 from the model's folder.
#define GW_GENERATE_DEFAULTS                                                                                           \
    .search = {.length_penalty = -1,                                                                                   \
               .max_length = -1,                                                                                       \
               .min_length = -1,                                                                                       \
               .no_repeat_ngram = -1,                                                                                  \
               .temperature = 1,                                                                                       \
               .top_p = 1,                                                                                             \
               .seed = 1},                                                                                             \
    .batch = 8
// Replaces these values by those of the folder: generation_config.json, or in older folders config.json. Defaults: 5
// beams, penalty 1, at most 256 tokens. A model without a decoder is an error.
gw_status gw_generate_complete(const char *folder, const gw_model *model, gw_generate_options *options) GW_MUST_CHECK;

// Fills the targets of all texts. The target of a text does not depend on the other texts. Notes tell the memory of
// keys and values, and the number of tokens a second.
gw_status gw_generate(gw_model *model, const gw_generate_options *options, gw_generate_text *texts,
                      int64_t count) GW_MUST_CHECK;

// Sources, one a line: text, JSON objects with a text field, or token ids.
typedef enum { GW_SOURCE_TEXT, GW_SOURCE_JSONL, GW_SOURCE_IDS } gw_source_format;

typedef struct {
    gw_source_format format;
    const char *field; // of JSON objects
    bool truncate;     // texts longer than the model's positions are cut, with the end token kept
    bool add_end;      // adds an end token to the text (not to ids)
} gw_source_options;

// Reads all lines of the file; none may be empty. Appends to *texts, which has the capacity *capacity; free the texts
// with gw_generate_texts_free(). Messages about bad lines name file and line.
gw_status gw_generate_read(const char *path, const gw_model *model, const gw_source_options *options,
                           gw_generate_text **texts, int64_t *count, int64_t *capacity) GW_MUST_CHECK;
void gw_generate_texts_free(gw_generate_text *texts, int64_t count);

#endif
