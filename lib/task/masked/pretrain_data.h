// SPDX-License-Identifier: MIT
// The data of pretraining: token shards or genomes, as examples.
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
    gw_examples examples; // as many in every step
    const gw_tokenizer *tokenizer;
    double mean_bases;  // a token; 0: unknown
    char digest[33];    // MD5 of the data
    int64_t epoch;      // examples of an epoch
    double mean_tokens; // of an example, special tokens included
} gw_pretrain_source;

// Token shards as examples of pretraining.
//
// Example number g of a run (g = 0, 1, ...) belongs to epoch g / chunks; its chunk stands at position g mod chunks of
// that epoch's order, and its sentence pair and masks are drawn anew in every epoch. Step s takes examples [s b, (s +
// 1) b): nothing has to be saved for resuming.

typedef struct {
    const char *const *prefixes; // [count] of shards that share a vocabulary
    int count;
    int64_t length;          // tokens of a sequence, special tokens included
    int64_t tokens_per_step; // roughly: whole examples of mean length
    double mask_rate;
    bool whole_words; // of texts: gw_masker_take_words()
    uint64_t seed;
    bool one_segment; // gw_example_format
    bool alone;      // the model tells no pairs: of texts, a chunk is a sequence, not cut in two; short ones are joined
    int64_t globals; // most global tokens of a sequence, which sentences are given; 0: none, else none are joined
    double contrast; // weight of the loss of predicted sentences, that of masked tokens is 1 less it; 0: none are
} gw_pretrain_data_options;

// A source whose tokenizer is PREFIX.tokenizer.json of the first prefix; the others hold the same tokens.
gw_status gw_pretrain_data_open(const gw_pretrain_data_options *options, gw_pretrain_source *out) GW_MUST_CHECK;

// Where a model's network reads examples; without special tokens.
extern const gw_example_format gw_pretrain_format;

// Windows of genomes, at random offsets and on random strands, as examples of pretraining: masked bases
// alone, of models that see single bases.
//
// Example g = 0, 1, ... of a run is a window (gw_genome_window_draw) with masks (gw_mask), both functions of (seed, g);
// step s takes examples [s b, (s + 1) b). A sequence is [CLS] bases [SEP]. N is never masked, and so never counted. A
// masked base of a repeat counts in the loss with the probability `repeat_weight`: in expectation its loss has that
// weight, and what the model reads does not tell repeats from the rest.

typedef struct {
    const gw_genome_text *text;
    const gw_tokenizer *tokenizer; // of single bases
    int64_t length;                // tokens of a sequence, special tokens included
    int64_t tokens_per_step;       // roughly: whole windows
    double mask_rate;
    double repeat_weight; // 0 to 1
    bool species;         // a token of its own for each genome but the first, in [CLS]'s place
    uint64_t seed;
} gw_pretrain_genome_options;

// The species tokens of genomes 1, 2 ... are the ids behind the tokenizer's: a model has rows for them, and without
// them, as all else runs it, is that of genome 0.
int64_t gw_species_vocabulary(const gw_tokenizer *tokenizer, int genomes); // size with them

// Borrows text and tokenizer.
gw_status gw_pretrain_genome_open(const gw_pretrain_genome_options *options, gw_pretrain_source *out) GW_MUST_CHECK;

// The tokenizer beside token shards.

// Reads PREFIX.tokenizer.json. Where `expected` is not NULL, another vocabulary is an error.
gw_status gw_shard_tokenizer(const char *prefix, const gw_tokenizer *expected, gw_tokenizer **out) GW_MUST_CHECK;

#endif
