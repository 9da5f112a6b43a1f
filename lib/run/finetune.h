// SPDX-License-Identifier: MIT
// Fine-tuning: a classifier head on [CLS] of a pretrained encoder, or of a fresh one, trained on a labelled set.
#ifndef GW_RUN_FINETUNE_H
#define GW_RUN_FINETUNE_H

#include "base/status.h"
#include "data/text_set.h"
#include "model/network.h"
#include "run/evaluate_set.h"
#include "run/judge.h"
#include "run/schedule.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BALANCED = -1 };

// A logistic regression on k-mers to compare with (kmer_baseline.h): by default where it takes seconds for all labels.
typedef enum { GW_BASELINE_OF_SMALL_SETS, GW_BASELINE_NONE, GW_BASELINE_KMER } gw_baseline;

typedef struct {
    gw_task task; // not GW_TASK_PRETRAIN
    // The encoder: a model folder, or a fresh one of this config with this vocabulary.
    const char *model;
    const char *attention; // mode of the model's attention (gw_pattern_use_mode), kept in the folder; NULL: its own
    const gw_config *fresh;
    const char *tokenizer; // of a fresh one; NULL: single letters
    // Sets, as for gw_labelled_set_open. Of sets with splits the train rows train, and the valid rows validate.
    const char *const *sets;
    int set_count;
    const char *const *valid;
    int valid_count; // 0: no validation, the last weights are kept
    const char *fasta;
    // Of tasks on texts: their columns (most 0: the model's positions), the classes in their order (0: as the files
    // have them), and the figure by which an epoch is better (NULL: the usual one).
    const gw_text_options *texts;
    const char *const *classes;
    int class_count;
    const char *figure;
    // Training
    int64_t epochs, steps;  // steps > 0 goes before epochs
    int64_t batch;          // examples
    int64_t tokens;         // computed at a time
    bool recompute;         // layers run again in the backward pass: less memory, the same bits
    bool frozen;            // the encoder stays as it is
    gw_precision precision; // of the products with training (gw_network_options)
    double rate;
    gw_schedule_kind schedule;
    int64_t warmup; // steps; -1: the schedule's own
    double decay, clip;
    double positive_weight;     // 0: the task's; GW_BALANCED: of each label negatives over positives, 1/100 to 100
    double dropout;             // -1: the model's
    const char *pooling;        // first, mean, places, attention; NULL: the model's
    gw_strands strands;         // both: reverse complements at random; by task: where it reads both
    gw_network_density density; // of sampled graphs; its sequences are set here
    double average_decay;       // of an exponential moving average of the weights, which makes the model; 0: none
    gw_criterion criterion;     // by which an epoch is better than another
    gw_baseline baseline;
    int64_t patience; // epochs without a better one before the run stops; 0: it goes on to its end
    uint64_t seed;
    // Kept in the model folder
    int64_t window;     // bp; 0: the sets' width
    int64_t tss_offset; // bp; -1: the sets'
    const char *command;
    // Files
    const char *output; // model folder; holds metrics.jsonl too
    const char *checkpoints;
    int64_t save_every, report_every;
    bool resume;
} gw_finetune_options;

// With validation sets the weights of the best epoch are kept, by means over targets (that are not constant there)
// after each epoch and at the end. An existing model in `output` is an error, or left as it is
// where `resume` is set.
gw_status gw_finetune(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
