// SPDX-License-Identifier: MIT
// A matrix as coloured cells, with a colour bar.
#include "tools/picture/picture.h"

#include "tools/picture/canvas.h"

#include <math.h>

enum {
    ROW_HEIGHT = 24,
    TITLE = 28,
    NOTE = 20, // under the title
    TOP = 44,
    SPANS = 22,
    BOTTOM = 60,
    RIGHT = 110,
    BAR = 14,
    MAX_COLUMNS = 30000
};

// -1: blue, 0: white, 1: red; each half a straight line to its end colour.
static uint32_t diverging(double at) {
    const uint32_t end = at < 0 ? GW_BELOW : GW_ABOVE;
    const double share = fmin(fabs(at), 1);
    uint32_t colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        colour = colour << 8 | (uint32_t)lround(255 + share * ((end >> shift & 255) - 255.0));
    return colour;
}

typedef struct {
    double low, high; // 0 and all values
    bool unknown;     // a value is not finite, and its cell has no dot
} value_range;

// Where the cells begin: below the title, and below the note and the spans where there are any.
static double top_of(const gw_picture_matrix *m) {
    return TOP + (m->note ? NOTE : 0) + (m->span_count > 0 ? SPANS : 0);
}

static double row_height(const gw_picture_matrix *m) {
    return m->row_height > 0 ? m->row_height : ROW_HEIGHT;
}

// Of the cells, but of at least four usual rows, which the bar needs.
static double bar_height(const gw_picture_matrix *m) {
    return fmax(row_height(m) * (double)m->rows, ROW_HEIGHT * 4);
}

// A bar over the span's columns and its name over the bar's middle.
static void draw_span(gw_canvas *canvas, const gw_picture_matrix *m, const gw_picture_span *span, double left,
                      double cell) {
    const double begin = fmax(span->begin - m->first, 0), end = fmin(span->end - m->first, (double)m->columns);
    if (begin >= end) return;
    gw_canvas_box(canvas, left + begin * cell, top_of(m) - 6, (end - begin) * cell, 3, GW_INK);
    gw_canvas_text(canvas, left + (begin + end) / 2 * cell, top_of(m) - 10, 0.5, GW_TEXT_SIZE, span->name);
}

// A cross in each cell that has one: from corner to corner where cells are large enough, else a stroke down the cell.
static void draw_crosses(gw_canvas *canvas, const gw_picture_matrix *m, double left, double cell) {
    const double height = row_height(m), half = fmin(cell, height) / 4;
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, fmin(1.4, cell / 4));
    for (int64_t i = 0; m->crossed && i < m->rows * m->columns; i++) {
        if (!m->crossed[i]) continue;
        const double x = left + ((double)(i % m->columns) + 0.5) * cell,
                     y = top_of(m) + ((double)(i / m->columns) + 0.5) * height;
        cairo_move_to(canvas->cairo, x - half, y - half);
        cairo_line_to(canvas->cairo, x + half, y + half);
        cairo_move_to(canvas->cairo, x - half, y + half);
        cairo_line_to(canvas->cairo, x + half, y - half);
    }
    cairo_stroke(canvas->cairo);
}

// The bar stands right of the cells, as high as they are but at least four rows.
static void draw_bar(gw_canvas *canvas, const gw_picture_matrix *m, const value_range *range, double x, double limit) {
    const double height = bar_height(m), low = range->low < 0 ? -1 : 0, span = 1 - low;
    enum { STEPS = 64 };
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_NONE);
    for (int i = 0; i < STEPS; i++)
        gw_canvas_box(canvas, x, top_of(m) + i * height / STEPS, BAR, height / STEPS,
                      diverging(1 - span * (i + 0.5) / STEPS));
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_DEFAULT);
    char number[64];
    for (double at = 1; at >= low; at--) {
        const char *beyond = at > 0 && range->high > limit ? "\u2265" : at < 0 && range->low < -limit ? "\u2264" : "";
        snprintf(number, sizeof number, "%s%.3g", beyond, at * limit);
        gw_canvas_text(canvas, x + BAR + 5, top_of(m) + (1 - at) / span * height + GW_TEXT_SIZE * 0.35, 0, GW_TEXT_SIZE,
                       number);
    }
    gw_canvas_text_up(canvas, x + RIGHT - 32, top_of(m) + height / 2, GW_TEXT_SIZE, m->value_label);
}

enum { MOST_LEGEND = 5, LEGEND_HEIGHT = 24 };

static void draw_map(gw_canvas *canvas, const gw_picture_matrix *m, const value_range *range, double left,
                     double cell) {
    const double right = left + (double)m->columns * cell, bottom = top_of(m) + (double)m->rows * row_height(m);
    const double largest = fmax(range->high, -range->low), limit = m->limit > 0 ? m->limit : largest > 0 ? largest : 1;
    const double height = row_height(m);
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_NONE); // no pale seams between cells
    for (int64_t r = 0; r < m->rows; r++) {
        for (int64_t c = 0; c < m->columns; c++) {
            const double value = m->value[r * m->columns + c];
            const uint32_t colour = isfinite(value) ? diverging(value / limit) : GW_NO_VALUE;
            gw_canvas_box(canvas, left + (double)c * cell, top_of(m) + (double)r * height, cell, height, colour);
        }
    }
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_DEFAULT);
    const double radius = fmax(fmin(cell / 4, 3), 0.25);
    gw_canvas_colour(canvas, GW_INK);
    for (int64_t c = 0; m->marked && c < m->columns; c++) {
        if (m->marked[c] < 0) continue;
        cairo_new_sub_path(canvas->cairo);
        cairo_arc(canvas->cairo, left + ((double)c + 0.5) * cell, top_of(m) + (m->marked[c] + 0.5) * row_height(m),
                  radius, 0, 6.28318530717958647692);
    }
    cairo_fill(canvas->cairo);
    draw_crosses(canvas, m, left, cell);
    for (int64_t i = 0; i < m->span_count; i++) draw_span(canvas, m, &m->spans[i], left, cell);
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_rectangle(canvas->cairo, left, top_of(m), right - left, bottom - top_of(m));
    cairo_stroke(canvas->cairo);
    for (int64_t r = 0; r < m->rows; r++)
        gw_canvas_text(canvas, left - 7, top_of(m) + ((double)r + 0.5) * row_height(m) + GW_TEXT_SIZE * 0.35, 1,
                       GW_TEXT_SIZE, m->row_label[r]);
    // a column's number stands under its middle
    const gw_scale x = {m->first - 0.5, m->first + (double)m->columns - 0.5, left, right, .whole = true};
    gw_canvas_x_axis(canvas, &x, bottom, m->x_label);
    draw_bar(canvas, m, range, right + 14, limit);
    gw_canvas_text(canvas, left, TITLE, 0, GW_TITLE_SIZE, m->title);
    gw_canvas_text(canvas, left, TITLE + NOTE, 0, GW_TEXT_SIZE, m->note);
}

gw_status gw_picture_map(const char *path, const gw_picture_matrix *matrix) {
    if (matrix->columns < 1 || matrix->columns > MAX_COLUMNS || matrix->rows < 1 || matrix->rows > 1000)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: cannot draw %lld rows by %lld columns (1 to 1000 by 1 to %d)", path,
                       (long long)matrix->rows, (long long)matrix->columns, MAX_COLUMNS);
    gw_legend_row rows[MOST_LEGEND];
    value_range range = {0, 0, false};
    for (int64_t i = 0; i < matrix->rows * matrix->columns; i++) {
        const double value = matrix->value[i];
        if (isfinite(value)) range.low = fmin(range.low, value), range.high = fmax(range.high, value);
        else if (!matrix->marked || matrix->marked[i % matrix->columns] != i / matrix->columns) range.unknown = true;
    }
    // What colours, dots and crosses say, of those that there are; the dot's row is the first.
    int listed = 0;
    bool crossed = false;
    for (int64_t i = 0; matrix->crossed && i < matrix->rows * matrix->columns; i++)
        crossed = crossed || matrix->crossed[i];
    if (matrix->mark_label) rows[listed++] = (gw_legend_row){matrix->mark_label, GW_NO_VALUE, GW_LEGEND_DOT};
    if (matrix->above && range.high > 0) rows[listed++] = (gw_legend_row){matrix->above, GW_ABOVE, GW_LEGEND_BOX};
    if (matrix->below && range.low < 0) rows[listed++] = (gw_legend_row){matrix->below, GW_BELOW, GW_LEGEND_BOX};
    if (range.unknown) rows[listed++] = (gw_legend_row){"no value", GW_NO_VALUE, GW_LEGEND_BOX};
    if (crossed) rows[listed++] = (gw_legend_row){matrix->cross_label, GW_PALE, GW_LEGEND_CROSS};
    // A cell is wide enough for a letter where there are few columns, half a unit (a pixel of a PNG) where there are
    // many.
    const double cell = fmin(fmax(1100.0 / (double)matrix->columns, 0.5), 18),
                 left = fmax(gw_texts_width(GW_TEXT_SIZE, matrix->row_label, matrix->rows) + 24, GW_NUMBER_HALF);
    gw_canvas nowhere = gw_canvas_nowhere();
    const double words = fmax(gw_texts_width(GW_TITLE_SIZE, &matrix->title, 1),
                              gw_texts_width(GW_TEXT_SIZE, &matrix->note, 1)),
                 head = fmax(words, gw_canvas_legend_line_width(&nowhere, rows, listed));
    gw_canvas_forget(&nowhere);
    const double wide = left + fmax((double)matrix->columns * cell + RIGHT, fmax(head + 24, 300));
    const double high = top_of(matrix) + bar_height(matrix) + BOTTOM + (listed > 0 ? LEGEND_HEIGHT : 0);
    gw_canvas canvas;
    GW_TRY(gw_canvas_open(&canvas, path, wide, high));
    draw_map(&canvas, matrix, &range, left, cell);
    gw_canvas_legend_line(&canvas, left, canvas.height - 14, rows, listed);
    return gw_canvas_close(&canvas, path);
}
