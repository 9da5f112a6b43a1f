// SPDX-License-Identifier: MIT
// Token shards or genomes as examples for pretraining.
#ifndef GW_TASK_MASKED_PRETRAIN_DATA_H
#define GW_TASK_MASKED_PRETRAIN_DATA_H

#include "base/status.h"
#include "data/batch.h"
#include "data/genome_text.h"
#include "network/examples.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_examples examples; // the same number in every step
    const gw_tokenizer *tokenizer;
    double mean_bases;  // per token; 0: unknown
    char digest[33];    // MD5 of the data
    int64_t epoch;      // examples of an epoch
    double mean_tokens; // of an example, special tokens included
} gw_pretrain_source;

// Examples from token shards.
//
// Example g = 0, 1, ... of a run belongs to epoch g / chunks. Its chunk is at position g mod chunks of the epoch's
// order. Its sentence pair and masks are drawn again in every epoch. Step s takes examples [s b, (s + 1) b), so
// resuming needs no saved state.

typedef struct {
    const char *const *prefixes; // [count] shards with a common vocabulary
    int count;
    int64_t length;          // tokens of a sequence, special tokens included
    int64_t tokens_per_step; // approximate: whole examples of mean length
    double mask_rate;
    bool whole_words; // texts: gw_masker_take_words()
    uint64_t seed;
    bool one_segment; // gw_example_format
    bool alone;      // the model has no sentence pairs: a chunk of text is one sequence, and short documents are joined
    int64_t globals; // most global tokens of a sequence, for sentences, which are then not joined; 0: none
    double contrast; // weight of the loss of predicted sentences; that of masked tokens is 1 minus this; 0: none
} gw_pretrain_data_options;

// Opens a source with the tokenizer PREFIX.tokenizer.json of the first prefix. All prefixes must have the same tokens.
gw_status gw_pretrain_data_open(const gw_pretrain_data_options *options, gw_pretrain_source *out) GW_MUST_CHECK;

// Streams and row sets of examples in a model's network; without special tokens.
extern const gw_example_format gw_pretrain_format;

// Examples from windows of genomes, at random offsets and on random strands: masked bases only, for models of single
// bases.
//
// Example g = 0, 1, ... of a run is a window (gw_genome_window_draw()) with masks (gw_mask()), both functions of (seed,
// g). Step s takes examples [s b, (s + 1) b). A sequence is [CLS] bases [SEP]. N is never masked and never counted. A
// masked base of a repeat counts in the loss with the probability `repeat_weight`, so that its expected loss has this
// weight. The model's input does not mark repeats.

typedef struct {
    const gw_genome_text *text;
    const gw_tokenizer *tokenizer; // of single bases
    int64_t length;                // tokens of a sequence, special tokens included
    int64_t tokens_per_step;       // approximate: whole windows
    double mask_rate;
    double repeat_weight; // 0 to 1
    bool species;         // a separate token for each genome except the first, instead of [CLS]
    uint64_t seed;
} gw_pretrain_genome_options;

// The species tokens of genomes 1, 2 ... are ids behind the tokenizer's ids. The model has embeddings for them. Without
// these tokens, as in all other commands, it runs for genome 0.
int64_t gw_species_vocabulary(const gw_tokenizer *tokenizer, int genomes); // size including them

// Borrows text and tokenizer.
gw_status gw_pretrain_genome_open(const gw_pretrain_genome_options *options, gw_pretrain_source *out) GW_MUST_CHECK;

// Reads the tokenizer beside token shards.

// Reads PREFIX.tokenizer.json. A vocabulary different from `expected` (unless NULL) is an error.
gw_status gw_shard_tokenizer(const char *prefix, const gw_tokenizer *expected, gw_tokenizer **out) GW_MUST_CHECK;

#endif
