// SPDX-License-Identifier: MIT
// Windows of genomes, at random offsets and on random strands, as examples of pretraining: masked bases
// alone, of models that see single bases.
//
// Example g = 0, 1, ... of a run is a window (gw_genome_window_draw) with masks (gw_mask), both functions of (seed, g);
// step s takes examples [s b, (s + 1) b). A sequence is [CLS] bases [SEP]. N is never masked, and so never counted. A
// masked base of a repeat counts in the loss with the probability `repeat_weight`: in expectation its loss has that
// weight, and what the model reads does not tell repeats from the rest.
#ifndef GW_TASK_MASKED_PRETRAIN_GENOME_H
#define GW_TASK_MASKED_PRETRAIN_GENOME_H

#include "data/genome_text.h"
#include "task/masked/pretrain_source.h"

#include <stdbool.h>

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

#endif
