// SPDX-License-Identifier: MIT
// The table that a fine-tuning run shows, one line of notes an epoch.
#ifndef GW_TASK_EPOCH_TABLE_H
#define GW_TASK_EPOCH_TABLE_H

#include "task/texts/text_judge.h"
#include "task/windows/judge.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double number; // epochs so far
    int64_t steps, labels;
    double train_loss;
    bool validated; // and `valid` and `better` mean something
    gw_judgement valid;
    bool texts; // the figures are those below
    gw_text_figures figures;
    bool better; // than every epoch before
    double seconds, left;
} gw_epoch;

typedef struct {
    bool begun; // the heading is there
} gw_epoch_table;

// What stands beside the model: a name, "words", its figures on the validation set, of windows or of texts, and the
// standard error of one of them (0, NaN: unknown).
typedef struct {
    char name[16];
    const gw_judgement *windows;
    const gw_text_figures *texts;
    const char *figure;
    double error;
} gw_epoch_baseline;

// The heading and the baseline's line, once.
void gw_epoch_table_begin(gw_epoch_table *table, const gw_epoch *epoch, const gw_epoch_baseline *baseline);
void gw_epoch_table_add(gw_epoch_table *table, const gw_epoch *epoch);

#endif
