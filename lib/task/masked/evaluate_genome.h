// SPDX-License-Identifier: MIT
// A pretrained model's bits per base on regions of a genome (genome_bits.h), beside Markov chains on the same bases.
#ifndef GW_TASK_MASKED_EVALUATE_GENOME_H
#define GW_TASK_MASKED_EVALUATE_GENOME_H

#include "task/evaluate.h"

// Writes to standard output a TSV with the columns
//   predictor part bases accuracy loss bits_per_base
// and for each of model, markov_causal_K and markov_two_sided_K, chains of order K, the rows all, repeats and rest:
// repeats are bases in 31-mers that occur twice in the genome, on either strand. loss is in nats. Chains read as far as
// the region goes, the model its window.
gw_status gw_eval_genome(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
