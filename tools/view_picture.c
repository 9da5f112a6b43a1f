// SPDX-License-Identifier: MIT
// Panels from the top down: tracks, variants, genes, and the axis under the last.
#include "tools/view_picture.h"

#include "base/memory.h"
#include "tools/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1000,
    LEFT = 90,
    RIGHT = 24,
    TOP = 40,
    BOTTOM = 60,
    TRACK_HEIGHT = 64,
    VARIANT_HEIGHT = 150,
    GENE_HEIGHT = 26,
    GAP = 26, // between panels: room for a name
    GENE_ROWS = 6,
};
enum { UP = 0xb2182b, DOWN = 0x2166ac, NONE = 0x999999 };

typedef struct {
    const gw_view *view;
    gw_canvas canvas;
    gw_scale x;
} view_page;

// The frame of a panel with its name over it and its scale on the left.
static void draw_frame(view_page *page, const gw_scale *y, const char *name) {
    const gw_scale *x = &page->x;
    gw_canvas_colour(&page->canvas, GW_PALE);
    cairo_set_line_width(page->canvas.cairo, 1);
    cairo_rectangle(page->canvas.cairo, x->from, y->to, x->to - x->from, y->from - y->to);
    cairo_stroke(page->canvas.cairo);
    gw_canvas_text(&page->canvas, x->from, y->to - 6, 0, GW_TEXT_SIZE, name);
    gw_canvas_y_axis(&page->canvas, y, x->from, NULL);
}

// A scale that holds 0 and all of [low, high], drawn between two heights.
static gw_scale scale_of(double low, double high, double top, double height) {
    low = fmin(low, 0), high = fmax(high, 0);
    if (low == high) high = 1;
    const double margin = (high - low) / 12;
    return (gw_scale){low < 0 ? low - margin : 0, high > 0 ? high + margin : 0, top + height, top};
}

static double inside(const view_page *page, double position) {
    return fmin(fmax(gw_scale_position(&page->x, position), page->x.from), page->x.to);
}

static void draw_track(view_page *page, const gw_view_track *track, double top) {
    double low = 0, high = 0;
    for (int64_t i = 0; i < track->values.count; i++) {
        low = fmin(low, track->values.items[i].value);
        high = fmax(high, track->values.items[i].value);
    }
    const gw_scale y = scale_of(low, high, top, TRACK_HEIGHT);
    const double zero = gw_scale_position(&y, 0);
    cairo_set_antialias(page->canvas.cairo, CAIRO_ANTIALIAS_NONE);
    for (int64_t i = 0; i < track->values.count; i++) {
        const gw_track_value *v = &track->values.items[i];
        const double from = inside(page, (double)v->begin), to = inside(page, (double)v->end);
        const double at = gw_scale_position(&y, v->value);
        gw_canvas_box(&page->canvas, from, fmin(at, zero), to - from, fabs(at - zero), gw_series_colour(0));
    }
    cairo_set_antialias(page->canvas.cairo, CAIRO_ANTIALIAS_DEFAULT);
    draw_frame(page, &y, track->name);
}

static int by_size(const void *a, const void *b) {
    const gw_view_variant *const *x = a, *const *y = b;
    const double d = fabs((*y)->score) - fabs((*x)->score);
    return (d > 0) - (d < 0);
}

// Names of the largest scores. A name that would lie over one that is there already is left out.
static gw_status name_largest(view_page *page, const gw_scale *y) {
    const gw_view *view = page->view;
    const gw_view_variant **sorted = gw_alloc(view->variant_count, sizeof *sorted);
    struct {
        double from, to, y;
    } *placed = gw_alloc(view->named, sizeof *placed);
    int64_t scored = 0, count = 0;
    if (!sorted || !placed) {
        free(sorted);
        free(placed);
        return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < view->variant_count; i++)
        if (isfinite(view->variants[i].score)) sorted[scored++] = &view->variants[i];
    qsort(sorted, (size_t)scored, sizeof *sorted, by_size);
    for (int64_t i = 0; i < scored && i < view->named; i++) {
        const gw_view_variant *v = sorted[i];
        const double half = gw_canvas_text_width(&page->canvas, GW_TEXT_SIZE - 2, v->name) / 2;
        const double wanted = gw_scale_position(&page->x, (double)v->position + 0.5);
        const double middle = fmin(fmax(wanted, page->x.from + half), page->x.to - half);
        const double at = gw_scale_position(y, v->score) + (v->score < 0 ? 15 : -7);
        bool free_place = true;
        for (int64_t p = 0; p < count; p++)
            if (middle - half < placed[p].to && middle + half > placed[p].from && fabs(at - placed[p].y) < GW_TEXT_SIZE)
                free_place = false;
        if (!free_place) continue;
        placed[count].from = middle - half, placed[count].to = middle + half, placed[count++].y = at;
        gw_canvas_text(&page->canvas, middle, at, 0.5, GW_TEXT_SIZE - 2, v->name);
    }
    free(sorted);
    free(placed);
    return GW_OK;
}

static void draw_variant(view_page *page, const gw_view_variant *v, const gw_scale *y) {
    cairo_t *cairo = page->canvas.cairo;
    const double at = gw_scale_position(&page->x, (double)v->position + 0.5), zero = gw_scale_position(y, 0);
    if (!isfinite(v->score)) {
        gw_canvas_box(&page->canvas, at - 0.5, zero - 4, 1, 8, NONE);
        return;
    }
    const double end = gw_scale_position(y, v->score);
    gw_canvas_colour(&page->canvas, v->score < 0 ? DOWN : UP);
    cairo_set_line_width(cairo, 1);
    cairo_move_to(cairo, at, zero);
    cairo_line_to(cairo, at, end);
    cairo_stroke(cairo);
    cairo_arc(cairo, at, end, 2.5, 0, 6.28318530717958647692);
    cairo_fill(cairo);
}

static gw_status draw_variants(view_page *page, double top) {
    const gw_view *view = page->view;
    double low = 0, high = 0;
    for (int64_t i = 0; i < view->variant_count; i++) {
        if (!isfinite(view->variants[i].score)) continue;
        low = fmin(low, view->variants[i].score), high = fmax(high, view->variants[i].score);
    }
    // room for names on the sides that have any
    const gw_scale y = scale_of(low * 1.15, high * 1.15, top, VARIANT_HEIGHT);
    const double zero = gw_scale_position(&y, 0);
    gw_canvas_box(&page->canvas, page->x.from, zero - 0.4, page->x.to - page->x.from, 0.8, NONE);
    for (int64_t i = 0; i < view->variant_count; i++) draw_variant(page, &view->variants[i], &y);
    draw_frame(page, &y, view->score_name);
    return name_largest(page, &y);
}

typedef struct {
    double end[GENE_ROWS]; // where each row is free from
    int rows;
} gene_rows;

// The row where a gene with its name fits, in `rows`; -1: none.
static int take_row(gene_rows *rows, double from, double to) {
    for (int r = 0; r < GENE_ROWS; r++) {
        if (r < rows->rows && rows->end[r] > from) continue;
        rows->end[r] = to;
        if (r == rows->rows) rows->rows++;
        return r;
    }
    return -1;
}

// Lays out the genes of the region and, where `draw`, draws them from `top` on; returns the number of rows.
static int place_genes(view_page *page, double top, bool draw) {
    const gw_view *view = page->view;
    gene_rows rows = {.rows = 0};
    for (int64_t i = 0; view->genes && i < view->genes->regions.count; i++) {
        const gw_region *gene = &view->genes->regions.items[i];
        if (gene->contig != view->region.contig || gene->end <= view->region.begin || gene->begin >= view->region.end)
            continue;
        char name[128];
        snprintf(name, sizeof name, gene->strand == '-' ? "< %s" : gene->strand == '+' ? "%s >" : "%s", gene->name);
        const double from = inside(page, (double)gene->begin), to = inside(page, (double)gene->end);
        const double text = gw_canvas_text_width(&page->canvas, GW_TEXT_SIZE - 2, name);
        const int row = take_row(&rows, from, fmax(to, from + text) + 6);
        if (row < 0 || !draw) continue;
        gw_canvas_box(&page->canvas, from, top + row * GENE_HEIGHT, fmax(to - from, 1), 7, gw_series_colour(1));
        gw_canvas_text(&page->canvas, from, top + row * GENE_HEIGHT + 18, 0, GW_TEXT_SIZE - 2, name);
    }
    return rows.rows;
}

static gw_status draw_page(view_page *page, double bottom) {
    const gw_view *view = page->view;
    double top = TOP;
    gw_status status = GW_OK;
    for (int t = 0; t < view->track_count; t++, top += TRACK_HEIGHT + GAP) draw_track(page, &view->tracks[t], top);
    if (view->score_name) {
        status = draw_variants(page, top);
        top += VARIANT_HEIGHT + GAP;
    }
    place_genes(page, top - GAP / 2.0, true);
    gw_canvas_colour(&page->canvas, GW_INK);
    cairo_set_line_width(page->canvas.cairo, 1);
    cairo_move_to(page->canvas.cairo, page->x.from, bottom);
    cairo_line_to(page->canvas.cairo, page->x.to, bottom);
    cairo_stroke(page->canvas.cairo);
    // bases are numbered from 1, each number under the middle of its base
    const gw_scale named = {page->x.low + 0.5, page->x.high + 0.5, page->x.from, page->x.to, .whole = true};
    gw_canvas_x_axis(&page->canvas, &named, bottom, gw_genome_name(view->genome, view->region.contig));
    return status;
}

gw_status gw_view_draw(const gw_view *view, const char *path) {
    view_page page = {.view = view, .x = {(double)view->region.begin, (double)view->region.end, LEFT, WIDTH - RIGHT}};
    cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    page.canvas.cairo = cairo_create(nothing);
    const int rows = place_genes(&page, 0, false); // to know how high the page is
    cairo_destroy(page.canvas.cairo);
    cairo_surface_destroy(nothing);
    const double bottom = TOP + view->track_count * (TRACK_HEIGHT + GAP) +
                          (view->score_name ? VARIANT_HEIGHT + GAP : 0) + rows * GENE_HEIGHT - GAP / 2.0;
    GW_TRY(gw_canvas_open(&page.canvas, path, WIDTH, bottom + BOTTOM));
    const gw_status status = draw_page(&page, bottom);
    const gw_status closed = gw_canvas_close(&page.canvas, path);
    return status != GW_OK ? status : closed;
}
