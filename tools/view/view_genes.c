// SPDX-License-Identifier: MIT
// Genes in rows, exons as boxes on a line, each with its name under it. Those that have no row in which their name has
// room share a last one, without names, and are counted.
#include "tools/view/view_page.h"

#include <math.h>
#include <stdio.h>

enum { ROW_HEIGHT = 26, MOST_ROWS = 6, THICKNESS = 7, INTRON = 1, BASELINE = 18, SIZE = GW_TEXT_SIZE - 2, APART = 6 };

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
static void place_gene(gw_view_page *page, const gw_view_gene *gene, gene_rows *rows, double top, bool draw) {
    char name[128];
    snprintf(name, sizeof name, gene->strand == '-' ? "< %s" : gene->strand == '+' ? "%s >" : "%s", gene->name);
    double from, to;
    gw_view_clip(page, (double)gene->begin, (double)gene->end, &from, &to);
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
        gw_view_clip(page, (double)gene->exons[e].begin, (double)gene->exons[e].end, &from, &to);
        gw_canvas_box(&page->canvas, from, y, fmax(to - from, 1), THICKNESS, gw_series_colour(1));
    }
    if (row >= 0) gw_canvas_text(&page->canvas, text, y + BASELINE, 0, SIZE, name);
}

static void draw_note(gw_view_page *page, int unnamed, double y) {
    char note[64];
    snprintf(note, sizeof note, "%d more %s without room for a name", unnamed, unnamed == 1 ? "gene" : "genes");
    gw_canvas_text(&page->canvas, page->x.from, y + BASELINE, 0, SIZE, note);
}

double gw_view_genes(gw_view_page *page, double top, bool draw) {
    const gw_view *view = page->view;
    gene_rows rows = {.rows = 0};
    for (int64_t i = 0; i < view->gene_count; i++) place_gene(page, &view->genes[i], &rows, top, draw);
    if (draw && rows.unnamed > 0) draw_note(page, rows.unnamed, top + MOST_ROWS * ROW_HEIGHT);
    return (rows.rows + (rows.unnamed > 0)) * ROW_HEIGHT;
}
