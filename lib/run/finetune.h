// SPDX-License-Identifier: MIT
// Fine-tuning: a classifier head on [CLS] of a pretrained encoder, or of a fresh one, trained on a labelled set.
#ifndef GW_RUN_FINETUNE_H
#define GW_RUN_FINETUNE_H

#include "data/text_set.h"
#include "network/network.h"
#include "run/evaluate_set.h"
#include "run/judge.h"
#include "run/tuning.h"

enum { GW_BALANCED = -1 };

// A logistic regression to compare with, on the k-mers of windows (kmer_baseline.h) or the words of texts
// (word_baseline.h): by default where it takes seconds for all labels.
typedef enum { GW_BASELINE_OF_SMALL_SETS, GW_BASELINE_NONE, GW_BASELINE_KMER, GW_BASELINE_WORDS } gw_baseline;

typedef struct {
    // Of an encoder; sets as for gw_labelled_set_open: of those with splits the train rows train, and the valid rows
    // validate.
    gw_tuning tuning;
    gw_task task; // not GW_TASK_PRETRAIN
    const char *fasta;
    // FASTA without the label; the sets are FASTA with it then. valid_negative_count 0: a tenth of the sequences
    // validates, where there is validation, and the others train.
    const char *const *negatives, *const *valid_negatives;
    int negative_count, valid_negative_count;
    // Of tasks on texts: their columns (most 0: the model's positions), the classes in their order (0: as the files
    // have them), and the figure by which an epoch is better (NULL: the usual one).
    const gw_text_options *texts;
    const char *const *classes;
    int class_count;
    const char *figure;
    // Training
    bool frozen;                // the encoder stays as it is
    double positive_weight;     // 0: the task's; GW_BALANCED: of each label negatives over positives, 1/100 to 100
    const char *pooling;        // first, mean, places, attention; NULL: the model's
    gw_strands strands;         // both: reverse complements at random; by task: where it reads both
    int64_t shift;              // bp: windows lie up to as far from where the set has them, at random
    gw_network_density density; // of sampled graphs; its sequences are set here
    gw_criterion criterion;     // by which an epoch is better than another
    gw_baseline baseline;
    int64_t positions; // of a pretrained model, as gw_config_use_positions has them; 0: its own
    // Kept in the model folder
    int64_t window;     // bp; 0: the sets' width
    int64_t tss_offset; // bp; -1: the sets'
} gw_finetune_options;

// With validation sets the weights of the best epoch are kept, by means over targets (that are not constant there)
// after each epoch and at the end. An existing model in `output` is an error, or left as it is
// where `resume` is set.
gw_status gw_finetune(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
