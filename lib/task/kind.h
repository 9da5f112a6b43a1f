// SPDX-License-Identifier: MIT
// Parts of fine-tuning that depend on the task. A kind of labels is a file with one gw_task_kind; tasks name it in
// tasks.def. The loop (finetune.c) is independent of tasks. The options of a kind are rows beside its table.
#ifndef GW_TASK_KIND_H
#define GW_TASK_KIND_H

#include "model/task.h"
#include "run/step.h"
#include "run/trainer.h"
#include "task/data_kind.h"
#include "task/finetune.h"

#include <stdbool.h>
#include <stdint.h>

// The table that a fine-tuning run prints, one note for each epoch.

// Columns of validation: headings, widths and values.
enum { GW_EPOCH_COLUMNS = 10 };
typedef struct {
    struct {
        const char *name;
        int width;
        double value;
    } of[GW_EPOCH_COLUMNS];
    int count;
} gw_epoch_columns;
void gw_epoch_column_add(gw_epoch_columns *columns, const char *name, int width, double value);

typedef struct {
    double number; // epochs so far
    int64_t steps;
    double train_loss;
    bool validated, better; // better than all earlier epochs
    gw_epoch_columns valid;
    double seconds, left;
} gw_epoch;

// A baseline beside the model: its name, its columns (the same as the model's), and the standard error of one of its
// metrics (0, NaN: unknown).
typedef struct {
    char name[16];
    gw_epoch_columns valid;
    const char *metric;
    double error;
} gw_epoch_baseline;

// Bits for gw_option.of: the kinds that have an option.
enum {
    GW_OF_PAIRS = 1,   // texts about texts
    GW_OF_CLASSES = 2, // classes of texts
    GW_OF_WORDS = 4,
    GW_OF_BINS = 8, // windows without a strand
    GW_OF_SITES = 16,
    GW_OF_ANSWERS = 32,
    GW_OF_NUMBERS = 64, // numbers of windows
    GW_OF_BASES = 128,
    GW_OF_COUNTS = 256, // counts of bases
    GW_OF_TEXTS = GW_OF_CLASSES | GW_OF_WORDS,
    GW_OF_PRESENCE = GW_OF_BINS | GW_OF_SITES, // labels of windows with values 0 and 1
    GW_OF_WINDOWS = GW_OF_PRESENCE | GW_OF_NUMBERS,
    // All kinds except written texts.
    GW_OF_LABELS = GW_OF_TEXTS | GW_OF_WINDOWS | GW_OF_ANSWERS | GW_OF_BASES | GW_OF_COUNTS,
};

typedef struct gw_task_kind gw_task_kind;

// A run and its data.
typedef struct {
    const gw_finetune_options *options;
    const gw_task_kind *kind;
    void *own; // data of the kind: `size` bytes, zeroed at first
    gw_model *model;
    gw_examples examples; // for training
    gw_steps step;
    int64_t steps, epoch_steps;
    gw_training training;
    gw_chance chance;
    bool table_begun; // the heading of the table was printed
} gw_finetune_run;

struct gw_task_kind {
    unsigned of;  // bit of the kind
    int64_t size; // of `own`
    bool writes;  // the kind writes texts: a fresh model has a decoder
    // presets: names of the kind's presets, "a|b" (NULL: none). preset: sets the values of a preset that the user did
    // not give.
    const char *presets;
    void (*preset)(gw_finetune_options *options, const char *name);
    const gw_data_kind *data; // the kind's own data; NULL: windows or texts, decided by options and files
    // Completes the options, or fails if they contradict each other.
    gw_status (*complete)(gw_finetune_options *options);

    // Called in this order. make_model makes `model` from the sets, the options and the start model.
    gw_status (*make_model)(gw_finetune_run *run);
    gw_status (*make_examples)(gw_finetune_run *run, const gw_tuning *tuning); // sets epoch_steps too
    bool (*validates)(const gw_finetune_run *run);
    gw_status (*prepare)(gw_finetune_run *run); // prepares validation and the baseline; NULL: none

    // In a step: a term added to the mean loss; and the loss of a predictor that knows only the frequency of each label
    // (NULL: 0, and unknown).
    double (*added_loss)(const gw_finetune_run *run);
    double (*chance)(gw_finetune_run *run, int64_t step);

    // Validates the current weights: sets the epoch's metrics, adds to `row`, and returns a value for comparing epochs.
    gw_status (*validate)(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value);
    bool less_is_better; // of this value, which is then shown unchanged; otherwise losses are negated
    // Called after validation, if the weights may be the best so far; NULL: none.
    gw_status (*beside_baseline)(gw_finetune_run *run, json_t *row, bool better);
    bool (*baseline_line)(const gw_finetune_run *run, gw_epoch_baseline *out); // false, NULL: no baseline
    const char *(*metric)(const gw_finetune_run *run); // name of the value: "mean AUROC"; "loss"

    // Appends the settings that a resumed run must share.
    void (*print)(const gw_finetune_run *run, gw_string *out);
    gw_status (*finish)(gw_finetune_run *run);        // runs with the final weights; NULL: none
    gw_status (*save)(const gw_finetune_run *run);    // writes files beside the model, before the model; NULL: none
    gw_status (*compare)(const gw_finetune_run *run); // compares with baselines at the end; NULL: none
    void (*free)(void *own);
};

const gw_task_kind *gw_task_kind_of(gw_task task); // NULL for pretraining

#endif
