// SPDX-License-Identifier: MIT
// Fine-tuning: trains a pretrained or a fresh model for a task on a labelled set. Each kind of task reads its part of
// the settings (kind.h).
#ifndef GW_TASK_FINETUNE_H
#define GW_TASK_FINETUNE_H

#include "base/string.h"
#include "data/shuffle.h"
#include "language/text_pairs.h"
#include "language/text_set.h"
#include "model/config.h"
#include "network/network.h"
#include "run/trainer.h"
#include "task/windows/predict.h"

#include <stdbool.h>
#include <stdint.h>

// Settings of all fine-tuning runs: the model, the sets, the training, the files.

typedef struct {
    // A model folder; or a fresh model with this config and vocabulary.
    const char *model;
    // Mode of the model's attention (gw_config_use_mode()), kept in the folder; and the mode used if this is NULL and
    // the model has BigBird's attention. NULL: the model's own.
    const char *attention, *usual_attention;
    int64_t usual_globals; // most global tokens of a sequence, for a model that has some; 0: the model's number
    const gw_config *fresh;
    const char *tokenizer;      // of a fresh model; NULL: single letters
    gw_string_list sets, valid; // no `valid`: no validation; the last weights are kept
    // Training
    int64_t epochs, steps;  // steps > 0 take precedence over epochs
    int64_t batch;          // examples of a step
    int64_t tokens;         // computed at a time
    int64_t groups;         // of a step's examples (run/step.h); 0: one for each rank
    bool all_reduce;        // the transport sums gradients, not in the order of groups
    bool recompute;         // the backward pass recomputes layers: less memory, the same bits
    gw_precision precision; // of the products in training (gw_network_options)
    gw_mixer_options mixer;
    double rate;
    gw_schedule_kind schedule;
    int64_t warmup; // steps; -1: the schedule's default
    gw_optimiser_options optimiser;
    double dropout;       // -1: the model's
    double average_decay; // of an exponential moving average of the weights, which becomes the model; 0: none
    int64_t patience;     // epochs without improvement before the run stops; 0: no early stop
    uint64_t seed;
    // Files
    const char *command;     // stored in the model folder; or NULL
    const char *output;      // model folder, also for metrics.jsonl
    const char *checkpoints; // or NULL
    bool checkpoints_pass;   // the checkpoints are removed once the model is complete
    int64_t save_every, report_every;
    bool resume;
} gw_tuning;

gw_epochs gw_tuning_order(const gw_tuning *tuning, int64_t examples); // for examples of the set
// Stores the command in the config of the new model.
gw_status gw_tuning_keep_command(const gw_tuning *tuning, gw_config *config) GW_MUST_CHECK;

enum { GW_BALANCED = -1 };

// A logistic regression as baseline, on the k-mers of windows (windows/baselines.c) or the words of texts
// (texts/texts_baseline.h). By default only if it takes seconds for all labels.
typedef enum { GW_BASELINE_OF_SMALL_SETS, GW_BASELINE_KMER, GW_BASELINE_WORDS, GW_BASELINE_NONE } gw_baseline;
#define GW_BASELINES "kmer|words|none"

typedef struct {
    // For an encoder; sets as for gw_labelled_set_open(). In sets with splits the train rows are for training, and the
    // valid rows for validation.
    gw_tuning tuning;
    gw_task task; // not GW_TASK_PRETRAIN
    const char *fasta;
    // FASTA without the label; the sets are then FASTA with the label. No valid_negatives: a tenth of the sequences is
    // for validation, if requested, and the others are for training.
    gw_string_list negatives, valid_negatives;
    // For tasks on texts: their columns (most 0: the model's positions), and the classes in order (none: as in the
    // files).
    gw_text_options texts;
    gw_string_list classes;
    // For texts about texts.
    gw_text_pairs_options pairs;
    double smoothing; // of labels
    // For tasks of numbers, with columns named by texts.label (none: all that are no descriptions).
    gw_number_loss_kind loss;
    double bend;               // delta of Huber's loss, in deviations; 0: 1
    const char *label_weights; // a number for each column, between commas; NULL: 1
    gw_string_list tracks;     // signals; the numbers are their means over regions, instead of columns; for profiles
                               // the counts of bases, on one strand or on + and -
    bool one_number;           // all columns are one number (gw_numbers.shared)
    bool missing;              // NA and empty fields are unknown numbers
    const char *overlaps;      // file for the validation rows that share sequence with training rows; NULL: none
    // For bases: bp read on either side of a window (-1: the default); weights of classes in the loss (NULL: 1; a
    // number for each, none first; "balanced" or "root"), and the focus (kernels/kernel.h; 0: none).
    int64_t context;
    const char *class_weights;
    double focus;
    // Training
    bool frozen;            // the encoder does not change
    double positive_weight; // 0: the task's; GW_BALANCED: negatives / positives of each label, within 1/100 to 100
    const char *pooling;    // first, mean, places, attention; NULL: the model's
    gw_strands strands;     // both: reverse complements at random; by task: if the task reads both
    int64_t shift;          // bp: windows are shifted at random by up to this distance
    const char *metric;     // metric for comparing epochs: for windows one of GW_CRITERIA, NULL: auroc; for texts one
                            // of GW_TEXT_CRITERIA, NULL: the default; for numbers pearson (NULL), spearman, loss
    gw_baseline baseline;
    int64_t positions; // new number of positions for a pretrained model (gw_config_use_positions()); 0: its own
    // Stored in the model folder
    int64_t window;     // bp; 0: the length of the set's windows
    int64_t tss_offset; // bp; -1: from the sets
    // Whether the user gave the field at this offset, with any value; presets fill the others. NULL: no field was
    // given.
    bool (*given)(size_t offset);
} gw_finetune_options;

// Detects runs that do not learn: compares the loss with that of guessing.
typedef struct {
    double loss, guess; // running means over about 50 steps
    int64_t steps;
    int64_t patience; // steps before the next warning; set it before the first step
} gw_chance;

// Takes the loss of a step and the loss of guessing on the same examples. Returns true after `patience` steps, and then
// at growing intervals, if the loss is not below 0.995 of guessing.
bool gw_chance_stays(gw_chance *chance, double loss, double guess);

// With validation sets, the weights of the best epoch are kept. Epochs are compared by means over targets (not constant
// ones), after each epoch and at the end. An existing model in `output` is an error; with `resume` it stays, with a
// note. Without `resume`, a stopped run's state is an error too if checkpoints_pass.
gw_status gw_finetune(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
