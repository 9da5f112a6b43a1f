// SPDX-License-Identifier: MIT
// How well a pretrained model predicts masked tokens of token shards, in bits per base, beside Markov chains.
//
// Every token is masked exactly once, always by [MASK], in seven disjoint passes: pass p masks the tokens of a chunk
// whose index is p modulo 7. Tokens that hold an N are left out. Bits are -log2 p summed over the masked tokens and
// divided by the bases they hold. A chunk is shown as in training, [CLS] A [SEP] B [SEP], cut in its middle.
#ifndef GW_TASK_MASKED_EVALUATE_SHARDS_H
#define GW_TASK_MASKED_EVALUATE_SHARDS_H

#include "task/evaluate.h"

// Writes to standard output a TSV with the columns
//   predictor tokens bases accuracy loss bits_per_base pairs nsp_accuracy
// and the rows model, markov_causal_K and markov_two_sided_K for chains of order K, all on the same spans of bases.
// loss is in nats per token; what a predictor has not is NA.
gw_status gw_eval_shards(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
