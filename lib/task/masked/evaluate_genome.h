// SPDX-License-Identifier: MIT
// How well a model of single bases predicts masked bases of a genome, every base once.
//
// Windows as long as the model's sequences overlap by half, and the middle half of each counts (genome_tiles.h). A
// window is run seven times: pass p masks its bases number p, p + 7, p + 14 ..., always by [MASK]. N is neither masked
// nor counted. Probabilities are the softmax over the whole vocabulary, as in training; a base is right where its own
// is the largest of the four. On both strands the same bases are masked in the window's reverse complement too, and a
// base's probability is the mean of both.
#ifndef GW_TASK_MASKED_EVALUATE_GENOME_H
#define GW_TASK_MASKED_EVALUATE_GENOME_H

#include "data/genome_text.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_GENOME_PASSES = 7 };

// Sums over the bases that are repeats (lower case in the text) [1], and over the others [0].
typedef struct {
    double nats[2]; // -ln p of the true base
    int64_t bases[2], right[2];
} gw_base_sums;
double gw_bits_per_base(const gw_base_sums *sums); // of both; NaN where there are none

// Bases of a window of this model: its sequences without [CLS] and [SEP].
int64_t gw_genome_window_length(const gw_model *model);
typedef struct {
    int64_t sample; // tiles, evenly spaced; 0: all
    bool both_strands;
    bool note_metrics; // notes those of the model's mixer (gw_network_note_metrics())
} gw_genome_bits_options;
gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, const gw_genome_bits_options *options,
                         gw_base_sums *sums) GW_MUST_CHECK;

#endif
