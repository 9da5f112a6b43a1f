// SPDX-License-Identifier: MIT
// Panels from the top down: tracks, variants, genes, and the axis under the last.
#include "tools/view/view_picture.h"

#include "base/string.h"
#include "tools/scored_vcf.h"
#include "tools/view/view_page.h"

#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 1000,
    LEFT = 90,
    RIGHT = GW_NUMBER_HALF,
    TOP = 40,
    BOTTOM = 60,
    TRACK_HEIGHT = 64,
    VARIANT_HEIGHT = 150,
    GAP = 26,   // between panels: room for a name
    COLUMN = 2, // narrow stretches of a track share columns of half a unit, a pixel of a PNG
};
enum { NONE = 0x999999 };

// The frame of a panel with its scale on the left.
static void draw_frame(gw_view_page *page, const gw_scale *y) {
    const gw_scale *x = &page->x;
    gw_canvas_colour(&page->canvas, GW_PALE);
    cairo_set_line_width(page->canvas.cairo, 1);
    cairo_rectangle(page->canvas.cairo, x->from, y->to, x->to - x->from, y->from - y->to);
    cairo_stroke(page->canvas.cairo);
    gw_canvas_y_axis(&page->canvas, y, x->from, NULL);
}

// A scale that holds 0 and all of [low, high] and ends at round values, drawn between two heights.
static gw_scale scale_of(double low, double high, double top, double height) {
    gw_scale y = {fmin(low, 0), fmax(high, 0), top + height, top};
    if (y.low == y.high) y.high = 1;
    gw_scale_round(&y);
    return y;
}

// What the stretches narrower than a column have there: from the least to the largest, and 0.
typedef struct {
    double low, high;
} column;

static void draw_columns(gw_view_page *page, const column *columns, int count, const gw_scale *y) {
    for (int c = 0; c < count; c++) {
        const double top = gw_scale_position(y, columns[c].high), bottom = gw_scale_position(y, columns[c].low);
        if (bottom > top)
            gw_canvas_box(&page->canvas, page->x.from + (double)c / COLUMN, top, 1.0 / COLUMN, bottom - top,
                          gw_series_colour(0));
    }
}

static void draw_values(gw_view_page *page, const gw_track_values *values, const gw_scale *y) {
    column columns[WIDTH * COLUMN] = {{0, 0}};
    const double zero = gw_scale_position(y, 0);
    const int count = (int)((page->x.to - page->x.from) * COLUMN);
    for (int64_t i = 0; i < values->count; i++) {
        const gw_track_value *v = &values->items[i];
        double from, to;
        gw_view_clip(page, (double)v->begin, (double)v->end, &from, &to);
        const double at = gw_scale_position(y, v->value);
        if (!isfinite(v->value)) continue;
        if (to - from >= 1) {
            gw_canvas_box(&page->canvas, from, fmin(at, zero), to - from, fabs(at - zero), gw_series_colour(0));
            continue;
        }
        column *c = &columns[(int)fmin((from - page->x.from) * COLUMN, count - 1)];
        c->low = fmin(c->low, v->value), c->high = fmax(c->high, v->value);
    }
    draw_columns(page, columns, count, y);
}

static void draw_track(gw_view_page *page, const gw_view_track *track, double top) {
    double low = 0, high = 0;
    for (int64_t i = 0; i < track->values.count; i++) {
        const double value = track->values.items[i].value;
        if (isfinite(value)) low = fmin(low, value), high = fmax(high, value);
    }
    const gw_scale y = scale_of(low, high, top, TRACK_HEIGHT);
    cairo_set_antialias(page->canvas.cairo, CAIRO_ANTIALIAS_NONE);
    draw_values(page, &track->values, &y);
    cairo_set_antialias(page->canvas.cairo, CAIRO_ANTIALIAS_DEFAULT);
    draw_frame(page, &y);
    gw_canvas_text_within(&page->canvas, page->x.from, top - 6, page->x.to - page->x.from, GW_TEXT_SIZE, track->name);
}

static void draw_variant(gw_view_page *page, const gw_view_variant *v, const gw_scale *y) {
    cairo_t *cairo = page->canvas.cairo;
    const double at = gw_scale_position(&page->x, (double)v->position + 0.5), zero = gw_scale_position(y, 0);
    if (!isfinite(v->score)) {
        gw_canvas_box(&page->canvas, at - 0.5, zero - 4, 1, 8, NONE);
        return;
    }
    const double end = gw_scale_position(y, v->score);
    gw_canvas_colour(&page->canvas, v->score < 0 ? GW_BELOW : GW_ABOVE);
    cairo_set_line_width(cairo, 1);
    cairo_move_to(cairo, at, zero);
    cairo_line_to(cairo, at, end);
    cairo_stroke(cairo);
    if (v->stop) {
        gw_canvas_box(&page->canvas, at - 3, end - 3, 6, 6, GW_INK);
        return;
    }
    cairo_arc(cairo, at, end, 2.5, 0, 6.28318530717958647692);
    cairo_fill(cairo);
}

// What the panel shows on the left, what its colours say on the right, of those that it has.
static void explain_scores(gw_view_page *page, double top) {
    enum { UP, DOWN, MISSING, STOP, SIGNS };
    const gw_view *view = page->view;
    const gw_score_axis axis = gw_score_axis_of(view->score_name, view->numbers);
    const gw_legend_row signs[SIGNS] = {{axis.above, GW_ABOVE, GW_LEGEND_BOX},
                                        {axis.below, GW_BELOW, GW_LEGEND_BOX},
                                        {"no score", NONE, GW_LEGEND_BOX},
                                        {"creates stop", GW_INK, GW_LEGEND_BOX}};
    bool seen[SIGNS] = {false};
    gw_legend_row rows[SIGNS];
    int count = 0;
    for (int64_t i = 0; i < view->variant_count; i++) {
        const gw_view_variant *v = &view->variants[i];
        seen[!isfinite(v->score) ? MISSING : v->score < 0 ? DOWN : UP] = true;
        if (isfinite(v->score) && v->stop) seen[STOP] = true;
    }
    for (int i = 0; i < SIGNS; i++)
        if (seen[i] && signs[i].name) rows[count++] = signs[i];
    const double legend = page->x.to - gw_canvas_legend_line_width(&page->canvas, rows, count);
    gw_string name = {0};
    gw_score_axis_label(&name, view->score_name, view->numbers);
    for (int i = 0; gw_score_is_splicing(view->score_name) && i < GW_SPLICE_LINES; i++)
        gw_string_printf(&name, "%s%s", i > 0 ? ", " : "; lines: ", gw_splice_lines[i].name);
    gw_canvas_text_within(&page->canvas, page->x.from, top - 6, legend - page->x.from - 10, GW_TEXT_SIZE,
                          name.data ? name.data : "");
    gw_canvas_legend_line(&page->canvas, legend, top - 6, rows, count);
    gw_string_free(&name);
}

static void draw_splice_lines(gw_view_page *page, const gw_scale *y) {
    const double dashes[] = {4, 3};
    gw_canvas_colour(&page->canvas, NONE);
    cairo_set_line_width(page->canvas.cairo, 0.8);
    cairo_set_dash(page->canvas.cairo, dashes, 2, 0);
    for (int i = 0; i < GW_SPLICE_LINES; i++) {
        const double at = gw_scale_position(y, gw_splice_lines[i].at);
        cairo_move_to(page->canvas.cairo, page->x.from, at);
        cairo_line_to(page->canvas.cairo, page->x.to, at);
    }
    cairo_stroke(page->canvas.cairo);
    cairo_set_dash(page->canvas.cairo, NULL, 0, 0);
}

static gw_status draw_variants(gw_view_page *page, double top) {
    const gw_view *view = page->view;
    const bool splicing = gw_score_is_splicing(view->score_name);
    double low = 0, high = splicing ? 1 : 0; // delta scores end at 1, so that all pictures of them have one scale
    for (int64_t i = 0; i < view->variant_count; i++)
        if (isfinite(view->variants[i].score))
            low = fmin(low, view->variants[i].score), high = fmax(high, view->variants[i].score);
    // room for names on the sides that have any
    const gw_scale y = scale_of(low * 1.15, splicing ? high : high * 1.15, top, VARIANT_HEIGHT);
    const double zero = gw_scale_position(&y, 0);
    gw_canvas_box(&page->canvas, page->x.from, zero - 0.4, page->x.to - page->x.from, 0.8, NONE);
    if (splicing) draw_splice_lines(page, &y);
    for (int64_t i = 0; i < view->variant_count; i++) draw_variant(page, &view->variants[i], &y);
    draw_frame(page, &y);
    explain_scores(page, top);
    return gw_view_name_variants(page, &y);
}

// Bases are numbered from 1, each number under the middle of its base.
static void draw_axis(gw_view_page *page, double bottom) {
    const gw_view *view = page->view;
    const gw_scale named = {page->x.low + 0.5, page->x.high + 0.5, page->x.from, page->x.to, .whole = true};
    gw_string label = {0};
    gw_string_printf(&label, "position on %s (bp)", gw_genome_name(view->genome, view->region.contig));
    gw_canvas_box(&page->canvas, page->x.from, bottom - 0.5, page->x.to - page->x.from, 1, GW_INK);
    gw_canvas_x_axis(&page->canvas, &named, bottom, label.data);
    gw_string_free(&label);
}

static gw_status draw_page(gw_view_page *page, double bottom) {
    const gw_view *view = page->view;
    double top = TOP;
    gw_status status = GW_OK;
    for (int t = 0; t < view->track_count; t++, top += TRACK_HEIGHT + GAP) draw_track(page, &view->tracks[t], top);
    if (view->score_name) {
        status = draw_variants(page, top);
        top += VARIANT_HEIGHT + GAP;
    }
    gw_view_genes(page, top - GAP / 2.0, true);
    draw_axis(page, bottom);
    return status;
}

gw_status gw_view_draw(const gw_view *view, const char *path) {
    gw_view_page page = {.view = view,
                         .x = {(double)view->region.begin, (double)view->region.end, LEFT, WIDTH - RIGHT}};
    page.canvas = gw_canvas_nowhere();
    const double genes = gw_view_genes(&page, 0, false); // to know how high the page is
    gw_canvas_forget(&page.canvas);
    const double bottom = TOP + view->track_count * (TRACK_HEIGHT + GAP) +
                          (view->score_name ? VARIANT_HEIGHT + GAP : 0) + genes - GAP / 2.0;
    GW_TRY(gw_canvas_open(&page.canvas, path, WIDTH, bottom + BOTTOM));
    const gw_status status = draw_page(&page, bottom);
    const gw_status closed = gw_canvas_close(&page.canvas, path);
    return status != GW_OK ? status : closed;
}
