// SPDX-License-Identifier: MIT
// Bases as letters, scaled by their values.
#include "tools/picture/picture.h"

#include "base/number.h"
#include "tools/picture/canvas.h"

#include <math.h>
#include <string.h>

enum { ROW_BASES = 100, LETTER = 11, PLOT = 110, SPANS = 20, TITLE = 28, TOP = 40, AXIS = 50, LEFT = 78, RIGHT = 24 };

static uint32_t colour_of(char base) {
    switch (base) {
    case 'A': return 0x1b7837;
    case 'C': return 0x2166ac;
    case 'G': return 0xe08214;
    default: return 0xb2182b;
    }
}

// A letter that fills the box from y to `to`, upside down where `to` lies below y.
static void draw_letter(gw_canvas *canvas, char base, double x, double width, double y, double to) {
    const char text[] = {base, 0};
    cairo_text_extents_t e;
    cairo_set_font_size(canvas->cairo, 100);
    cairo_text_extents(canvas->cairo, text, &e);
    if (e.width <= 0 || e.height <= 0 || fabs(to - y) < 0.05) return;
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    cairo_scale(canvas->cairo, width / e.width, (y - to) / e.height);
    cairo_move_to(canvas->cairo, -e.x_bearing, -(e.height + e.y_bearing));
    cairo_text_path(canvas->cairo, text);
    cairo_restore(canvas->cairo);
    gw_canvas_colour(canvas, colour_of(base));
    cairo_fill(canvas->cairo);
}

static void draw_row(gw_canvas *canvas, const gw_picture_logo *l, const gw_scale *values, int64_t from, double top) {
    const int64_t end = gw_min(l->count, from + ROW_BASES);
    const double bottom = top + PLOT;
    const gw_scale y = {values->low, values->high, bottom, top, false, false};
    const gw_scale x = {l->first + (double)from - 0.5, l->first + (double)end - 0.5, LEFT,
                        LEFT + (double)(end - from) * LETTER, .whole = true};
    const double zero = gw_scale_position(&y, 0);
    for (int64_t i = 0; i < l->span_count; i++) {
        const double begin = fmax(l->spans[i].begin - l->first, (double)from) - (double)from,
                     stop = fmin(l->spans[i].end - l->first, (double)end) - (double)from;
        if (begin >= stop) continue;
        gw_canvas_box(canvas, LEFT + begin * LETTER, top - 6, (stop - begin) * LETTER, 3, GW_INK);
        if (l->spans[i].name)
            gw_canvas_text(canvas, LEFT + begin * LETTER, top - 10, 0, GW_TEXT_SIZE - 2, l->spans[i].name);
    }
    gw_canvas_box(canvas, x.from, zero - 0.5, x.to - x.from, 1, GW_PALE);
    for (int64_t i = from; i < end; i++) {
        if (!isfinite(l->value[i]) || !strchr("ACGT", l->bases[i])) continue;
        draw_letter(canvas, l->bases[i], LEFT + (double)(i - from) * LETTER + 0.4, LETTER - 0.8, zero,
                    gw_scale_position(&y, (double)l->value[i]));
    }
    gw_canvas_x_axis(canvas, &x, bottom, end == l->count ? l->x_label : NULL);
    gw_canvas_y_axis(canvas, &y, LEFT, from == 0 ? l->y_label : NULL);
}

gw_status gw_picture_letters(const char *path, const gw_picture_logo *logo) {
    if (logo->count < 1 || logo->count > GW_MOST_LOGO)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a logo of %lld bases (1 to %d)", path, (long long)logo->count,
                       GW_MOST_LOGO);
    gw_scale values = {.low = 0, .high = 0, .from = PLOT, .to = 0};
    for (int64_t i = 0; i < logo->count; i++) {
        if (!isfinite(logo->value[i])) continue;
        values.low = fmin(values.low, (double)logo->value[i]);
        values.high = fmax(values.high, (double)logo->value[i]);
    }
    if (values.high <= values.low) values.high = values.low + 1;
    gw_scale_round(&values);
    const int64_t rows = (logo->count + ROW_BASES - 1) / ROW_BASES, wide = gw_min(logo->count, ROW_BASES);
    const double height = SPANS + PLOT + AXIS,
                 width = LEFT + RIGHT +
                         fmax((double)wide * LETTER, gw_texts_width(GW_TITLE_SIZE, &logo->title, 1) - LEFT / 2);
    gw_canvas canvas;
    GW_TRY(gw_canvas_open(&canvas, path, fmax(width, 300), TOP + (double)rows * height));
    gw_canvas_text(&canvas, LEFT / 2, TITLE, 0, GW_TITLE_SIZE, logo->title);
    for (int64_t r = 0; r < rows; r++)
        draw_row(&canvas, logo, &values, r * ROW_BASES, TOP + SPANS + (double)r * height);
    return gw_canvas_close(&canvas, path);
}
