// SPDX-License-Identifier: MIT
// Texts about texts, by a model with a decoder: the loop over batches of sources and over the tokens of their targets.
#ifndef GW_LANGUAGE_GENERATE_H
#define GW_LANGUAGE_GENERATE_H

#include "language/beam_search.h"
#include "model/model.h"

// A source, and what is written about it.
typedef struct {
    int32_t *source, *target; // `target` is made by gw_generate(): start and end left out
    int64_t source_count, target_count;
    double score; // of the search: log p by the rule's penalty
} gw_generate_text;

typedef struct {
    gw_beam_options search; // start, end and forced_end are set by gw_generate_complete()
    int64_t batch;          // texts at a time
    // Takes the next `count` texts, whose targets are there, before others are begun. NULL: they are read at the end.
    gw_status (*take)(void *context, const gw_generate_text *texts, int64_t count);
    void *context;
} gw_generate_options;

// Options that leave to the model's folder what is 0 or -1.
#define GW_GENERATE_DEFAULTS                                                                                           \
    .search = {.length_penalty = -1,                                                                                   \
               .max_length = -1,                                                                                       \
               .min_length = -1,                                                                                       \
               .no_repeat_ngram = -1,                                                                                  \
               .temperature = 1,                                                                                       \
               .top_p = 1,                                                                                             \
               .seed = 1},                                                                                             \
    .batch = 8
// Sets those to what the folder says: generation_config.json, or in older folders config.json. What neither says: 5
// beams, penalty 1, at most 256 tokens. A model without a decoder is an error.
gw_status gw_generate_complete(const char *folder, const gw_model *model, gw_generate_options *options) GW_MUST_CHECK;

// Fills the targets of all texts. The same text gets the same target whatever stands beside it. Says in a note what
// memory the keys and values take, and how many tokens a second were written.
gw_status gw_generate(gw_model *model, const gw_generate_options *options, gw_generate_text *texts,
                      int64_t count) GW_MUST_CHECK;

// Texts to write about: a line each, as text, as JSON objects with a text field, or as token ids.
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
