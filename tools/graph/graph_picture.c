// SPDX-License-Identifier: MIT
// Draws the cells of a block graph as squares, a panel for each head.
#include "tools/graph/graph_parts.h"

#include "tools/picture/canvas.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 80, TOP = 56, BOTTOM = 20, SIDE = 560, GAP = 20, RIGHT = 20, MAX_BLOCKS = 4000, LEGEND_HEIGHT = 180 };

static const gw_legend_row part_rows[] = {
    [GW_PART_WINDOW] = {"window", 0x56a0d3, GW_LEGEND_BOX},
    [GW_PART_GLOBAL] = {"global", 0x4caf7d, GW_LEGEND_BOX},
    [GW_PART_BAND] = {"band", 0xb07cc6, GW_LEGEND_BOX},
    [GW_PART_RANDOM] = {"random", 0xe69f00, GW_LEGEND_BOX},
};
static const gw_legend_row sampled_row = {"sampled", 0xe69f00, GW_LEGEND_BOX}; // coloured as what is random
static const gw_legend_row full_row = {"every block", 0x56a0d3, GW_LEGEND_BOX};
static const gw_legend_row repeat_row = {"listed more than once", GW_INK, GW_LEGEND_BOX};

// The part of a cell's square whose keys are `before` to `after` tokens from the query: between two lines that fall as
// queries go on.
static void clip_interval(cairo_t *cairo, const gw_graph *graph, int64_t row, int64_t edge, double cell) {
    const bool causal = graph->kind[edge] == GW_EDGE_CAUSAL;
    const double token = cell / graph->block, far = causal ? 1e6 : (double)graph->before * token;
    const double near = causal ? 0 : (double)graph->after * token, x = LEFT + (double)graph->offset * token;
    const double top = (double)row * cell, end = top + cell;
    cairo_new_path(cairo);
    cairo_move_to(cairo, x + top - far, TOP + top);
    cairo_line_to(cairo, x + top + near, TOP + top);
    cairo_line_to(cairo, x + end + near, TOP + end);
    cairo_line_to(cairo, x + end - far, TOP + end);
    cairo_close_path(cairo);
    cairo_clip(cairo);
}

static void draw_cell(gw_canvas *canvas, const gw_graph *graph, int64_t row, int64_t edge, double cell,
                      uint32_t colour) {
    const double seam = cell >= 5 ? 1 : 0; // white lines between cells that are large enough
    const double x = LEFT + graph->column[edge] * cell, y = TOP + (double)row * cell;
    const bool partly = graph->kind && (graph->kind[edge] == GW_EDGE_CAUSAL || graph->kind[edge] == GW_EDGE_BAND);
    cairo_save(canvas->cairo);
    if (partly) clip_interval(canvas->cairo, graph, row, edge, cell);
    gw_canvas_box(canvas, x, y, cell - seam, cell - seam, colour);
    cairo_restore(canvas->cairo);
    if (graph->log_multiplicity && graph->log_multiplicity[edge] > 0)
        gw_canvas_box(canvas, x + cell / 3, y + cell / 3, cell / 3, cell / 3, repeat_row.colour);
}

static void draw_axes(gw_canvas *canvas, const gw_graph *graph, double cell) {
    const double width = graph->key_blocks * cell, height = graph->query_blocks * cell;
    const gw_scale x = {-0.5, graph->key_blocks - 0.5, LEFT, LEFT + width, .whole = true};
    const gw_scale y = {-0.5, graph->query_blocks - 0.5, TOP, TOP + height, .whole = true};
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_rectangle(canvas->cairo, LEFT - 0.5, TOP - 0.5, width + 1, height + 1);
    cairo_stroke(canvas->cairo);
    char label[64];
    snprintf(label, sizeof label, "key block (%lld tokens each)", (long long)graph->block);
    gw_canvas_x_axis(canvas, &x, TOP + height, label);
    gw_canvas_y_axis(canvas, &y, LEFT, "query block");
}

// Random blocks all lie near the start: the reader should not take this for a fault of the picture.
static void explain_random(gw_canvas *canvas, const gw_pattern *pattern, const gw_graph *graph, double x, double y) {
    const int64_t first = graph->offset / graph->block;
    int32_t last = 0;
    for (int64_t r = 0; r < graph->query_blocks; r++)
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++)
            if (graph->column[e] > last &&
                gw_pattern_part(pattern, graph->key_blocks, first + r, graph->column[e]) == GW_PART_RANDOM)
                last = graph->column[e];
    if (last == 0 || last > graph->key_blocks / 2) return;
    char line[64];
    snprintf(line, sizeof line, "here none beyond block %d.", last);
    const char *const lines[] = {"BigBird's code draws", "random blocks near the", "start of the text only:", line};
    for (int i = 0; i < 4; i++) gw_canvas_text(canvas, x, y + i * 18, 0, GW_TEXT_SIZE, lines[i]);
}

gw_status gw_graph_picture(const char *path, const char *title, const gw_pattern *pattern, bool full, bool sampled,
                           const gw_graph *graph) {
    const int64_t blocks = graph->key_blocks;
    if (blocks > MAX_BLOCKS)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: cannot draw %lld blocks (at most %d)", path, (long long)blocks,
                       MAX_BLOCKS);
    gw_legend_row rows[5];
    // The legend's rows for what this graph has.
    int listed = 0;
    if (full) rows[listed++] = full_row;
    if (!full && pattern->window > 0) rows[listed++] = part_rows[GW_PART_WINDOW];
    if (!full && pattern->global > 0) rows[listed++] = part_rows[GW_PART_GLOBAL];
    if (!full && pattern->band > 0) rows[listed++] = part_rows[GW_PART_BAND];
    if (!full && gw_pattern_differs_by_head(pattern)) rows[listed++] = part_rows[GW_PART_RANDOM];
    if (sampled) rows[listed++] = sampled_row;
    if (graph->log_multiplicity) rows[listed++] = repeat_row;
    const double side = fmax(SIDE, (double)blocks / 2), cell = side / (double)blocks; // half a unit: a pixel of a PNG
    const double height = fmax(graph->query_blocks * cell, LEGEND_HEIGHT);
    gw_canvas canvas;
    GW_TRY(gw_canvas_open(&canvas, path, LEFT + side + GAP + 190 + RIGHT, TOP + height + BOTTOM + 40));
    cairo_set_antialias(canvas.cairo, CAIRO_ANTIALIAS_NONE);
    for (int64_t r = 0; r < graph->query_blocks; r++)
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            const int64_t query = graph->offset / graph->block + r;
            const int part = full ? 0 : (int)gw_pattern_part(pattern, graph->key_blocks, query, graph->column[e]);
            draw_cell(&canvas, graph, r, e, cell, full ? full_row.colour : part_rows[part].colour);
        }
    cairo_set_antialias(canvas.cairo, CAIRO_ANTIALIAS_DEFAULT);
    draw_axes(&canvas, graph, cell);
    gw_canvas_legend(&canvas, LEFT + side + GAP, TOP, rows, listed);
    if (!full && pattern->tables != GW_TABLES_OWN)
        explain_random(&canvas, pattern, graph, LEFT + side + GAP, TOP + listed * 20 + 24);
    gw_canvas_text(&canvas, LEFT, TOP - 22, 0, GW_TITLE_SIZE, title);
    return gw_canvas_close(&canvas, path);
}
