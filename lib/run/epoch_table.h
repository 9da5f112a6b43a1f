// SPDX-License-Identifier: MIT
// The table that a fine-tuning run shows, one line of notes an epoch.
#ifndef GW_RUN_EPOCH_TABLE_H
#define GW_RUN_EPOCH_TABLE_H

#include "run/judge.h"
#include "run/text_judge.h"

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

// The heading and a line for a logistic regression on k-mers, once; `error` is the standard error of its AUROC (0, NaN:
// unknown).
void gw_epoch_table_begin(gw_epoch_table *table, const gw_epoch *epoch, int k, const gw_judgement *baseline,
                          double error);
void gw_epoch_table_add(gw_epoch_table *table, const gw_epoch *epoch);

#endif
