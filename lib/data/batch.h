// SPDX-License-Identifier: MIT
// Examples laid end to end: [CLS] A [SEP] B [SEP], with what is to be predicted.
#ifndef GW_DATA_BATCH_H
#define GW_DATA_BATCH_H

#include "base/status.h"
#include "data/mask.h"
#include "data/pairs.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_PAIR_SPECIALS = 3 }; // special tokens of an example

typedef struct {
    int64_t sequences, tokens, masked; // so far
    int64_t most_sequences, most_tokens, most_masked;
    int32_t classifier, separator; // [CLS] and [SEP]
    int64_t *start;                // [sequences + 1]
    int32_t *token;                // [tokens]
    int32_t *segment;              // [tokens] 0 up to the first [SEP], then 1
    int32_t *masked_row;           // [masked] index into token, ascending
    int32_t *masked_label;         // [masked]
    int32_t *pair_label;           // [sequences]
} gw_example_batch;

gw_status gw_example_batch_make(gw_example_batch *batch, const gw_tokenizer *tokenizer, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) GW_MUST_CHECK;
void gw_example_batch_free(gw_example_batch *batch);
void gw_example_batch_clear(gw_example_batch *batch);

// Whether an example of that many tokens (special ones not counted) and masked tokens fits beside the others.
bool gw_example_fits(const gw_example_batch *batch, int64_t tokens, int64_t masked);
// Appends the pair, nothing masked yet; it fits. An empty B leaves [CLS] A [SEP].
void gw_example_append(gw_example_batch *batch, const gw_pack *pack, const gw_pair *pair);
// Masks the last sequence.
void gw_example_mask(gw_example_batch *batch, const gw_masker *masker, gw_random *random);

#endif
