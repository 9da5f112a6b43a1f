// SPDX-License-Identifier: MIT
// Pretraining: masked tokens and next sentences over token shards, or masked bases over genomes.
#ifndef GW_TASK_MASKED_PRETRAIN_H
#define GW_TASK_MASKED_PRETRAIN_H

#include "base/status.h"
#include "data/genome_text.h"
#include "model/config.h"
#include "network/network.h"
#include "run/optimiser.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_KEEP_BEST, GW_KEEP_LAST } gw_keep; // weights of the best validation, or the last weights
#define GW_KEEPS "best|last"

typedef struct {
    gw_string_list data;             // prefixes of shards
    const gw_genome_source *genomes; // [genome_count] instead of shards: windows of these genomes (pretrain_data.h)
    int genome_count;
    double repeat_weight; // weight of masked bases in repeats, 0 to 1
    bool species;         // each genome has its own token
    const char *unlike;   // BED of the first genome: sequence of the others that is similar to it (gw_homologs_cut())
                          // is removed
    // Validation at each save: loss on shards with this prefix, or bits per base (evaluate_genome.h) on about
    // `valid_bases` of the regions in `without` of `genomes`. NULL, none: no validation.
    const char *valid;
    int64_t valid_bases;
    gw_keep keep;            // weights of the final model, with validation
    const char *model;       // folder to write
    const char *checkpoints; // folder for the training state and the metrics, outside the model folder; NULL: none
    const char *start;       // model folder with the initial weights; NULL: fresh weights
    const gw_config *config; // with `start`: the config of this folder, except its head
    int64_t length;          // tokens of a sequence, special tokens included; 0: the config's positions
    int64_t steps, tokens_per_step;
    gw_schedule_kind schedule;
    int64_t warmup;       // -1: the schedule's default
    double average_decay; // d of gw_training.average; the average is validated and saved; 0: none
    double rate, mask_rate;
    bool whole_words; // shards of texts: masks all tokens of a word, or none
    double contrast;  // shards, models with global tokens: weight of predicting wholly masked sentences
    gw_optimiser_options optimiser;
    int64_t save_every; // steps; 0: only at the end
    uint64_t seed;
    gw_mixer_options mixer;
    int64_t groups;         // of a step's examples (run/step.h); 0: one for each rank
    bool all_reduce;        // the transport sums gradients, not in the order of groups
    bool recompute;         // the backward pass recomputes layers: less memory, the same bits
    gw_precision precision; // of the products in training (gw_network_options)
    bool resume;
    const char *command; // for the model's config
} gw_pretrain_options;

// At each save the training state is renamed into place, and the model folder (with a copy of metrics.jsonl) is then
// made from it. Resuming reads only the state. It starts at step 0 without a state, and fails if the state has other
// settings or data. A finished run stays as it is; its model folder is made again only if it differs from the state.
// Without `resume` an existing model folder is an error. An interruption saves the state and is an error; its message
// says so.
gw_status gw_pretrain(const gw_pretrain_options *options) GW_MUST_CHECK;

#endif
