// SPDX-License-Identifier: MIT
// Prediction of masked bases of a genome by a model of single bases, each base once.
//
// Windows of the model's length overlap by half, and the middle half of each is evaluated (gw_genome_tiles of
// data/genome_text.h). A window runs seven times: pass p masks bases p, p + 7, p + 14 ... with [MASK]. N is neither
// masked nor counted. Probabilities are the softmax over the whole vocabulary, as in training. A base is right if its
// probability is the largest of the four bases. With both strands, the same bases are also masked in the reverse
// complement, and probabilities are averaged.
#ifndef GW_TASK_MASKED_EVALUATE_GENOME_H
#define GW_TASK_MASKED_EVALUATE_GENOME_H

#include "data/genome_text.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_GENOME_PASSES = 7 };

// Sums over repeats (lower case in the text) [1], and over other bases [0].
typedef struct {
    double nats[2]; // -ln p of the true base
    int64_t bases[2], right[2];
} gw_base_sums;
double gw_bits_per_base(const gw_base_sums *sums); // over all bases; NaN without bases

// Window length in bases for this model: its sequences without [CLS] and [SEP].
int64_t gw_genome_window_length(const gw_model *model);
typedef struct {
    int64_t sample; // tiles, evenly spaced; 0: all
    bool both_strands;
    bool note_metrics; // prints the metrics of the model's mixer (gw_network_note_metrics())
} gw_genome_bits_options;
gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, const gw_genome_bits_options *options,
                         gw_base_sums *sums) GW_MUST_CHECK;

#endif
