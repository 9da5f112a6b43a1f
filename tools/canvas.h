// SPDX-License-Identifier: MIT
// What pictures are drawn with: a cairo surface on an output file, text, boxes, axes with round ticks, and legends.
// Units are points of an SVG; a PNG has two pixels a unit. y grows downwards. Colours are 0xRRGGBB.
#ifndef GW_TOOLS_CANVAS_H
#define GW_TOOLS_CANVAS_H

#include "base/output.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

enum { GW_INK = 0x222222, GW_PALE = 0xdddddd, GW_TEXT_SIZE = 13, GW_TITLE_SIZE = 15 };

typedef struct {
    cairo_t *cairo;
    cairo_surface_t *surface;
    gw_output output;
    gw_status written; // first failure of the output
    bool svg;
    double width, height;
} gw_canvas;

// A white page; close it with gw_canvas_close(), which writes it. Drawing on it cannot fail: errors show at the end.
gw_status gw_canvas_open(gw_canvas *canvas, const char *path, double width, double height) GW_MUST_CHECK;
gw_status gw_canvas_close(gw_canvas *canvas, const char *path) GW_MUST_CHECK;

void gw_canvas_colour(gw_canvas *canvas, uint32_t colour);
void gw_canvas_box(gw_canvas *canvas, double x, double y, double width, double height, uint32_t colour);
// Text whose baseline starts (align 0), is centred (0.5) or ends (1) at (x, y). NULL draws nothing.
void gw_canvas_text(gw_canvas *canvas, double x, double y, double align, double size, const char *text);
// The same, reading upwards, centred.
void gw_canvas_text_up(gw_canvas *canvas, double x, double y, double size, const char *text);
double gw_canvas_text_width(gw_canvas *canvas, double size, const char *text);
// Width of the widest of `count` texts, for pages whose size depends on it.
double gw_texts_width(double size, const char *const *texts, int64_t count);

// A scale: `low` is drawn at `from`, `high` at `to`; `whole` has ticks at whole numbers only; a logarithmic one (an x
// axis, low > 0) has them at 1, 2 and 5 times the powers of ten where it is wide enough.
typedef struct {
    double low, high, from, to;
    bool whole, logarithmic;
} gw_scale;
double gw_scale_position(const gw_scale *scale, double value);

// Round values inside [low, high], 1, 2 or 5 times a power of ten and at least `least` apart, about `wanted` of them.
typedef struct {
    double first, step;
    int count, decimals;
} gw_ticks;
gw_ticks gw_ticks_choose(double low, double high, int wanted, double least);

// Ticks, their numbers and the label, under the line y (x axis) or left of the line x (y axis).
void gw_canvas_x_axis(gw_canvas *canvas, const gw_scale *x, double y, const char *label);
void gw_canvas_y_axis(gw_canvas *canvas, const gw_scale *y, double x, const char *label);

// Colours that stay apart for colour-blind readers; repeats after eight.
uint32_t gw_series_colour(int index);

typedef struct {
    const char *name;
    uint32_t colour;
} gw_legend_row;
double gw_canvas_legend_width(gw_canvas *canvas, const gw_legend_row *rows, int count); // 0 for no rows
void gw_canvas_legend(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count);

#endif
