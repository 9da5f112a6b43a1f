// SPDX-License-Identifier: MIT
// The page: a cairo surface with its bytes written to an output that appears whole or not at all.
#include "tools/picture/canvas.h"

#include "base/utf8.h"
#include "tools/picture/picture.h"

#include <cairo-svg.h>
#include <math.h>
#include <string.h>

enum { PIXELS_A_UNIT = 2 };

static cairo_status_t write_bytes(void *context, const unsigned char *bytes, unsigned count) {
    gw_canvas *canvas = context;
    if (canvas->svg) gw_string_append(&canvas->page, bytes, count);
    else if (canvas->written == GW_OK) canvas->written = gw_output_write(&canvas->output, bytes, count);
    return canvas->written == GW_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void choose_font(gw_canvas *canvas) {
    cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

gw_status gw_canvas_open(gw_canvas *canvas, const char *path, double width, double height) {
    *canvas = (gw_canvas){.width = width, .height = height};
    GW_TRY(gw_output_open(&canvas->output, path));
    canvas->svg = gw_has_suffix(path, ".svg");
    const int scale = PIXELS_A_UNIT;
    canvas->surface = canvas->svg ? cairo_svg_surface_create_for_stream(write_bytes, canvas, width, height)
                                  : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * scale + 0.5),
                                                               (int)(height * scale + 0.5));
    canvas->cairo = cairo_create(canvas->surface);
    if (!canvas->svg) cairo_scale(canvas->cairo, scale, scale);
    choose_font(canvas);
    gw_canvas_box(canvas, 0, 0, width, height, 0xffffff);
    return GW_OK;
}

// The page of an SVG with what is written on it before its end.
static gw_status write_svg(gw_canvas *canvas) {
    static const char end[] = "</svg>";
    gw_string *page = &canvas->page;
    GW_TRY(gw_string_status(page));
    int64_t at = page->length - (int64_t)strlen(end);
    while (at > 0 && memcmp(page->data + at, end, strlen(end)) != 0) at--;
    gw_string_cut(page, at);
    gw_string_puts(page, "<desc>\n");
    if (canvas->words.data) gw_string_puts(page, canvas->words.data);
    gw_string_printf(page, "</desc>\n%s\n", end);
    page->failed |= canvas->words.failed;
    GW_TRY(gw_string_status(page));
    return gw_output_write(&canvas->output, page->data, page->length);
}

// Cairo keeps the first error of all drawing; an output's own message says more than its "error while writing".
gw_status gw_canvas_close(gw_canvas *canvas, const char *path) {
    cairo_status_t drawn = cairo_status(canvas->cairo);
    if (drawn == CAIRO_STATUS_SUCCESS && !canvas->svg)
        drawn = cairo_surface_write_to_png_stream(canvas->surface, write_bytes, canvas);
    cairo_destroy(canvas->cairo);
    cairo_surface_finish(canvas->surface);
    if (drawn == CAIRO_STATUS_SUCCESS) drawn = cairo_surface_status(canvas->surface);
    cairo_surface_destroy(canvas->surface);
    if (canvas->written == GW_OK && drawn == CAIRO_STATUS_SUCCESS && canvas->svg) canvas->written = write_svg(canvas);
    gw_string_free(&canvas->page);
    gw_string_free(&canvas->words);
    if (canvas->written == GW_OK && drawn == CAIRO_STATUS_SUCCESS) return gw_output_close(&canvas->output);
    const gw_status status = canvas->written != GW_OK
                                 ? canvas->written
                                 : gw_fail(GW_ERR_IO, "cannot draw %s: %s", path, cairo_status_to_string(drawn));
    gw_output_abandon(&canvas->output);
    return status;
}

gw_canvas gw_canvas_nowhere(void) {
    gw_canvas canvas = {.surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)};
    canvas.cairo = cairo_create(canvas.surface);
    choose_font(&canvas);
    return canvas;
}

void gw_canvas_forget(gw_canvas *canvas) {
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(canvas->surface);
}

void gw_canvas_colour(gw_canvas *canvas, uint32_t colour) {
    cairo_set_source_rgb(canvas->cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

void gw_canvas_box(gw_canvas *canvas, double x, double y, double width, double height, uint32_t colour) {
    gw_canvas_colour(canvas, colour);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_fill(canvas->cairo);
}

// A text in the making, or none where memory does not suffice, which the page then reports.
static const char *text_of(gw_canvas *canvas, const gw_string *text) {
    canvas->written = gw_first_failure(canvas->written, gw_string_status(text));
    return text->data ? text->data : "";
}

// Cairo draws nothing more after a text that is not UTF-8: names from files are mended. Free with gw_string_free().
static const char *mended(gw_canvas *canvas, const char *text, gw_string *out) {
    const int64_t length = (int64_t)strlen(text);
    *out = (gw_string){0};
    if (gw_utf8_valid(text, length) == length) return text;
    gw_utf8_append_mended(out, text, length);
    return text_of(canvas, out);
}

double gw_canvas_text_width(gw_canvas *canvas, double size, const char *text) {
    if (!text) return 0;
    cairo_text_extents_t extents;
    gw_string whole;
    cairo_set_font_size(canvas->cairo, size);
    cairo_text_extents(canvas->cairo, mended(canvas, text, &whole), &extents);
    gw_string_free(&whole);
    return extents.x_advance;
}

double gw_texts_width(double size, const char *const *texts, int64_t count) {
    gw_canvas canvas = gw_canvas_nowhere();
    double widest = 0;
    for (int64_t i = 0; i < count; i++) widest = fmax(widest, gw_canvas_text_width(&canvas, size, texts[i]));
    gw_canvas_forget(&canvas);
    return widest;
}

void gw_canvas_text(gw_canvas *canvas, double x, double y, double align, double size, const char *text) {
    if (!text) return;
    const double width = gw_canvas_text_width(canvas, size, text);
    gw_canvas_colour(canvas, GW_INK);
    gw_string whole;
    cairo_move_to(canvas->cairo, x - align * width, y);
    cairo_show_text(canvas->cairo, mended(canvas, text, &whole));
    gw_string_free(&whole);
    if (!canvas->svg) return;
    gw_utf8_append_markup(&canvas->words, text);
    gw_string_putc(&canvas->words, '\n');
}

void gw_canvas_text_within(gw_canvas *canvas, double x, double y, double width, double size, const char *text) {
    gw_string cut = {0};
    const char *shown = text;
    for (int64_t length = (int64_t)strlen(text); length > 0 && gw_canvas_text_width(canvas, size, shown) > width;) {
        length = gw_utf8_valid(text, length - 1); // whole characters only
        gw_string_clear(&cut);
        gw_string_append(&cut, text, length);
        gw_string_puts(&cut, "...");
        shown = text_of(canvas, &cut);
    }
    gw_canvas_text(canvas, x, y, 0, size, shown);
    gw_string_free(&cut);
}

void gw_canvas_text_up(gw_canvas *canvas, double x, double y, double size, const char *text) {
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    cairo_rotate(canvas->cairo, -1.57079632679489661923);
    gw_canvas_text(canvas, 0, 0, 0.5, size, text);
    cairo_restore(canvas->cairo);
}
