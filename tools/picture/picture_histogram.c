// SPDX-License-Identifier: MIT
// Bars between round values, zero among them, as many as Rice's rule says: 2 cbrt(n).
#include "tools/picture/picture.h"

#include "base/memory.h"
#include "tools/picture/canvas.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 820, HEIGHT = 360, LEFT = 96, RIGHT = GW_NUMBER_HALF, TOP = 44, BOTTOM = 60 };
enum { FEWEST_BARS = 8, MOST_BARS = 80, PLAIN = 200 };
// On a logarithmic axis a single value is still a bar that is seen.
static const double lowest_count = 0.7;

typedef struct {
    double first, step; // where the first bar begins, and their width
    int64_t counts[2 * MOST_BARS + 2];
    int bars;
} binning;

static binning choose_bars(const gw_picture_counts *c) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < c->count; i++) low = fmin(low, c->values[i]), high = fmax(high, c->values[i]);
    for (int i = 0; i < c->line_count; i++) low = fmin(low, c->lines[i].at), high = fmax(high, c->lines[i].at);
    const double wanted = fmin(MOST_BARS, fmax(FEWEST_BARS, 2 * cbrt((double)c->count)));
    const double range = high > low ? high - low : fmax(fabs(high), 1);
    binning b = {.step = gw_round_step(range / wanted)};
    b.first = floor(low / b.step) * b.step;
    b.bars = (int)fmin(2 * MOST_BARS, floor((high - b.first) / b.step) + 1);
    for (int64_t i = 0; i < c->count; i++) {
        const int bar = (int)((c->values[i] - b.first) / b.step);
        b.counts[bar < 0 ? 0 : bar < b.bars ? bar : b.bars - 1]++;
    }
    return b;
}

static void draw_bars(gw_canvas *canvas, const binning *b, const gw_scale *x, const gw_scale *y) {
    for (int i = 0; i < b->bars; i++) {
        if (b->counts[i] == 0) continue;
        const double begin = b->first + i * b->step, from = gw_scale_position(x, begin),
                     to = gw_scale_position(x, begin + b->step), top = gw_scale_position(y, (double)b->counts[i]);
        const double gap = to - from > 4 ? 1 : 0;
        gw_canvas_box(canvas, from, top, to - from - gap, y->from - top, begin < -b->step / 2 ? GW_BELOW : GW_ABOVE);
    }
}

// Each name stands beside its line, lower than the one before.
static void draw_lines(gw_canvas *canvas, const gw_picture_counts *c, const gw_scale *x, const gw_scale *y) {
    const double dashes[] = {4, 3};
    for (int i = 0; i < c->line_count; i++) {
        const double at = gw_scale_position(x, c->lines[i].at);
        const bool left = at + gw_canvas_text_width(canvas, GW_TEXT_SIZE, c->lines[i].name) + 5 > canvas->width;
        gw_canvas_colour(canvas, GW_INK);
        cairo_set_line_width(canvas->cairo, 0.8);
        cairo_set_dash(canvas->cairo, dashes, 2, 0);
        cairo_move_to(canvas->cairo, at, y->from);
        cairo_line_to(canvas->cairo, at, y->to);
        cairo_stroke(canvas->cairo);
        cairo_set_dash(canvas->cairo, NULL, 0, 0);
        gw_canvas_text(canvas, at + (left ? -5 : 5), y->to + GW_TEXT_SIZE * (1 + 1.4 * i), left ? 1 : 0, GW_TEXT_SIZE,
                       c->lines[i].name);
    }
}

static void draw(gw_canvas *canvas, const gw_picture_counts *c, const binning *b) {
    int64_t most = 1;
    for (int i = 0; i < b->bars; i++) most = b->counts[i] > most ? b->counts[i] : most;
    gw_scale x = {b->first, b->first + b->bars * b->step, LEFT, WIDTH - RIGHT};
    gw_scale y = {0, (double)most, HEIGHT - BOTTOM, TOP, .whole = true, .logarithmic = most > PLAIN};
    if (y.logarithmic) y.low = lowest_count, y.high = 1.2 * (double)most;
    else gw_scale_round(&y);
    draw_bars(canvas, b, &x, &y);
    draw_lines(canvas, c, &x, &y);
    gw_canvas_box(canvas, x.from, y.from - 0.5, x.to - x.from, 1, GW_INK);
    gw_canvas_x_axis(canvas, &x, y.from, c->x_label);
    gw_canvas_y_axis(canvas, &y, x.from, c->y_label);
    gw_canvas_text(canvas, (x.from + x.to) / 2, TOP - 16, 0.5, GW_TITLE_SIZE, c->title);
}

gw_status gw_picture_histogram(const char *path, const gw_picture_counts *counts) {
    const binning b = choose_bars(counts);
    gw_canvas canvas;
    GW_TRY(gw_canvas_open(&canvas, path, WIDTH, HEIGHT));
    draw(&canvas, counts, &b);
    return gw_canvas_close(&canvas, path);
}
