// SPDX-License-Identifier: MIT
// How well a pretrained model predicts masked tokens of token shards, in bits per base, beside Markov chains.
//
// Every token is masked exactly once, always by [MASK], in seven disjoint passes: pass p masks the tokens of a chunk
// whose index is p modulo 7. Tokens that hold an N are left out. Bits are -log2 p summed over the masked tokens and
// divided by the bases they hold. A chunk is shown as in training, [CLS] A [SEP] B [SEP], cut in its middle.
#ifndef GW_RUN_EVALUATE_SHARDS_H
#define GW_RUN_EVALUATE_SHARDS_H

#include "base/status.h"
#include "model/model.h"

#include <stdint.h>

typedef struct {
    const char *prefix;           // shards to evaluate on
    const char *const *baselines; // [baseline_count] prefixes whose text the Markov chains are counted on
    int baseline_count;           // 0: no chains
    int order;                    // of the chains
    int64_t sample;               // chunks, evenly spaced; 0: all
    uint64_t seed;                // of the sentence pairs
    int64_t pad_to;               // graphs of chunks padded to so many tokens (gw_batch); 0: each chunk's own
} gw_eval_shards_options;

// Writes to standard output a TSV with the columns
//   predictor tokens bases accuracy loss bits_per_base pairs nsp_accuracy
// and the rows model, markov_causal_K and markov_two_sided_K for chains of order K, all on the same spans of bases.
// loss is in nats per token; what a predictor has not is NA.
gw_status gw_eval_shards(gw_model *model, const gw_eval_shards_options *options) GW_MUST_CHECK;

#endif
