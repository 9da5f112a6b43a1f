// SPDX-License-Identifier: MIT
// Fine-tuning: a pretrained model, or a fresh one, trained for a task on a labelled set. Kinds of tasks read what is
// theirs of the settings (kind.h).
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

// Settings of every fine-tuning run, whatever its labels are: the model, the sets, how it is trained, the
// files.

typedef struct {
    // A model folder, or a fresh model of this config with this vocabulary.
    const char *model;
    // Mode of the model's attention (gw_config_use_mode), kept in the folder, and the one where that is NULL and the
    // attention is BigBird's. NULL: its own.
    const char *attention, *usual_attention;
    int64_t usual_globals; // most global tokens of a sequence, of a model that has some; 0: as many as it has
    const gw_config *fresh;
    const char *tokenizer;      // of a fresh one; NULL: single letters
    gw_string_list sets, valid; // no `valid`: no validation, the last weights are kept
    // Training
    int64_t epochs, steps;  // steps > 0 goes before epochs
    int64_t batch;          // examples of an update
    int64_t tokens;         // computed at a time
    int64_t groups;         // of a step's examples (run/step.h); 0: one for each rank
    bool all_reduce;        // gradients are summed by the transport, not in the order of groups
    bool recompute;         // layers run again in the backward pass: less memory, the same bits
    gw_precision precision; // of the products with training (gw_network_options)
    gw_mixer_options mixer;
    double rate;
    gw_schedule_kind schedule;
    int64_t warmup; // steps; -1: the schedule's own
    gw_optimiser_options optimiser;
    double dropout;       // -1: the model's
    double average_decay; // of an exponential moving average of the weights, which makes the model; 0: none
    int64_t patience;     // epochs without a better one before the run stops; 0: it goes on to its end
    uint64_t seed;
    // Files
    const char *command;     // kept in the model folder; or NULL
    const char *output;      // model folder; holds metrics.jsonl too
    const char *checkpoints; // or NULL
    bool checkpoints_pass;   // they are removed once the model is there
    int64_t save_every, report_every;
    bool resume;
} gw_tuning;

gw_epochs gw_tuning_order(const gw_tuning *tuning, int64_t examples); // of the set
// Keeps the command in the config of the model that is made.
gw_status gw_tuning_keep_command(const gw_tuning *tuning, gw_config *config) GW_MUST_CHECK;

enum { GW_BALANCED = -1 };

// A logistic regression to compare with, on the k-mers of windows (windows/baselines.c) or the words of texts
// (word_baseline.h): by default where it takes seconds for all labels.
typedef enum { GW_BASELINE_OF_SMALL_SETS, GW_BASELINE_KMER, GW_BASELINE_WORDS, GW_BASELINE_NONE } gw_baseline;
#define GW_BASELINES "kmer|words|none"

typedef struct {
    // Of an encoder; sets as for gw_labelled_set_open: of those with splits the train rows train, and the valid rows
    // validate.
    gw_tuning tuning;
    gw_task task; // not GW_TASK_PRETRAIN
    const char *fasta;
    // FASTA without the label; the sets are FASTA with it then. No valid_negatives: a tenth of the sequences validates,
    // where there is validation, and the others train.
    gw_string_list negatives, valid_negatives;
    // Of tasks on texts: their columns (most 0: the model's positions), and the classes in their order (none: as the
    // files have them).
    gw_text_options texts;
    gw_string_list classes;
    // Of texts about texts: theirs.
    gw_text_pairs_options pairs;
    double smoothing; // of labels
    // Of tasks of numbers, whose columns texts.label names (none: all that do not describe).
    gw_number_loss_kind loss;
    double bend;               // of Huber's loss, in deviations; 0: 1
    const char *label_weights; // a number for each column, between commas; NULL: 1
    gw_string_list tracks;     // signals whose means over regions are the numbers, in the place of columns; of profiles
                               // the counts of bases, of one strand or of + and -
    bool one_number;           // that columns share (gw_numbers.shared)
    bool missing;              // NA and empty fields are numbers that are not known
    const char *overlaps;      // file for the validation rows that share sequence with training rows; NULL: none
    // Of bases: bp on either side of a window that are read (-1: the usual); weights of classes in the loss (NULL: 1; a
    // number for each, none first, "balanced" or "root"), and its focus (kernels/kernel.h; 0: none).
    int64_t context;
    const char *class_weights;
    double focus;
    // Training
    bool frozen;            // the encoder stays as it is
    double positive_weight; // 0: the task's; GW_BALANCED: of each label negatives over positives, 1/100 to 100
    const char *pooling;    // first, mean, places, attention; NULL: the model's
    gw_strands strands;     // both: reverse complements at random; by task: where it reads both
    int64_t shift;          // bp: windows lie up to as far from where the set has them, at random
    const char *metric;     // by which an epoch is better: of windows one of GW_CRITERIA, NULL: auroc; of texts one of
                            // GW_TEXT_CRITERIA, NULL: the usual one; of numbers pearson (NULL), spearman, loss
    gw_baseline baseline;
    int64_t positions; // of a pretrained model, as gw_config_use_positions has them; 0: its own
    // Kept in the model folder
    int64_t window;     // bp; 0: the sets' width
    int64_t tss_offset; // bp; -1: the sets'
    // Whether the user set the field at this offset, whatever its value: presets fill the others; NULL: none was set.
    bool (*given)(size_t offset);
} gw_finetune_options;

// Whether a run learns at all: its loss beside that of guessing.
typedef struct {
    double loss, guess; // running means over about 50 steps
    int64_t steps;
    int64_t patience; // steps before the next warning; to be set before the first step
} gw_chance;

// Takes the loss of a step and that of guessing on the same examples. True, after `patience` steps and then after ever
// more, where the loss has not come below 0.995 of guessing.
bool gw_chance_stays(gw_chance *chance, double loss, double guess);

// With validation sets the weights of the best epoch are kept, by means over targets (that are not constant there)
// after each epoch and at the end. An existing model in `output` is an error, or left as it is, with a note, where
// `resume` is set; so is, without that, the state of a stopped run in checkpoints that pass.
gw_status gw_finetune(const gw_finetune_options *options) GW_MUST_CHECK;

#endif
