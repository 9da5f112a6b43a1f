// SPDX-License-Identifier: MIT
// Token shards as examples of pretraining.
//
// Example number g of a run (g = 0, 1, ...) belongs to epoch g / chunks; its chunk stands at position g mod chunks of
// that epoch's order, and its sentence pair and masks are drawn anew in every epoch. Step s takes examples [s b, (s +
// 1) b): nothing has to be saved for resuming.
#ifndef GW_TASK_MASKED_PRETRAIN_DATA_H
#define GW_TASK_MASKED_PRETRAIN_DATA_H

#include "base/status.h"
#include "data/batch.h"
#include "task/masked/pretrain_source.h"

#include <stdint.h>

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

#endif
