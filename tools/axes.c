// SPDX-License-Identifier: MIT
// Scales, ticks, axes and legends.
#include "tools/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double gw_scale_position(const gw_scale *scale, double value) {
    const double share = scale->logarithmic ? log(value / scale->low) / log(scale->high / scale->low)
                                            : (value - scale->low) / (scale->high - scale->low);
    return scale->from + share * (scale->to - scale->from);
}

// The smallest of 1, 2, 5 times 10^k that is at least `rough`.
static double round_step(double rough, int *exponent) {
    *exponent = (int)floor(log10(rough));
    const double unit = pow(10, *exponent), digit = rough / unit;
    const double slack = 1e-9; // 2.0000000001 is 2
    if (digit <= 1 + slack) return unit;
    if (digit <= 2 + slack) return 2 * unit;
    if (digit <= 5 + slack) return 5 * unit;
    ++*exponent;
    return 10 * unit;
}

gw_ticks gw_ticks_choose(double low, double high, int wanted, double least) {
    int exponent;
    gw_ticks ticks = {.step = round_step(fmax((high - low) / wanted, least), &exponent)};
    ticks.decimals = exponent < 0 ? -exponent : 0;
    ticks.first = ceil(low / ticks.step - 1e-9) * ticks.step;
    ticks.count = (int)floor((high - ticks.first) / ticks.step + 1e-9) + 1;
    return ticks;
}

// The value of a tick as text: as many decimals as the step has, thousands apart.
static void label_tick(const gw_ticks *ticks, int index, char text[64]) {
    double value = ticks->first + index * ticks->step;
    if (fabs(value) < ticks->step / 2) value = 0; // never -0
    if (ticks->decimals > 6 || fabs(value) >= 1e15) {
        snprintf(text, 64, "%.3g", value);
        return;
    }
    char plain[64];
    const int length = snprintf(plain, sizeof plain, "%.*f", ticks->decimals, value);
    const char *point = strchr(plain, '.');
    const int whole = point ? (int)(point - plain) : length, sign = plain[0] == '-';
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0 && whole - sign > 4) *out++ = ',';
        *out++ = plain[i];
    }
    *out = 0;
}

static void line(gw_canvas *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas->cairo, x0, y0);
    cairo_line_to(canvas->cairo, x1, y1);
    cairo_stroke(canvas->cairo);
}

enum { TICK = 5, ROOM_A_NUMBER = 90, LABEL_DISTANCE = 40 };

static int ticks_that_fit(const gw_scale *scale, double room) {
    const int fit = (int)(fabs(scale->to - scale->from) / room);
    return fit < 2 ? 2 : fit > 10 ? 10 : fit;
}

static void draw_x_tick(gw_canvas *canvas, double at, double y, const char *number) {
    gw_canvas_colour(canvas, GW_INK);
    line(canvas, at, y, at, y + TICK);
    gw_canvas_text(canvas, at, y + TICK + GW_TEXT_SIZE, 0.5, GW_TEXT_SIZE, number);
}

static void draw_logarithmic_ticks(gw_canvas *canvas, const gw_scale *x, double y) {
    static const int steps[] = {1, 2, 5};
    char number[64];
    for (int k = (int)floor(log10(x->low)); k <= (int)ceil(log10(x->high)); k++)
        for (int i = 0; i < 3; i++) {
            const gw_ticks tick = {.first = steps[i] * pow(10, k), .decimals = k < 0 ? -k : 0, .step = pow(10, k)};
            if (tick.first < x->low * (1 - 1e-9) || tick.first > x->high * (1 + 1e-9)) continue;
            label_tick(&tick, 0, number);
            draw_x_tick(canvas, gw_scale_position(x, tick.first), y, number);
        }
}

void gw_canvas_x_axis(gw_canvas *canvas, const gw_scale *x, double y, const char *label) {
    const gw_ticks ticks = gw_ticks_choose(x->low, x->high, ticks_that_fit(x, ROOM_A_NUMBER), x->whole);
    char number[64];
    cairo_set_line_width(canvas->cairo, 1);
    const bool decades = x->logarithmic && x->high > 20 * x->low; // else too few of them would have a number
    if (decades) draw_logarithmic_ticks(canvas, x, y);
    for (int i = 0; !decades && i < ticks.count; i++) {
        label_tick(&ticks, i, number);
        draw_x_tick(canvas, gw_scale_position(x, ticks.first + i * ticks.step), y, number);
    }
    gw_canvas_text(canvas, (x->from + x->to) / 2, y + LABEL_DISTANCE, 0.5, GW_TEXT_SIZE, label);
}

// The label keeps clear of the widest number.
void gw_canvas_y_axis(gw_canvas *canvas, const gw_scale *y, double x, const char *label) {
    const gw_ticks ticks = gw_ticks_choose(y->low, y->high, ticks_that_fit(y, ROOM_A_NUMBER / 2.0), y->whole);
    double widest = 0;
    char number[64];
    cairo_set_line_width(canvas->cairo, 1);
    for (int i = 0; i < ticks.count; i++) {
        const double at = gw_scale_position(y, ticks.first + i * ticks.step);
        gw_canvas_colour(canvas, GW_INK);
        line(canvas, x - TICK, at, x, at);
        label_tick(&ticks, i, number);
        widest = fmax(widest, gw_canvas_text_width(canvas, GW_TEXT_SIZE, number));
        gw_canvas_text(canvas, x - TICK - 3, at + GW_TEXT_SIZE * 0.35, 1, GW_TEXT_SIZE, number);
    }
    gw_canvas_text_up(canvas, x - TICK - widest - 12, (y->from + y->to) / 2, GW_TEXT_SIZE, label);
}

// Okabe and Ito's palette, dark enough on white (its yellow comes last).
uint32_t gw_series_colour(int index) {
    static const uint32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x555555, 0xcfbf00};
    return colours[index % (int)(sizeof colours / sizeof colours[0])];
}

enum { SWATCH = 12, LEGEND_LINE = 20 };

double gw_canvas_legend_width(gw_canvas *canvas, const gw_legend_row *rows, int count) {
    double widest = 0;
    for (int i = 0; i < count; i++)
        widest = fmax(widest, gw_canvas_text_width(canvas, GW_TEXT_SIZE, rows[i].name) + SWATCH + 8);
    return widest;
}

void gw_canvas_legend(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        gw_canvas_box(canvas, x, y + i * LEGEND_LINE, SWATCH, SWATCH, rows[i].colour);
        gw_canvas_text(canvas, x + SWATCH + 6, y + i * LEGEND_LINE + SWATCH - 1, 0, GW_TEXT_SIZE, rows[i].name);
    }
}
