// SPDX-License-Identifier: MIT
// A pretrained model's bits per base on regions of a genome (genome_bits.h), beside Markov chains on the same bases.
#ifndef GW_RUN_EVALUATE_GENOME_H
#define GW_RUN_EVALUATE_GENOME_H

#include "base/status.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *fasta;
    const char *regions;          // BED; NULL: every contig
    const char *const *baselines; // [baseline_count] BEDs of the same genome, on which the Markov chains are counted
    int baseline_count;           // 0: no chains
    int order;                    // of the chains
    bool both_strands;            // the model's probabilities are means over both strands
    int64_t sample;               // windows, evenly spaced; 0: all
    int64_t pad_to;               // graphs of sequences padded to so many tokens (gw_batch); 0: each one's own
} gw_eval_genome_options;

// Writes to standard output a TSV with the columns
//   predictor part bases accuracy loss bits_per_base
// and for each of model, markov_causal_K and markov_two_sided_K, chains of order K, the rows all, repeats and rest:
// repeats are bases in 31-mers that occur twice in the genome, on either strand. loss is in nats. Chains read as far as
// the region goes, the model its window.
gw_status gw_eval_genome(gw_model *model, const gw_eval_genome_options *options) GW_MUST_CHECK;

#endif
