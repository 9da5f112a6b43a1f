// SPDX-License-Identifier: MIT
// Rows of cells and arcs, drawn with cairo.
#include "tools/theory/turing_decoder.h"

#include "base/memory.h"
#include "tools/picture/canvas.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 80, TOP = 72, RIGHT = 24, BOTTOM = 24, MOST_ROWS = 1000, ARC = 0xd55e00 };
static const double PITCH = 2; // from cell to cell, in widths of a cell: arcs stand between them

typedef struct {
    const gw_machine *machine;
    const gw_machine_run *run;
    gw_canvas canvas;
    double cell;
} sheet;

// The blank is white, the others come in the colours of series, paler.
static uint32_t symbol_colour(int symbol) {
    if (symbol == 0) return 0xffffff;
    const uint32_t colour = gw_series_colour(symbol - 1);
    uint32_t pale = 0;
    for (int shift = 16; shift >= 0; shift -= 8) pale |= (255 - (255 - (colour >> shift & 255)) / 2) << shift;
    return pale;
}

static double x_of(const sheet *s, int64_t cell) {
    return LEFT + (double)(cell - s->run->first) * PITCH * s->cell;
}

static double y_of(const sheet *s, int64_t time) {
    return TOP + (double)time * s->cell;
}

static void draw_row(sheet *s, const int *tape, int64_t time) {
    const double gap = s->cell > 6 ? 1 : 0;
    for (int64_t c = s->run->first; c <= s->run->last; c++) {
        const int symbol = tape[c - s->run->first];
        gw_canvas_box(&s->canvas, x_of(s, c), y_of(s, time), s->cell - gap, s->cell - gap, symbol_colour(symbol));
        const char text[] = {s->machine->symbol[symbol], 0};
        if (s->cell >= 12 && symbol > 0)
            gw_canvas_text(&s->canvas, x_of(s, c) + s->cell / 2, y_of(s, time) + 0.75 * s->cell, 0.5, 0.7 * s->cell,
                           text);
    }
    gw_canvas_colour(&s->canvas, GW_INK);
    cairo_set_line_width(s->canvas.cairo, fmin(1.5, s->cell / 6));
    cairo_rectangle(s->canvas.cairo, x_of(s, s->run->moment[time].head), y_of(s, time), s->cell - gap, s->cell - gap);
    cairo_stroke(s->canvas.cairo);
}

// From the moment that reads up to the one that wrote, on the right of the cell; long ones stand further out.
static void draw_arc(sheet *s, int64_t time, int64_t writer) {
    const double x = x_of(s, s->run->moment[time].head) + s->cell, from = y_of(s, time) + s->cell / 2,
                 to = y_of(s, writer) + s->cell / 2, bulge = fmin(1.2, 0.3 * log2((double)(time - writer))) * s->cell;
    gw_canvas_colour(&s->canvas, ARC);
    cairo_set_line_width(s->canvas.cairo, fmax(0.5, s->cell / 16));
    cairo_move_to(s->canvas.cairo, x, from);
    cairo_curve_to(s->canvas.cairo, x + bulge, from, x + bulge, to, x, to);
    cairo_stroke(s->canvas.cairo);
}

static void draw_rows(sheet *s, int *tape, const int *input, int64_t input_count) {
    const gw_machine_run *run = s->run;
    for (int64_t c = 0; c < input_count; c++) tape[1 + c - run->first] = input[c];
    for (int64_t t = 0; t <= run->steps; t++) {
        const gw_moment *m = &run->moment[t];
        draw_row(s, tape, t);
        tape[m->head - run->first] = s->machine->table[m->state][m->symbol].write;
    }
}

static void draw_legend(sheet *s) {
    double x = LEFT;
    for (int i = 0; i < s->machine->symbols; i++, x += 34) {
        const char name[] = {s->machine->symbol[i], 0};
        gw_canvas_box(&s->canvas, x, TOP - 34, 12, 12, GW_PALE);
        gw_canvas_box(&s->canvas, x + 1, TOP - 33, 10, 10, symbol_colour(i));
        gw_canvas_text(&s->canvas, x + 16, TOP - 23, 0, GW_TEXT_SIZE, name);
    }
}

gw_status gw_turing_picture(const char *path, const char *title, const gw_machine *machine, const gw_machine_run *run,
                            const int *input, int64_t input_count, const int64_t *carrier) {
    if (run->steps >= MOST_ROWS)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: cannot draw %lld steps (fewer than %d)", path, (long long)run->steps,
                       MOST_ROWS);
    const int64_t cells = run->last - run->first + 1;
    sheet s = {.machine = machine, .run = run, .cell = fmax(5, fmin(18, 700.0 / (double)(run->steps + 1)))};
    int *tape = gw_alloc(cells, sizeof *tape);
    if (!tape) return GW_ERR_MEMORY;
    const double wide = LEFT + fmax((double)cells * PITCH * s.cell, gw_texts_width(GW_TITLE_SIZE, &title, 1)) + RIGHT;
    const double high = TOP + (double)(run->steps + 1) * s.cell + BOTTOM;
    gw_status status = gw_canvas_open(&s.canvas, path, wide, high);
    if (status == GW_OK) {
        const gw_scale y = {-0.5, (double)run->steps + 0.5, TOP, y_of(&s, run->steps + 1), .whole = true};
        draw_legend(&s);
        draw_rows(&s, tape, input, input_count);
        for (int64_t t = 1; t <= run->steps; t++)
            if (carrier[t] >= 0) draw_arc(&s, t, carrier[t]);
        gw_canvas_y_axis(&s.canvas, &y, LEFT - 4, "step of the machine");
        gw_canvas_text(&s.canvas, LEFT, TOP - 48, 0, GW_TITLE_SIZE, title);
        status = gw_canvas_close(&s.canvas, path);
    }
    free(tape);
    return status;
}
