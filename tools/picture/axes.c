// SPDX-License-Identifier: MIT
// Scales, ticks, axes and legends.
#include "tools/picture/canvas.h"

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

double gw_round_step(double rough) {
    int exponent;
    return round_step(rough, &exponent);
}

enum { MOST_DECIMALS = 6 };

// Writes a value with as many decimals as given; `grouped`: thousands apart.
static void write_number(double value, int decimals, bool grouped, char out[32]) {
    char plain[32];
    if (decimals > MOST_DECIMALS || fabs(value) >= 1e15) {
        snprintf(out, 32, "%.3g", value);
        return;
    }
    const int length = snprintf(plain, sizeof plain, "%.*f", decimals, value);
    const char *point = strchr(plain, '.');
    const int whole = point ? (int)(point - plain) : length, sign = plain[0] == '-';
    for (int i = 0; i < length; i++) {
        if (grouped && i > sign && i < whole && (whole - i) % 3 == 0) *out++ = ',';
        *out++ = plain[i];
    }
    *out = 0;
}

// 1, `parts` 3: also 2 and 5 times the powers of ten inside the scale.
static int list_logarithmic(const gw_scale *scale, int parts, gw_tick *ticks) {
    static const int steps[] = {1, 2, 5};
    int count = 0;
    for (int k = (int)floor(log10(scale->low)); k <= (int)ceil(log10(scale->high)); k++)
        for (int i = 0; i < parts && count < GW_MOST_TICKS; i++) {
            const double value = steps[i] * pow(10, k);
            if (value < scale->low * (1 - 1e-9) || value > scale->high * (1 + 1e-9)) continue;
            ticks[count].value = value;
            write_number(value, k < 0 ? -k : 0, value >= 1e4, ticks[count++].number);
        }
    return count;
}

// Where a logarithmic scale holds less than a decade too few of its ticks would have a number.
static int list_ticks(const gw_scale *scale, int wanted, gw_tick *ticks) {
    if (!scale->logarithmic || scale->high < 10 * scale->low) {
        // Round values inside the scale, 1, 2 or 5 times a power of ten apart, about `wanted` of them.
        int exponent, count = 0;
        const double least = scale->whole ? 1 : 0;
        const double step = round_step(fmax((scale->high - scale->low) / wanted, least), &exponent);
        const double first = ceil(scale->low / step - 1e-9);
        for (double i = first; i * step <= scale->high + step * 1e-9 && count < GW_MOST_TICKS; i++)
            ticks[count++].value = i == 0 ? 0 : i * step; // never -0
        // The numbers of one axis are written alike: all with as many decimals as the step has, all with thousands
        // apart or none.
        const int decimals = exponent < 0 ? -exponent : 0;
        double largest = 0;
        for (int i = 0; i < count; i++) largest = fmax(largest, fabs(ticks[i].value));
        for (int i = 0; i < count; i++) write_number(ticks[i].value, decimals, largest >= 1e4, ticks[i].number);
        return count;
    }
    const int all = list_logarithmic(scale, 3, ticks);
    return all <= wanted ? all : list_logarithmic(scale, 1, ticks);
}

enum { TICK = 5, LABEL_DISTANCE = 40, LINE_HEIGHT = 16, NUMBER_GAP = 14, MOST_NUMBERS = 10 };

// One number every 24 points, but four wherever four lines of text have room.
static int wanted_on_y(const gw_scale *y) {
    const double height = fabs(y->to - y->from), least = fmin(4, height / LINE_HEIGHT);
    return (int)fmax(1, fmin(MOST_NUMBERS, fmax(height / 24, least)));
}

void gw_scale_round(gw_scale *y) {
    const int wanted = wanted_on_y(y);
    for (int i = 0; i < 3; i++) { // a wider range may need a longer step
        const double least = y->whole ? 1 : 0, step = gw_round_step(fmax((y->high - y->low) / wanted, least));
        y->low = floor(y->low / step + 1e-9) * step;
        y->high = ceil(y->high / step - 1e-9) * step;
    }
}

int gw_y_ticks(const gw_scale *y, gw_tick ticks[GW_MOST_TICKS]) {
    return list_ticks(y, wanted_on_y(y), ticks);
}

static void line(gw_canvas *canvas, double x0, double y0, double x1, double y1) {
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_move_to(canvas->cairo, x0, y0);
    cairo_line_to(canvas->cairo, x1, y1);
    cairo_stroke(canvas->cairo);
}

// The middle of a text under `at`, moved where it would leave the page.
static double middle_of(gw_canvas *canvas, double at, const char *text, double *half) {
    *half = gw_canvas_text_width(canvas, GW_TEXT_SIZE, text) / 2;
    const double edge = *half + 1;
    return fmax(edge, fmin(canvas->width - edge, at));
}

static double number_middle(gw_canvas *canvas, const gw_scale *x, const gw_tick *tick, double *half) {
    return middle_of(canvas, gw_scale_position(x, tick->value), tick->number, half);
}

static bool numbers_touch(gw_canvas *canvas, const gw_scale *x, const gw_tick *ticks, int count) {
    double end = -INFINITY;
    for (int i = 0; i < count; i++) {
        double half;
        const double middle = number_middle(canvas, x, &ticks[i], &half);
        if (middle - half < end + NUMBER_GAP) return true;
        end = middle + half;
    }
    return false;
}

void gw_canvas_x_axis(gw_canvas *canvas, const gw_scale *x, double y, const char *label) {
    gw_tick ticks[GW_MOST_TICKS];
    int wanted = MOST_NUMBERS, count = list_ticks(x, wanted, ticks);
    while (wanted > 1 && numbers_touch(canvas, x, ticks, count)) count = list_ticks(x, --wanted, ticks);
    double half;
    for (int i = 0; i < count; i++) {
        const double at = gw_scale_position(x, ticks[i].value);
        line(canvas, at, y, at, y + TICK);
        gw_canvas_text(canvas, number_middle(canvas, x, &ticks[i], &half), y + TICK + GW_TEXT_SIZE, 0.5, GW_TEXT_SIZE,
                       ticks[i].number);
    }
    gw_canvas_text(canvas, middle_of(canvas, (x->from + x->to) / 2, label, &half), y + LABEL_DISTANCE, 0.5,
                   GW_TEXT_SIZE, label);
}

// The label keeps clear of the widest number.
void gw_canvas_y_axis(gw_canvas *canvas, const gw_scale *y, double x, const char *label) {
    gw_tick ticks[GW_MOST_TICKS];
    const int count = gw_y_ticks(y, ticks);
    double widest = 0;
    for (int i = 0; i < count; i++) {
        const double at = gw_scale_position(y, ticks[i].value);
        line(canvas, x - TICK, at, x, at);
        widest = fmax(widest, gw_canvas_text_width(canvas, GW_TEXT_SIZE, ticks[i].number));
        gw_canvas_text(canvas, x - TICK - 3, at + GW_TEXT_SIZE * 0.35, 1, GW_TEXT_SIZE, ticks[i].number);
    }
    gw_canvas_text_up(canvas, x - TICK - widest - 12, (y->from + y->to) / 2, GW_TEXT_SIZE, label);
}

// Okabe and Ito's palette, dark enough on white (its yellow comes last).
uint32_t gw_series_colour(int index) {
    static const uint32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x555555, 0xcfbf00};
    return colours[index % (int)(sizeof colours / sizeof colours[0])];
}

enum { SWATCH = 12, LEGEND_LINE = 20, LEGEND_GAP = 16 };

double gw_canvas_legend_width(gw_canvas *canvas, const gw_legend_row *rows, int count) {
    double widest = 0;
    for (int i = 0; i < count; i++)
        widest = fmax(widest, gw_canvas_text_width(canvas, GW_TEXT_SIZE, rows[i].name) + SWATCH + 8);
    return widest;
}

static void draw_sign(gw_canvas *canvas, double x, double y, const gw_legend_row *row) {
    const double middle = SWATCH / 2.0, arm = 3;
    if (row->sign == GW_LEGEND_DASHES) {
        gw_canvas_box(canvas, x, y + middle - 1, 5, 2, row->colour);
        gw_canvas_box(canvas, x + 7, y + middle - 1, 5, 2, row->colour);
        return;
    }
    gw_canvas_box(canvas, x, y, SWATCH, SWATCH, row->colour);
    gw_canvas_colour(canvas, GW_INK);
    if (row->sign == GW_LEGEND_DOT) {
        cairo_arc(canvas->cairo, x + middle, y + middle, 2.5, 0, 6.28318530717958647692);
        cairo_fill(canvas->cairo);
    } else if (row->sign == GW_LEGEND_CROSS) {
        cairo_set_line_width(canvas->cairo, 1.4);
        cairo_move_to(canvas->cairo, x + middle - arm, y + middle - arm);
        cairo_line_to(canvas->cairo, x + middle + arm, y + middle + arm);
        cairo_move_to(canvas->cairo, x + middle - arm, y + middle + arm);
        cairo_line_to(canvas->cairo, x + middle + arm, y + middle - arm);
        cairo_stroke(canvas->cairo);
    }
}

void gw_canvas_legend(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        draw_sign(canvas, x, y + i * LEGEND_LINE, &rows[i]);
        gw_canvas_text(canvas, x + SWATCH + 6, y + i * LEGEND_LINE + SWATCH - 1, 0, GW_TEXT_SIZE, rows[i].name);
    }
}

static double entry_width(gw_canvas *canvas, const gw_legend_row *row) {
    return SWATCH + 6 + gw_canvas_text_width(canvas, GW_TEXT_SIZE, row->name);
}

double gw_canvas_legend_line_width(gw_canvas *canvas, const gw_legend_row *rows, int count) {
    double width = 0;
    for (int i = 0; i < count; i++) width += entry_width(canvas, &rows[i]) + (i > 0 ? LEGEND_GAP : 0);
    return width;
}

void gw_canvas_legend_line(gw_canvas *canvas, double x, double y, const gw_legend_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        gw_canvas_legend(canvas, x, y - SWATCH + 1, &rows[i], 1);
        x += entry_width(canvas, &rows[i]) + LEGEND_GAP;
    }
}
