// SPDX-License-Identifier: MIT
// Pictures of results. The suffix of the path chooses the format, .png or .svg; the file appears whole or not at all.
#ifndef GW_TOOLS_PICTURE_H
#define GW_TOOLS_PICTURE_H

#include "base/status.h"

#include <stdint.h>

// GW_OK where the suffix names a format: to be asked before long work whose end is a picture.
gw_status gw_picture_check(const char *path) GW_MUST_CHECK;

// A curve. Points that are not finite leave a gap.
typedef struct {
    const char *name;    // in the legend; NULL: none
    const double *x, *y; // [count]
    int64_t count;
} gw_picture_series;

// Curves over common axes that hold them all, such as losses over steps or ROC curves. No title or label: NULL.
gw_status gw_picture_lines(const char *path, const char *title, const char *x_label, const char *y_label,
                           const gw_picture_series *series, int count) GW_MUST_CHECK;

// A matrix as coloured cells: blue below zero, white at zero, red above, alike on both sides.
typedef struct {
    const char *title, *x_label, *value_label; // or NULL
    int64_t rows, columns;
    const float *value;           // [rows][columns]; values that are not finite are grey
    const char *const *row_label; // [rows]
    double first;                 // what the axis calls column 0 (a position); columns are one apart
    const int32_t *marked;        // [columns] row of the cell that gets a dot (the reference base), -1: none; or NULL
} gw_picture_matrix;

// At most 30,000 columns.
gw_status gw_picture_map(const char *path, const gw_picture_matrix *matrix) GW_MUST_CHECK;

#endif
