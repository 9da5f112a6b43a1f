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

typedef enum { GW_KEEP_BEST, GW_KEEP_LAST } gw_keep; // of the best validation, or the last ones
#define GW_KEEPS "best|last"

typedef struct {
    gw_string_list data;             // prefixes of shards
    const gw_genome_source *genomes; // [genome_count] instead of shards: windows of these (pretrain_data.h)
    int genome_count;
    double repeat_weight; // of masked bases of repeats, 0 to 1
    bool species;         // tokens tell the genomes apart
    const char *unlike;   // BED of the first genome: what the others share with these (homologs.h) is left out of them
    // Validation at each save: loss on shards with this prefix, or bits per base (evaluate_genome.h) on some
    // `valid_bases` of what `without` names in `genomes`. NULL, none: no validation.
    const char *valid;
    int64_t valid_bases;
    gw_keep keep;            // whose weights make the model, where there is validation
    const char *model;       // folder to write
    const char *checkpoints; // folder of the training state and the metrics, outside the model folder; NULL: none
    const char *start;       // model folder whose weights are the first ones; NULL: fresh weights
    const gw_config *config; // with `start`: of that folder, but for its head
    int64_t length;          // tokens of a sequence, special tokens included; 0: the config's positions
    int64_t steps, tokens_per_step;
    gw_schedule_kind schedule;
    int64_t warmup;       // -1: the schedule's own
    double average_decay; // d of gw_training.average, whose weights are validated and saved; 0: none
    double rate, mask_rate;
    bool whole_words; // of shards of texts: all tokens of a word are masked or none
    double contrast;  // of shards, for models with global tokens: weight of predicting sentences that are masked whole
    gw_optimiser_options optimiser;
    int64_t save_every; // steps; 0: at the end alone
    uint64_t seed;
    gw_mixer_options mixer;
    int64_t groups;         // of a step's examples (run/step.h); 0: one for each rank
    bool all_reduce;        // gradients are summed by the transport, not in the order of groups
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
