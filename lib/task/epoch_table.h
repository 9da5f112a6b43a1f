// SPDX-License-Identifier: MIT
// The table that a fine-tuning run shows, one line of notes an epoch.
#ifndef GW_TASK_EPOCH_TABLE_H
#define GW_TASK_EPOCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

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

typedef struct {
    bool begun; // the heading is there
} gw_epoch_table;

// What stands beside the model: a name, its columns, which are those of the model, and the standard error of one of
// its metrics (0, NaN: unknown).
typedef struct {
    char name[16];
    gw_epoch_columns valid;
    const char *metric;
    double error;
} gw_epoch_baseline;

// The heading and the baseline's line, once.
void gw_epoch_table_begin(gw_epoch_table *table, const gw_epoch *epoch, const gw_epoch_baseline *baseline);
void gw_epoch_table_add(gw_epoch_table *table, const gw_epoch *epoch);

#endif
