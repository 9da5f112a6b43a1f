// SPDX-License-Identifier: MIT
// What the columns of a labelled table are. Private to lib/label.
#ifndef GW_LABEL_LABELLED_COLUMNS_H
#define GW_LABEL_LABELLED_COLUMNS_H

#include "file/table.h"
#include "label/labelled_options.h"
#include "label/labelled_source.h"

typedef enum {
    GW_COLUMN_IGNORED,
    GW_COLUMN_SEQUENCE,
    GW_COLUMN_SPLIT,
    GW_COLUMN_TSS_OFFSET,
    GW_COLUMN_LABEL,
    GW_COLUMN_CONTIG, // of a region, and the two after it
    GW_COLUMN_BEGIN,
    GW_COLUMN_END,
    GW_COLUMN_STRAND // of a region
} gw_column_kind;

typedef struct {
    gw_column_kind kind;
    int64_t label; // its number
    bool groups;   // its texts group rows
} gw_labelled_column;

// Tells a first line that is a row: of numbers a region or a sequence with finite numbers behind it, else a sequence
// with numbers from 0 to 1, as GENA-LM writes DeepSEA's set.
bool (*gw_labelled_is_row(const gw_labelled_options *options))(char *const *fields, int64_t count);

// All columns of an open table, in their order; the part gets the names of its labels.
gw_status gw_labelled_columns_read(gw_table *table, const gw_labelled_options *options, gw_labelled_column *columns,
                                   gw_labelled_source *part) GW_MUST_CHECK;

#endif
