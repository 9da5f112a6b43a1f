// SPDX-License-Identifier: MIT
// Drawing for pictures: a cairo surface on an output file, text, boxes, axes with round ticks, and legends. Units are
// points of an SVG; a PNG has two pixels a unit. y grows downwards. Colours are 0xRRGGBB.
#ifndef GW_TOOLS_PICTURE_CANVAS_H
#define GW_TOOLS_PICTURE_CANVAS_H

#include "base/output.h"
#include "base/string.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

enum { GW_INK = 0x222222, GW_PALE = 0xdddddd, GW_TEXT_SIZE = 13, GW_TITLE_SIZE = 15 };
enum { GW_ABOVE = 0xb2182b, GW_BELOW = 0x2166ac, GW_NO_VALUE = 0xbbbbbb }; // signed values: red, blue, grey
enum { GW_NUMBER_HALF = 48 };                                              // space for half of 200,000,000

typedef struct {
    cairo_t *cairo;
    cairo_surface_t *surface;
    gw_output output;
    gw_status written; // first failure of the output or of memory
    bool svg;
    gw_string page, words; // of an SVG: its bytes, and its texts, one a line
    double width, height;
} gw_canvas;

// Makes a white page. gw_canvas_close() writes it. Drawing cannot fail; errors are returned at the end. Letters of an
// SVG are shapes. A <desc> contains the texts, for search and for screen readers.
gw_status gw_canvas_open(gw_canvas *canvas, const char *path, double width, double height) GW_MUST_CHECK;
gw_status gw_canvas_close(gw_canvas *canvas, const char *path) GW_MUST_CHECK;
// A page for measuring layout, which is not written. Close it with gw_canvas_forget().
gw_canvas gw_canvas_nowhere(void);
void gw_canvas_forget(gw_canvas *canvas);

void gw_canvas_colour(gw_canvas *canvas, uint32_t colour);
void gw_canvas_box(gw_canvas *canvas, double x, double y, double width, double height, uint32_t colour);
// Draws text with its baseline starting (align 0), centred (0.5) or ending (1) at (x, y). NULL draws nothing. Invalid
// UTF-8 is drawn as U+FFFD.
void gw_canvas_text(gw_canvas *canvas, double x, double y, double align, double size, const char *text);
// The same from x on; a text wider than `width` is cut and ends with ...
void gw_canvas_text_within(gw_canvas *canvas, double x, double y, double width, double size, const char *text);
// The same, rotated to read upwards, centred.
void gw_canvas_text_up(gw_canvas *canvas, double x, double y, double size, const char *text);
double gw_canvas_text_width(gw_canvas *canvas, double size, const char *text);
// Width of the widest of `count` texts, to compute the size of a page.
double gw_texts_width(double size, const char *const *texts, int64_t count);

// A scale: `low` is drawn at `from`, `high` at `to`. `whole`: ticks only at integers. A logarithmic scale (low > 0) has
// ticks at powers of ten, and, if there is space, at 2 and 5 times these.
typedef struct {
    double low, high, from, to;
    bool whole, logarithmic;
} gw_scale;
double gw_scale_position(const gw_scale *scale, double value);
// The smallest of 1, 2 or 5 times a power of ten that is at least `rough`, which must be above 0.
double gw_round_step(double rough);
// Moves the ends of a y axis outwards to ticks.
void gw_scale_round(gw_scale *y);

enum { GW_MOST_TICKS = 64 };
typedef struct {
    double value;
    char number[32]; // text of the tick
} gw_tick;
// The ticks of a y axis, for lines across a panel. Returns their number.
int gw_y_ticks(const gw_scale *y, gw_tick ticks[GW_MOST_TICKS]);

// Draws ticks, numbers and the label, under the line y (x axis) or left of the line x (y axis). Numbers never touch: an
// x axis has as many as fit. GW_NUMBER_HALF beside the axis is enough space for the last number.
void gw_canvas_x_axis(gw_canvas *canvas, const gw_scale *x, double y, const char *label);
void gw_canvas_y_axis(gw_canvas *canvas, const gw_scale *y, double x, const char *label);

// Colours that colour-blind readers can distinguish; repeats after eight.
uint32_t gw_series_colour(int index);

typedef enum { GW_LEGEND_BOX, GW_LEGEND_DASHES, GW_LEGEND_DOT, GW_LEGEND_CROSS } gw_legend_sign;
typedef struct {
    const char *name;
    uint32_t colour;
    gw_legend_sign sign; // a box, dashes, or a box with a dot or a cross
} gw_legend_row;
double gw_canvas_legend_width(gw_canvas *canvas, const gw_legend_row *rows, int count); // 0 for no rows
void gw_canvas_legend(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count);
// A legend in one line of text, from x on the baseline y; and its width.
void gw_canvas_legend_line(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count);
double gw_canvas_legend_line_width(gw_canvas *canvas, const gw_legend_row *rows, int count);

#endif
