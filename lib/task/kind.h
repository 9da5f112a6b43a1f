// SPDX-License-Identifier: MIT
// What fine-tuning does that differs from task to task: a kind of labels is a file with one of these, and its tasks
// name it in tasks.def. The loop (finetune.c) knows no task; the options of a kind stand as rows beside its table.
#ifndef GW_TASK_KIND_H
#define GW_TASK_KIND_H

#include "model/task.h"
#include "run/step.h"
#include "run/trainer.h"
#include "task/data_kind.h"
#include "task/finetune.h"

#include <stdbool.h>
#include <stdint.h>

// The table that a fine-tuning run shows, one line of notes an epoch.

// Columns of validation: what stands above them, how wide they are, and their values.
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
    bool validated, better; // than every epoch before
    gw_epoch_columns valid;
    double seconds, left;
} gw_epoch;

// What stands beside the model: a name, its columns, which are those of the model, and the standard error of one of
// its metrics (0, NaN: unknown).
typedef struct {
    char name[16];
    gw_epoch_columns valid;
    const char *metric;
    double error;
} gw_epoch_baseline;

// gw_option.of: which kinds take an option, a bit each.
enum {
    GW_OF_PAIRS = 1,   // texts about texts
    GW_OF_CLASSES = 2, // of texts
    GW_OF_WORDS = 4,
    GW_OF_BINS = 8, // windows without a direction
    GW_OF_SITES = 16,
    GW_OF_ANSWERS = 32,
    GW_OF_NUMBERS = 64, // of windows
    GW_OF_BASES = 128,
    GW_OF_COUNTS = 256, // of bases
    GW_OF_TEXTS = GW_OF_CLASSES | GW_OF_WORDS,
    GW_OF_PRESENCE = GW_OF_BINS | GW_OF_SITES, // labels of windows that are 0 or 1
    GW_OF_WINDOWS = GW_OF_PRESENCE | GW_OF_NUMBERS,
    // Whatever is no text that is written.
    GW_OF_LABELS = GW_OF_TEXTS | GW_OF_WINDOWS | GW_OF_ANSWERS | GW_OF_BASES | GW_OF_COUNTS,
};

typedef struct gw_task_kind gw_task_kind;

// A run and all that it owns.
typedef struct {
    const gw_finetune_options *options;
    const gw_task_kind *kind;
    void *own; // of the kind: `size` bytes that begin as zeros
    gw_model *model;
    gw_examples examples; // of training
    gw_steps step;
    int64_t steps, epoch_steps;
    gw_training training;
    gw_chance chance;
    bool table_begun; // the heading of the epochs is there
} gw_finetune_run;

struct gw_task_kind {
    unsigned of;  // its bit
    int64_t size; // of `own`
    bool writes;  // texts: a fresh model is one with a decoder
    // Names of its presets, "a|b" (NULL: none); and what sets what one of them says and the user did not.
    const char *presets;
    void (*preset)(gw_finetune_options *options, const char *name);
    const gw_data_kind *data; // that nothing else reads; NULL: windows or texts, as options and files say
    // What the options say together, or what is wrong with it.
    gw_status (*complete)(gw_finetune_options *options);

    // In this order. The first makes `model` of what the sets, the options and the model that is begun with say.
    gw_status (*make_model)(gw_finetune_run *run);
    gw_status (*make_examples)(gw_finetune_run *run, const gw_tuning *tuning); // sets epoch_steps too
    bool (*validates)(const gw_finetune_run *run);
    gw_status (*prepare)(gw_finetune_run *run); // validation, and the baseline beside it; NULL: nothing to do

    // Within a step: what is added to the mean loss, and the loss of knowing nothing but how frequent each label is
    // (NULL: 0, and not known).
    double (*added_loss)(const gw_finetune_run *run);
    double (*chance)(gw_finetune_run *run, int64_t step);

    // The weights as they are on the validation set: sets epoch's metrics, adds to `row`, and says how good they are.
    gw_status (*validate)(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value);
    bool less_is_better; // of that value, which is shown as it is; otherwise losses are negated
    // After validation, where the weights may be the best so far; NULL: nothing to do.
    gw_status (*beside_baseline)(gw_finetune_run *run, json_t *row, bool better);
    bool (*baseline_line)(const gw_finetune_run *run, gw_epoch_baseline *out); // false, NULL: there is none
    const char *(*metric)(const gw_finetune_run *run); // what the value is of: "mean AUROC"; "loss"

    // What a resumed run must share with the one that it continues.
    void (*print)(const gw_finetune_run *run, gw_string *out);
    gw_status (*finish)(gw_finetune_run *run);        // under the weights that make the model; NULL: nothing to do
    gw_status (*save)(const gw_finetune_run *run);    // files beside the model, before it; NULL: none
    gw_status (*compare)(const gw_finetune_run *run); // at the end: with baselines; NULL: nothing to do
    void (*free)(void *own);
};

const gw_task_kind *gw_task_kind_of(gw_task task); // NULL: of pretraining

#endif
