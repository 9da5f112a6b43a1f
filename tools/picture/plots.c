// SPDX-License-Identifier: MIT
// Plots: curves over common axes, histograms, and the straight line through points.
#include "base/memory.h"
#include "tools/picture/canvas.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 820, HEIGHT = 480, LEFT = 96, RIGHT = GW_NUMBER_HALF, TOP = 44, BOTTOM = 60 };

static bool is_point(const gw_picture_series *s, int64_t i) {
    return isfinite(s->x[i]) && isfinite(s->y[i]);
}

// Widens an empty range, so that a scale never divides by zero.
static void widen(double range[2]) {
    if (range[0] > range[1]) range[0] = 0, range[1] = 1;
    if (range[0] < range[1]) return;
    const double margin = range[0] != 0 ? fabs(range[0]) / 10 : 1;
    range[0] -= margin;
    range[1] += margin;
}

static void find_ranges(const gw_picture_series *series, int count, double x[2], double y[2]) {
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = -INFINITY;
    for (int s = 0; s < count; s++) {
        for (int64_t i = 0; i < series[s].count; i++) {
            if (!is_point(&series[s], i)) continue;
            x[0] = fmin(x[0], series[s].x[i]), x[1] = fmax(x[1], series[s].x[i]);
            y[0] = fmin(y[0], series[s].y[i]), y[1] = fmax(y[1], series[s].y[i]);
        }
    }
    widen(x);
    widen(y);
    const double margin = (y[1] - y[0]) / 25; // keeps curves off the frame
    y[0] -= margin;
    y[1] += margin;
}

static void draw_frame(gw_canvas *canvas, const gw_scale *x, const gw_scale *y) {
    gw_tick ticks[GW_MOST_TICKS];
    const int count = gw_y_ticks(y, ticks);
    gw_canvas_colour(canvas, GW_PALE);
    cairo_set_line_width(canvas->cairo, 0.7);
    for (int i = 0; i < count; i++) {
        const double at = gw_scale_position(y, ticks[i].value);
        cairo_move_to(canvas->cairo, x->from, at);
        cairo_line_to(canvas->cairo, x->to, at);
    }
    cairo_stroke(canvas->cairo);
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_rectangle(canvas->cairo, x->from, y->to, x->to - x->from, y->from - y->to);
    cairo_stroke(canvas->cairo);
}

static void draw_dot(gw_canvas *canvas, double x, double y) {
    cairo_new_sub_path(canvas->cairo);
    cairo_arc(canvas->cairo, x, y, 3, 0, 6.28318530717958647692);
    cairo_fill(canvas->cairo);
}

// Points nearer than this to the last one drawn change no picture, only the size of the file.
static const double nearest = 0.3;

static void draw_line(gw_canvas *canvas, const gw_picture_series *s, const gw_scale *x, const gw_scale *y) {
    bool pen_down = false;
    double last_x = 0, last_y = 0;
    cairo_set_line_width(canvas->cairo, 1.6);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    for (int64_t i = 0; i < s->count; i++) {
        if (!is_point(s, i)) {
            pen_down = false;
            continue;
        }
        const double at_x = gw_scale_position(x, s->x[i]), at_y = gw_scale_position(y, s->y[i]);
        // A point without neighbours is a dot.
        if ((i == 0 || !is_point(s, i - 1)) && (i + 1 == s->count || !is_point(s, i + 1))) {
            cairo_stroke(canvas->cairo);
            draw_dot(canvas, at_x, at_y);
            continue;
        }
        if (pen_down && hypot(at_x - last_x, at_y - last_y) < nearest) continue;
        if (pen_down) cairo_line_to(canvas->cairo, at_x, at_y);
        else cairo_move_to(canvas->cairo, at_x, at_y);
        pen_down = true;
        last_x = at_x, last_y = at_y;
    }
    cairo_stroke(canvas->cairo);
}

static uint32_t colour_of(const gw_picture_series *series, int s) {
    return gw_series_colour(series[s].colour > 0 ? series[s].colour - 1 : s);
}

// Whether a curve crosses the box.
static bool is_crossed(const gw_picture_panel *p, const gw_scale *x, const gw_scale *y, double left, double right,
                       double top, double bottom) {
    enum { PIECES = 32 }; // that each stretch between two points is looked at in
    for (int s = 0; s < p->count; s++)
        for (int64_t i = 0; i + 1 < p->series[s].count; i++) {
            if (!is_point(&p->series[s], i) || !is_point(&p->series[s], i + 1)) continue;
            const double x0 = gw_scale_position(x, p->series[s].x[i]), x1 = gw_scale_position(x, p->series[s].x[i + 1]),
                         y0 = gw_scale_position(y, p->series[s].y[i]), y1 = gw_scale_position(y, p->series[s].y[i + 1]);
            for (int k = 0; k <= PIECES; k++) {
                const double at = x0 + (x1 - x0) * k / PIECES, high = y0 + (y1 - y0) * k / PIECES;
                if (at >= left && at <= right && high >= top && high <= bottom) return true;
            }
        }
    return false;
}

// `top`: of the panel, on the page; rows [p->count] for the legend.
static void draw_panel(gw_canvas *canvas, const gw_picture_panel *p, double top, gw_legend_row *rows) {
    double range_x[2], range_y[2];
    find_ranges(p->series, p->count, range_x, range_y);
    const gw_picture_series *series = p->series;
    const int count = p->count;
    int named = 0;
    for (int s = 0; s < count; s++)
        if (series[s].name)
            rows[named++] = (gw_legend_row){series[s].name, colour_of(series, s),
                                            series[s].style == GW_CURVE_DASHES ? GW_LEGEND_DASHES : GW_LEGEND_BOX};
    const double legend = gw_canvas_legend_width(canvas, rows, named) + (named > 0 ? 14 : 0);
    const double right = fmax(RIGHT, legend + 10); // the legend stands right of the panel
    const gw_scale x = {range_x[0],         range_x[1], LEFT, WIDTH - right, .logarithmic = p->logarithmic_x,
                        .whole = p->whole_x};
    const gw_scale y = {range_y[0], range_y[1], top + HEIGHT - BOTTOM, top + TOP, .whole = p->whole_y};
    draw_frame(canvas, &x, &y);
    gw_canvas_x_axis(canvas, &x, y.from, p->x_label);
    gw_canvas_y_axis(canvas, &y, x.from, p->y_label);
    for (int s = 0; s < p->count; s++) {
        gw_canvas_colour(canvas, colour_of(p->series, s));
        const double dashes[] = {6, 4};
        if (p->series[s].style == GW_CURVE_DASHES) cairo_set_dash(canvas->cairo, dashes, 2, 0);
        if (p->series[s].style == GW_CURVE_DOTS) {
            for (int64_t i = 0; i < p->series[s].count; i++)
                if (is_point(&p->series[s], i))
                    draw_dot(canvas, gw_scale_position(&x, p->series[s].x[i]),
                             gw_scale_position(&y, p->series[s].y[i]));
        } else draw_line(canvas, &p->series[s], &x, &y);
        cairo_set_dash(canvas->cairo, NULL, 0, 0);
    }
    if (p->line_label) {
        // A vertical line with its label beside it: at the lower or upper end, on the side that has more room, where no
        // curve is.
        const double at = gw_scale_position(&x, p->line), dashes[] = {2, 3};
        const double width = gw_canvas_text_width(canvas, GW_TEXT_SIZE, p->line_label);
        const bool first = at > (x.from + x.to) / 2;
        double baseline = y.from - 8;
        bool left = first;
        for (int k = 3; k >= 0; k--) { // the last free one is the first choice
            const bool side = (k & 1) != first;
            const double line = k < 2 ? y.from - 8 : y.to + GW_TEXT_SIZE + 4, begin = side ? at - 5 - width : at + 5;
            const bool fits = begin >= x.from && begin + width <= x.to;
            if (fits && !is_crossed(p, &x, &y, begin - 2, begin + width + 2, line - GW_TEXT_SIZE, line + 4))
                left = side, baseline = line;
        }
        gw_canvas_colour(canvas, GW_INK);
        cairo_set_line_width(canvas->cairo, 1);
        cairo_set_dash(canvas->cairo, dashes, 2, 0);
        cairo_move_to(canvas->cairo, at, y.from);
        cairo_line_to(canvas->cairo, at, y.to);
        cairo_stroke(canvas->cairo);
        cairo_set_dash(canvas->cairo, NULL, 0, 0);
        gw_canvas_text(canvas, at + (left ? -5 : 5), baseline, left ? 1 : 0, GW_TEXT_SIZE, p->line_label);
    }
    gw_canvas_legend(canvas, x.to + 14, y.to, rows, named);
    gw_canvas_text(canvas, (x.from + x.to) / 2, top + TOP - 16, 0.5, GW_TITLE_SIZE, p->title);
}

gw_status gw_picture_panels(const char *path, const gw_picture_panel *panels, int count) {
    int most = 0;
    for (int i = 0; i < count; i++) most = panels[i].count > most ? panels[i].count : most;
    gw_legend_row *rows = gw_alloc(most, sizeof *rows);
    if (!rows) return GW_ERR_MEMORY;
    gw_canvas canvas;
    gw_status status = gw_canvas_open(&canvas, path, WIDTH, count * HEIGHT);
    for (int i = 0; i < count && status == GW_OK; i++) draw_panel(&canvas, &panels[i], i * HEIGHT, rows);
    if (status == GW_OK) status = gw_canvas_close(&canvas, path);
    free(rows);
    return status;
}

gw_status gw_picture_lines(const char *path, const char *title, const char *x_label, const char *y_label,
                           const gw_picture_series *series, int count) {
    const gw_picture_panel panel = {title, x_label, y_label, .series = series, .count = count};
    return gw_picture_panels(path, &panel, 1);
}

// --- histograms ----------------------------------------------------------------------------------------------------

// Bars between round values, zero among them, as many as Rice's rule says: 2 cbrt(n).

enum { BARS_HEIGHT = 360, FEWEST_BARS = 8, MOST_BARS = 80, PLAIN = 200 };
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

static void draw(gw_canvas *canvas, const gw_picture_counts *c, const binning *b) {
    int64_t most = 1;
    for (int i = 0; i < b->bars; i++) most = b->counts[i] > most ? b->counts[i] : most;
    gw_scale x = {b->first, b->first + b->bars * b->step, LEFT, WIDTH - RIGHT};
    gw_scale y = {0, (double)most, BARS_HEIGHT - BOTTOM, TOP, .whole = true, .logarithmic = most > PLAIN};
    if (y.logarithmic) y.low = lowest_count, y.high = 1.2 * (double)most;
    else gw_scale_round(&y);
    for (int i = 0; i < b->bars; i++) {
        if (b->counts[i] == 0) continue;
        const double begin = b->first + i * b->step, from = gw_scale_position(&x, begin),
                     to = gw_scale_position(&x, begin + b->step), top = gw_scale_position(&y, (double)b->counts[i]);
        const double gap = to - from > 4 ? 1 : 0;
        gw_canvas_box(canvas, from, top, to - from - gap, y.from - top, begin < -b->step / 2 ? GW_BELOW : GW_ABOVE);
    }
    // Each name stands beside its line, lower than the one before.
    const double dashes[] = {4, 3};
    for (int i = 0; i < c->line_count; i++) {
        const double at = gw_scale_position(&x, c->lines[i].at);
        const bool left = at + gw_canvas_text_width(canvas, GW_TEXT_SIZE, c->lines[i].name) + 5 > canvas->width;
        gw_canvas_colour(canvas, GW_INK);
        cairo_set_line_width(canvas->cairo, 0.8);
        cairo_set_dash(canvas->cairo, dashes, 2, 0);
        cairo_move_to(canvas->cairo, at, y.from);
        cairo_line_to(canvas->cairo, at, y.to);
        cairo_stroke(canvas->cairo);
        cairo_set_dash(canvas->cairo, NULL, 0, 0);
        gw_canvas_text(canvas, at + (left ? -5 : 5), y.to + GW_TEXT_SIZE * (1 + 1.4 * i), left ? 1 : 0, GW_TEXT_SIZE,
                       c->lines[i].name);
    }
    gw_canvas_box(canvas, x.from, y.from - 0.5, x.to - x.from, 1, GW_INK);
    gw_canvas_x_axis(canvas, &x, y.from, c->x_label);
    gw_canvas_y_axis(canvas, &y, x.from, c->y_label);
    gw_canvas_text(canvas, (x.from + x.to) / 2, TOP - 16, 0.5, GW_TITLE_SIZE, c->title);
}

gw_status gw_picture_histogram(const char *path, const gw_picture_counts *counts) {
    const binning b = choose_bars(counts);
    gw_canvas canvas;
    GW_TRY(gw_canvas_open(&canvas, path, WIDTH, BARS_HEIGHT));
    draw(&canvas, counts, &b);
    return gw_canvas_close(&canvas, path);
}

// --- the line through points ---------------------------------------------------------------------------------------

gw_line_fit gw_fit_line(const double *x, const double *y, int64_t count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, total = 0, left = 0;
    for (int64_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (int64_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        total += (y[i] - mean_y) * (y[i] - mean_y);
    }
    const double b = xx > 0 ? xy / xx : 0, a = mean_y - b * mean_x;
    for (int64_t i = 0; i < count; i++) left += (y[i] - a - b * x[i]) * (y[i] - a - b * x[i]);
    return (gw_line_fit){a, b, total > 0 ? 1 - left / total : 1};
}
