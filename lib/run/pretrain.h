// SPDX-License-Identifier: MIT
// Pretraining: masked tokens and next sentences over token shards, or masked bases over genomes.
#ifndef GW_RUN_PRETRAIN_H
#define GW_RUN_PRETRAIN_H

#include "base/status.h"
#include "data/genome_text.h"
#include "model/config.h"
#include "run/optimiser.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *const *data; // [data_count] prefixes of shards
    int data_count;
    const gw_genome_part *genomes; // [genome_count] instead of shards: windows of these (pretrain_genome.h)
    int genome_count;
    double repeat_weight;    // of masked bases of repeats, 0 to 1
    const char *valid;       // prefix of shards for a validation loss at each save; NULL: none
    const char *model;       // folder to write
    const char *checkpoints; // folder of the training state and the metrics; outside the model folder
    const gw_config *config; // positions: the length of sequences
    int64_t steps, tokens_per_step;
    int64_t warmup; // -1: the smaller of 10,000 and a tenth of the steps
    double rate, mask_rate;
    gw_optimiser_options optimiser;
    int64_t save_every; // steps; 0: at the end alone
    uint64_t seed;
    bool recompute;         // layers run again in the backward pass: less memory, the same bits
    gw_precision precision; // of the products with training (gw_network_options)
    bool resume;
    const char *command; // for the model's config
} gw_pretrain_options;

// At each save the training state is renamed into place, and the model folder (with a copy of metrics.jsonl) is then
// derived from it. Resuming reads only the state: it starts at step 0 where there is none, refuses one of other
// settings or data, and leaves a finished run as it is, deriving the model folder again only where it is not the
// state's. Without `resume` an existing model folder is an error. An interruption saves the state and is an error that
// says so.
gw_status gw_pretrain(const gw_pretrain_options *options) GW_MUST_CHECK;

#endif
