// SPDX-License-Identifier: MIT
// Genes in rows, each with its name under it. Those that have no row in which their name has room share a last one,
// without names, and are counted.
#include "tools/view/view_page.h"

#include <math.h>
#include <stdio.h>

enum { ROW_HEIGHT = 26, MOST_ROWS = 6, THICKNESS = 7, BASELINE = 18, SIZE = GW_TEXT_SIZE - 2, APART = 6 };

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

static bool is_seen(const gw_view *view, const gw_region *gene) {
    return gene->contig == view->region.contig && gene->end > view->region.begin && gene->begin < view->region.end;
}

// Draws a gene in its row, or finds only the row; a name near the right end ends there.
static void place_gene(gw_view_page *page, const gw_region *gene, gene_rows *rows, double top, bool draw) {
    char name[128];
    snprintf(name, sizeof name, gene->strand == '-' ? "< %s" : gene->strand == '+' ? "%s >" : "%s", gene->name);
    double from, to;
    gw_view_clip(page, (double)gene->begin, (double)gene->end, &from, &to);
    const double width = gw_canvas_text_width(&page->canvas, SIZE, name);
    const double text = fmax(page->x.from, fmin(from, page->x.to - width));
    const int row = take_row(rows, text, fmax(to, text + width) + APART);
    if (!draw) return;
    const double y = top + (row >= 0 ? row : MOST_ROWS) * ROW_HEIGHT;
    gw_canvas_box(&page->canvas, from, y, fmax(to - from, 1), THICKNESS, gw_series_colour(1));
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
    for (int64_t i = 0; view->genes && i < view->genes->regions.count; i++) {
        const gw_region *gene = &view->genes->regions.items[i];
        if (is_seen(view, gene)) place_gene(page, gene, &rows, top, draw);
    }
    if (draw && rows.unnamed > 0) draw_note(page, rows.unnamed, top + MOST_ROWS * ROW_HEIGHT);
    return (rows.rows + (rows.unnamed > 0)) * ROW_HEIGHT;
}
