// SPDX-License-Identifier: MIT
// Pictures of results. The suffix of the path chooses the format, .png or .svg; the file appears whole or not at all.
#ifndef GW_TOOLS_PICTURE_PICTURE_H
#define GW_TOOLS_PICTURE_PICTURE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_CURVE_LINE, GW_CURVE_DOTS, GW_CURVE_DASHES } gw_curve_style;

// A curve. Points that are not finite leave a gap.
typedef struct {
    const char *name;    // in the legend; NULL: none
    const double *x, *y; // [count]
    int64_t count;
    gw_curve_style style;
    int colour;      // 1: the first of gw_series_colour(), ...; 0: the next one in order
} gw_picture_series; // 1: the first of gw_series_colour(), ...; 0: the next in order

// Curves with common axes, such as losses over steps or ROC curves. No title or label: NULL.
typedef struct {
    const char *title, *x_label, *y_label;
    bool logarithmic_x; // all x > 0
    const gw_picture_series *series;
    int count;
    bool whole_x, whole_y; // ticks at whole numbers only
    double line;           // x of a vertical line with its label; no label: no line
    const char *line_label;
} gw_picture_panel;

// Draws panels one below the other.
gw_status gw_picture_panels(const char *path, const gw_picture_panel *panels, int count) GW_MUST_CHECK;
// Draws a single panel.
gw_status gw_picture_lines(const char *path, const char *title, const char *x_label, const char *y_label,
                           const gw_picture_series *series, int count) GW_MUST_CHECK;

// A marked value in a picture of scores.
typedef struct {
    double at;
    const char *name;
} gw_picture_line;

// A histogram: bars for values below zero are blue, others red. If the highest count exceeds 200 the axis of counts is
// logarithmic.
typedef struct {
    const char *title, *x_label, *y_label;
    const float *values;          // finite
    int64_t count;                // > 0
    const gw_picture_line *lines; // [line_count] ascending, or NULL; the axis includes them
    int line_count;
} gw_picture_counts;
gw_status gw_picture_histogram(const char *path, const gw_picture_counts *counts) GW_MUST_CHECK;

// Columns of a matrix with a bar and a name above, such as a known site: [begin, end), in units of `first`.
typedef struct {
    const char *name; // or NULL
    double begin, end;
} gw_picture_span;

// A matrix as coloured cells: blue below zero, white at zero, red above, symmetrical. The colour bar shows only sides
// with values.
typedef struct {
    const char *title, *note; // the note is under the title; or NULL
    const char *x_label, *value_label;
    int64_t rows, columns;
    const float *value;           // [rows][columns]; values that are not finite are grey
    const char *const *row_label; // [rows]
    double limit;                 // size with the full colour, also for larger values; 0: the largest
    double row_height;            // points; 0: the default
    double first;                 // position of column 0 on the axis; columns are one apart
    const int32_t *marked;        // [columns] row of the cell with a dot (the reference base), -1: none; or NULL
    const char *mark_label;       // meaning of the dot; then of colours above and below zero; or NULL
    const char *above, *below;
    const bool *crossed; // [rows][columns] cells with a cross, and its meaning; or NULL
    const char *cross_label;
    const gw_picture_span *spans; // [span_count], in any order; parts outside the columns are cut
    int64_t span_count;
} gw_picture_matrix;

// At most 30,000 columns.
gw_status gw_picture_map(const char *path, const gw_picture_matrix *matrix) GW_MUST_CHECK;

// Bases as letters with their values as heights: upwards above zero, upside down below zero. Bases with a value that is
// not finite leave a gap. Long sequences continue in further rows with the same axis.
typedef struct {
    const char *title, *x_label, *y_label;
    const char *bases;  // [count] A, C, G, T; others leave a gap
    const float *value; // [count]
    int64_t count;
    double first;                 // position of base 0 on the axis
    const gw_picture_span *spans; // as in gw_picture_matrix
    int64_t span_count;
} gw_picture_logo;

enum { GW_MOST_LOGO = 4000 }; // most bases of a logo
gw_status gw_picture_letters(const char *path, const gw_picture_logo *logo) GW_MUST_CHECK;

// Fitting of a straight line by least squares.

// y = a + b x; r2 = 1 - (sum of squared residuals) / (sum of squares about the mean); 1 if all y are equal.
typedef struct {
    double a, b, r2;
} gw_line_fit;
gw_line_fit gw_fit_line(const double *x, const double *y, int64_t count);

#endif
