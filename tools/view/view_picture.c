// SPDX-License-Identifier: MIT
// Panels from top to bottom: tracks, variants, genes, and the axis below the last.
#include "tools/view/view_picture.h"

#include "base/memory.h"
#include "base/string.h"
#include "tools/picture/canvas.h"
#include "tools/scored_vcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WIDTH = 1000,
    LEFT = 90,
    RIGHT = GW_NUMBER_HALF,
    TOP = 40,
    BOTTOM = 60,
    TRACK_HEIGHT = 64,
    VARIANT_HEIGHT = 150,
    GAP = 26,                // between panels: room for a name
    SIZE = GW_TEXT_SIZE - 2, // of names
    DOT = 3,                 // half of a stem's width for names
    COLUMN = 2,              // narrow stretches of a track share columns of half a unit, a pixel of a PNG
};
enum { NONE = 0x999999 };

typedef struct {
    const gw_view *view;
    gw_canvas canvas;
    gw_scale x;
} view_page;

// The part of a stretch that the picture shows.
static void clip(const view_page *page, double begin, double end, double *from, double *to) {
    const gw_scale *x = &page->x;
    *from = fmin(fmax(gw_scale_position(x, begin), x->from), x->to);
    *to = fmin(fmax(gw_scale_position(x, end), x->from), x->to);
}

// The frame of a panel with its scale on the left.
static void draw_frame(view_page *page, const gw_scale *y) {
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

static void draw_values(view_page *page, const gw_track_values *values, const gw_scale *y) {
    column columns[WIDTH * COLUMN] = {{0, 0}};
    const double zero = gw_scale_position(y, 0);
    const int count = (int)((page->x.to - page->x.from) * COLUMN);
    for (int64_t i = 0; i < values->count; i++) {
        const gw_track_value *v = &values->items[i];
        double from, to;
        clip(page, (double)v->begin, (double)v->end, &from, &to);
        const double at = gw_scale_position(y, v->value);
        if (!isfinite(v->value)) continue;
        if (to - from >= 1) {
            gw_canvas_box(&page->canvas, from, fmin(at, zero), to - from, fabs(at - zero), gw_series_colour(0));
            continue;
        }
        column *c = &columns[(int)fmin((from - page->x.from) * COLUMN, count - 1)];
        c->low = fmin(c->low, v->value), c->high = fmax(c->high, v->value);
    }
    for (int c = 0; c < count; c++) {
        const double top = gw_scale_position(y, columns[c].high), bottom = gw_scale_position(y, columns[c].low);
        if (bottom > top)
            gw_canvas_box(&page->canvas, page->x.from + (double)c / COLUMN, top, 1.0 / COLUMN, bottom - top,
                          gw_series_colour(0));
    }
}

static void draw_track(view_page *page, const gw_view_track *track, double top) {
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

static void draw_variant(view_page *page, const gw_view_variant *v, const gw_scale *y) {
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
static void explain_scores(view_page *page, double top) {
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

static void draw_splice_lines(view_page *page, const gw_scale *y) {
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

// Names of variants: beyond the end of the stem, else right or left of it; never over a stem or another name.

typedef struct {
    double left, right, top, bottom;
} box;

typedef struct {
    view_page *page;
    const gw_scale *y;
    box *placed;
    int64_t count;
} names;

static bool apart(const box *a, const box *b) {
    return a->left >= b->right || b->left >= a->right || a->top >= b->bottom || b->top >= a->bottom;
}

static box stem_of(const names *n, const gw_view_variant *v) {
    const double x = gw_scale_position(&n->page->x, (double)v->position + 0.5), zero = gw_scale_position(n->y, 0),
                 end = gw_scale_position(n->y, v->score);
    return (box){x - DOT, x + DOT, fmin(zero, end - DOT), fmax(zero, end + DOT)};
}

static bool is_free(const names *n, const box *place) {
    const gw_view *view = n->page->view;
    const gw_scale *x = &n->page->x;
    if (place->left < x->from || place->right > x->to) return false;
    for (int64_t p = 0; p < n->count; p++)
        if (!apart(place, &n->placed[p])) return false;
    for (int64_t i = 0; i < view->variant_count; i++) {
        if (!isfinite(view->variants[i].score)) continue;
        const box stem = stem_of(n, &view->variants[i]);
        if (!apart(place, &stem)) return false;
    }
    return true;
}

// Places are tried in order; a name that has none is left out.
static void place_name(names *n, const gw_view_variant *v) {
    const gw_scale *x = &n->page->x;
    const box stem = stem_of(n, v);
    const double width = gw_canvas_text_width(&n->page->canvas, SIZE, v->name), middle = (stem.left + stem.right) / 2;
    const double over = fmin(fmax(middle - width / 2, x->from), x->to - width); // inside the panel
    const double beyond = v->score < 0 ? stem.bottom + 2 : stem.top - 2 - SIZE;
    const double level = v->score < 0 ? stem.bottom - DOT - SIZE / 2.0 : stem.top + DOT - SIZE / 2.0;
    const double left[] = {over, stem.right + 2, stem.left - 2 - width}, top[] = {beyond, level, level};
    for (int i = 0; i < 3; i++) {
        const box place = {left[i], left[i] + width, top[i], top[i] + SIZE};
        if (!is_free(n, &place)) continue;
        n->placed[n->count++] = place;
        gw_canvas_text(&n->page->canvas, place.left, place.bottom - 2, 0, SIZE, v->name);
        return;
    }
}

static int by_size(const void *a, const void *b) {
    const gw_view_variant *const *x = a, *const *y = b;
    const double d = fabs((*y)->score) - fabs((*x)->score);
    return (d > 0) - (d < 0);
}

static gw_status name_variants(view_page *page, const gw_scale *y) {
    const gw_view *view = page->view;
    const gw_view_variant **sorted = gw_alloc(view->variant_count, sizeof *sorted);
    names n = {page, y, gw_alloc(view->named, sizeof *n.placed), 0};
    const gw_status status = sorted && n.placed ? GW_OK : GW_ERR_MEMORY;
    int64_t scored = 0;
    for (int64_t i = 0; status == GW_OK && i < view->variant_count; i++)
        if (isfinite(view->variants[i].score)) sorted[scored++] = &view->variants[i];
    if (status == GW_OK) qsort(sorted, (size_t)scored, sizeof *sorted, by_size);
    for (int64_t i = 0; i < scored && i < view->named; i++) place_name(&n, sorted[i]);
    free(sorted);
    free(n.placed);
    return status;
}

static gw_status draw_variants(view_page *page, double top) {
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
    return name_variants(page, &y);
}

// Genes in rows, exons as boxes on a line, each with its name under it. Those that have no row in which their name has
// room share a last one, without names, and are counted.

enum { ROW_HEIGHT = 26, MOST_ROWS = 6, THICKNESS = 7, INTRON = 1, BASELINE = 18, APART = 6 };

typedef struct {
    double end[MOST_ROWS]; // where each row is free from
    int rows, unnamed;
} gene_rows;

// The row where a gene with its name fits; -1: none.
static int take_row(gene_rows *rows, double from, double to) {
    for (int r = 0; r < MOST_ROWS; r++) {
        if (r < rows->rows && rows->end[r] > from) continue;
        rows->end[r] = to;
        if (r == rows->rows) rows->rows++;
        return r;
    }
    rows->unnamed++;
    return -1;
}

// Draws a gene in its row, or finds only the row; a name near the right end ends there.
static void place_gene(view_page *page, const gw_view_gene *gene, gene_rows *rows, double top, bool draw) {
    char name[128];
    snprintf(name, sizeof name, gene->strand == '-' ? "< %s" : gene->strand == '+' ? "%s >" : "%s", gene->name);
    double from, to;
    clip(page, (double)gene->begin, (double)gene->end, &from, &to);
    const double width = gw_canvas_text_width(&page->canvas, SIZE, name);
    const double text = fmax(page->x.from, fmin(from, page->x.to - width));
    const int row = take_row(rows, text, fmax(to, text + width) + APART);
    if (!draw) return;
    const double y = top + (row >= 0 ? row : MOST_ROWS) * ROW_HEIGHT;
    const double thickness = gene->exon_count > 0 ? INTRON : THICKNESS;
    gw_canvas_box(&page->canvas, from, y + (THICKNESS - thickness) / 2, fmax(to - from, 1), thickness,
                  gw_series_colour(1));
    for (int64_t e = 0; e < gene->exon_count; e++) {
        if (gene->exons[e].end <= page->view->region.begin || gene->exons[e].begin >= page->view->region.end) continue;
        clip(page, (double)gene->exons[e].begin, (double)gene->exons[e].end, &from, &to);
        gw_canvas_box(&page->canvas, from, y, fmax(to - from, 1), THICKNESS, gw_series_colour(1));
    }
    if (row >= 0) gw_canvas_text(&page->canvas, text, y + BASELINE, 0, SIZE, name);
}

// Lays out the genes of the region and, where `draw`, draws them from `top` on; returns their height.
static double place_genes(view_page *page, double top, bool draw) {
    const gw_view *view = page->view;
    gene_rows rows = {.rows = 0};
    for (int64_t i = 0; i < view->gene_count; i++) place_gene(page, &view->genes[i], &rows, top, draw);
    if (draw && rows.unnamed > 0) {
        char note[64];
        snprintf(note, sizeof note, "%d more %s without room for a name", rows.unnamed,
                 rows.unnamed == 1 ? "gene" : "genes");
        gw_canvas_text(&page->canvas, page->x.from, top + MOST_ROWS * ROW_HEIGHT + BASELINE, 0, SIZE, note);
    }
    return (rows.rows + (rows.unnamed > 0)) * ROW_HEIGHT;
}

// Bases are numbered from 1, each number under the middle of its base.
static void draw_axis(view_page *page, double bottom) {
    const gw_view *view = page->view;
    const gw_scale named = {page->x.low + 0.5, page->x.high + 0.5, page->x.from, page->x.to, .whole = true};
    gw_string label = {0};
    gw_string_printf(&label, "position on %s (bp)", gw_genome_name(view->genome, view->region.contig));
    gw_canvas_box(&page->canvas, page->x.from, bottom - 0.5, page->x.to - page->x.from, 1, GW_INK);
    gw_canvas_x_axis(&page->canvas, &named, bottom, label.data);
    gw_string_free(&label);
}

gw_status gw_view_draw(const gw_view *view, const char *path) {
    view_page page = {.view = view, .x = {(double)view->region.begin, (double)view->region.end, LEFT, WIDTH - RIGHT}};
    page.canvas = gw_canvas_nowhere();
    const double genes = place_genes(&page, 0, false); // to know how high the page is
    gw_canvas_forget(&page.canvas);
    const double bottom = TOP + view->track_count * (TRACK_HEIGHT + GAP) +
                          (view->score_name ? VARIANT_HEIGHT + GAP : 0) + genes - GAP / 2.0;
    GW_TRY(gw_canvas_open(&page.canvas, path, WIDTH, bottom + BOTTOM));
    double top = TOP;
    gw_status status = GW_OK;
    for (int i = 0; i < view->track_count; i++, top += TRACK_HEIGHT + GAP) draw_track(&page, &view->tracks[i], top);
    if (view->score_name) {
        status = draw_variants(&page, top);
        top += VARIANT_HEIGHT + GAP;
    }
    place_genes(&page, top - GAP / 2.0, true);
    draw_axis(&page, bottom);
    const gw_status closed = gw_canvas_close(&page.canvas, path);
    return gw_first_failure(status, closed);
}
