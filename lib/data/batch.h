// SPDX-License-Identifier: MIT
// Examples laid end to end in a batch: [CLS] A [SEP] B [SEP], with what is to be predicted.
#ifndef GW_DATA_BATCH_H
#define GW_DATA_BATCH_H

#include "base/batch.h"
#include "data/mask.h"
#include "data/pairs.h"

enum { GW_PAIR_SPECIALS = 3 }; // special tokens of an example

// Where examples go in a batch.
typedef struct {
    int tokens;                    // a stream, with segments: 0 up to the first [SEP], then 1
    int masked;                    // a row set, in ascending order, with the tokens to predict
    int pairs;                     // a row for each sequence, with the pair's label
    int32_t classifier, separator; // [CLS] and [SEP]; -1: none
    bool one_segment;              // the model knows one: B is of segment 0 too
    int globals;                   // a stream of global tokens: one of no sentence, which is [CLS], and one a sentence
    int64_t most_globals;          // of a sequence; 0: there are none
    int predicted, encoded;        // row sets of these, where sentences are to be predicted (data/contrast.h)
    int64_t most_contrasts;        // of a sequence; 0: none are
} gw_example_format;

// Sets the special tokens.
gw_status gw_example_format_make(gw_example_format *format, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Room for examples; gw_batch_free() it.
gw_status gw_example_batch_make(const gw_example_format *format, gw_batch *batch, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) GW_MUST_CHECK;

// Room for global tokens, and for predicted sentences, in a batch of so many tokens, at most.
int64_t gw_example_most_globals(const gw_example_format *format, int64_t most_tokens);
int64_t gw_example_most_contrasts(const gw_example_format *format, int64_t most_tokens);
// What an example needs. tokens: special ones not counted.
typedef struct {
    int64_t tokens, masked, globals, sequences, contrasts;
} gw_example_size;
// Of a pair, with nothing masked.
gw_example_size gw_example_size_of(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair);
// Whether that fits beside the others.
bool gw_example_fits(const gw_example_format *format, const gw_batch *batch, gw_example_size size);
// Appends the global tokens of a pair as a sequence of them.
void gw_example_list_globals(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                             gw_rows *globals);
// Appends a sentence in a frame, with its global token as the last one: no pair, and nothing masked.
void gw_example_append_sentence(const gw_example_format *format, gw_batch *batch, const int32_t *tokens, int64_t count);
// Appends the pair, nothing masked yet; it fits. An empty B leaves [CLS] A [SEP].
void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair);
// Masks the last sequence.
void gw_example_mask(const gw_example_format *format, gw_batch *batch, const gw_masker *masker, gw_random *random);

#endif
