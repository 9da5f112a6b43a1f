// SPDX-License-Identifier: MIT
// Prints which tokens read which in a sequence with a given structure, token by token, with the reasons.
//
// {"tokens": N, "globals": [{"name": "...", "begin": B, "end": E}, ...], "parts": [P, ...]}: global tokens that
// summarise tokens B to E - 1, or, without B and E, none; parts after the first one begin at tokens P.
#include "tools/graph/graph_parts.h"

#include "base/json.h"
#include "base/memory.h"
#include "graph/etc.h"
#include "graph/measure.h"
#include "tools/picture/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TOKENS = 1 << 16, MOST_DRAWN = 2000 };

typedef struct {
    const char *path;
    json_t *json;
    json_t *names; // of the global tokens, borrowed
    gw_etc_rules rules;
    gw_etc_structure rows;
    int32_t *begin, *end, *part;
} document;

// --- reading -------------------------------------------------------------------------------------------------------

static gw_status read_list(const document *d, const char *key, json_t **out) {
    *out = json_object_get(d->json, key);
    if (!*out || json_is_array(*out)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: \"%s\" is not a list", d->path, key);
}

static gw_status read_global(document *d, int64_t g, int64_t longs) {
    const json_t *object = json_array_get(d->names, (size_t)g);
    const char *name = NULL;
    int64_t begin = -1, end = -1;
    if (!json_is_object(object))
        return gw_fail(GW_ERR_FORMAT, "%s: \"globals\", entry %lld is not an object", d->path, (long long)g + 1);
    GW_TRY(gw_json_string(object, d->path, "name", false, &name));
    GW_TRY(gw_json_int(object, d->path, "begin", false, 0, longs - 1, &begin));
    GW_TRY(gw_json_int(object, d->path, "end", false, 1, longs, &end));
    if ((begin < 0) != (end < 0) || (begin >= 0 && begin >= end))
        return gw_fail(GW_ERR_FORMAT, "%s: \"globals\", entry %lld: \"begin\" and \"end\" are not a run of tokens",
                       d->path, (long long)g + 1);
    d->begin[g] = begin < 0 ? -1 : (int32_t)(d->rows.globals + begin);
    d->end[g] = (int32_t)(d->rows.globals + end);
    return GW_OK;
}

static gw_status read_document(document *d) {
    int64_t longs = 0;
    GW_TRY(gw_json_load(d->path, &d->json));
    GW_TRY(gw_json_int(d->json, d->path, "tokens", true, 1, MOST_TOKENS, &longs));
    GW_TRY(read_list(d, "globals", &d->names));
    d->rows.globals = (int64_t)json_array_size(d->names);
    d->rows.rows = d->rows.globals + longs;
    d->begin = gw_alloc(d->rows.globals + 1, sizeof *d->begin);
    d->end = gw_alloc(d->rows.globals + 1, sizeof *d->end);
    d->part = gw_alloc(longs, sizeof *d->part);
    if (!d->begin || !d->end || !d->part) return GW_ERR_MEMORY;
    d->rows.segment_begin = d->begin;
    d->rows.segment_end = d->end;
    for (int64_t g = 0; g < d->rows.globals; g++) GW_TRY(read_global(d, g, longs));
    json_t *list;
    int64_t at = 0;
    GW_TRY(read_list(d, "parts", &list));
    for (size_t p = 0; p <= json_array_size(list); p++) {
        const bool last = p == json_array_size(list);
        const int64_t next = last ? longs : json_integer_value(json_array_get(list, p));
        if (!last && (next <= at || next >= longs))
            return gw_fail(GW_ERR_FORMAT,
                           "%s: \"parts\", entry %zu: expected a token between %lld and %lld, which are "
                           "those of the part before and the last one",
                           d->path, p + 1, (long long)at, (long long)longs - 1);
        for (; at < next; at++) d->part[at] = (int32_t)p;
    }
    if (list) d->rows.part = d->part;
    return GW_OK;
}

// --- reasons -------------------------------------------------------------------------------------------------------

typedef enum { NOT_READ, GLOBALS, ALL_TOKENS, OWN_SEGMENT, ALL_GLOBALS, OWN_GLOBAL, NEAR, REASONS } reason;

static const gw_legend_row reason_rows[REASONS] = {
    [GLOBALS] = {"global, of global", 0x4caf7d, GW_LEGEND_BOX},
    [ALL_TOKENS] = {"global, of all tokens", 0x56a0d3, GW_LEGEND_BOX},
    [OWN_SEGMENT] = {"global, of its segment", 0x2f6f9f, GW_LEGEND_BOX},
    [ALL_GLOBALS] = {"token, of all global", 0xe69f00, GW_LEGEND_BOX},
    [OWN_GLOBAL] = {"token, of its global", 0xc46a00, GW_LEGEND_BOX},
    [NEAR] = {"token, of near ones", 0xb07cc6, GW_LEGEND_BOX},
};

static reason reason_of(const document *d, int64_t i, int64_t j) {
    if (!gw_etc_reads(&d->rules, &d->rows, i, j)) return NOT_READ;
    const bool query = i < d->rows.globals, key = j < d->rows.globals;
    if (query && key) return GLOBALS;
    if (query) return d->rules.hard && d->begin[i] >= 0 ? OWN_SEGMENT : ALL_TOKENS;
    if (key) return d->rules.own && d->begin[j] >= 0 ? OWN_GLOBAL : ALL_GLOBALS;
    return NEAR;
}

// --- the table -----------------------------------------------------------------------------------------------------

// Runs of the numbers [first, last) that row i reads, counted from `first`.
static void print_read(const document *d, int64_t i, int64_t first, int64_t last) {
    bool any = false;
    for (int64_t j = first, end; j < last; j = end + 1) {
        const bool reads = gw_etc_reads(&d->rules, &d->rows, i, j);
        for (end = j; end + 1 < last && gw_etc_reads(&d->rules, &d->rows, i, end + 1) == reads;) end++;
        if (!reads) continue;
        printf("%s%lld", any ? "," : "\t", (long long)(j - first));
        if (end > j) printf("-%lld", (long long)(end - first));
        any = true;
    }
    if (!any) fputs("\t.", stdout);
}

static void print_global(const document *d, int64_t g) {
    const char *why = !d->rules.hard    ? "every token"
                      : d->begin[g] < 0 ? "of no segment: every token"
                                        : "hard: its segment";
    const char *name = json_string_value(json_object_get(json_array_get(d->names, (size_t)g), "name"));
    printf("global\t%lld\t%s", (long long)g, name ? name : ".");
    print_read(d, g, 0, d->rows.globals);
    print_read(d, g, d->rows.globals, d->rows.rows);
    printf("\tevery global token; %s\n", why);
}

static void print_long(const document *d, int64_t i) {
    const int64_t token = i - d->rows.globals;
    printf("token\t%lld\t", (long long)token);
    if (d->rows.part) printf("part %d", d->part[token] + 1);
    else putchar('.');
    print_read(d, i, 0, d->rows.globals);
    print_read(d, i, d->rows.globals, d->rows.rows);
    printf("\t%s; at most %lld tokens away%s\n",
           d->rules.own ? "own: global tokens of its segments and of none" : "every global token",
           (long long)d->rules.radius, d->rows.part ? " in its part" : "");
}

static gw_status print_measures(const document *d, const char *spec) {
    gw_graph *graph;
    GW_TRY(gw_etc_graph(&d->rules, &d->rows, &graph));
    const int64_t longs = d->rows.rows - d->rows.globals,
                  pairs = gw_graph_token_pairs(graph, d->rows.rows, d->rows.rows);
    printf("measure\tvalue\npattern\t%s\ntokens\t%lld\nglobals\t%lld\nparts\t%d\n", spec, (long long)longs,
           (long long)d->rows.globals, d->part[longs - 1] + 1);
    printf("block\t%d\nedges\t%lld\ntoken_pairs\t%lld\ndensity\t%.6g\n", d->rules.block,
           (long long)graph->row_start[graph->query_blocks], (long long)pairs,
           (double)pairs / ((double)d->rows.rows * (double)d->rows.rows));
    gw_graph_free(graph);
    return GW_OK;
}

// --- the picture ---------------------------------------------------------------------------------------------------

enum { LEFT = 80, TOP = 56, SIDE = 560, GAP = 20, LEGEND = 190, BOTTOM = 60 };

static void draw_rows(gw_canvas *canvas, const document *d, double cell, bool seen[REASONS]) {
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_NONE);
    for (int64_t i = 0; i < d->rows.rows; i++)
        for (int64_t j = 0, end; j < d->rows.rows; j = end) {
            const reason why = reason_of(d, i, j);
            for (end = j + 1; end < d->rows.rows && reason_of(d, i, end) == why;) end++;
            seen[why] = true;
            if (why == NOT_READ) continue;
            gw_canvas_box(canvas, LEFT + (double)j * cell, TOP + (double)i * cell, (double)(end - j) * cell, cell,
                          reason_rows[why].colour);
        }
    cairo_set_antialias(canvas->cairo, CAIRO_ANTIALIAS_DEFAULT);
}

// A frame, a line behind the global tokens, and axes that count rows.
static void draw_frame(gw_canvas *canvas, const document *d, double cell) {
    const double side = (double)d->rows.rows * cell, border = (double)d->rows.globals * cell;
    const gw_scale x = {-0.5, (double)d->rows.rows - 0.5, LEFT, LEFT + side, .whole = true};
    const gw_scale y = {-0.5, (double)d->rows.rows - 0.5, TOP, TOP + side, .whole = true};
    gw_canvas_colour(canvas, GW_INK);
    cairo_set_line_width(canvas->cairo, 1);
    cairo_rectangle(canvas->cairo, LEFT - 0.5, TOP - 0.5, side + 1, side + 1);
    cairo_move_to(canvas->cairo, LEFT + border, TOP);
    cairo_line_to(canvas->cairo, LEFT + border, TOP + side);
    cairo_move_to(canvas->cairo, LEFT, TOP + border);
    cairo_line_to(canvas->cairo, LEFT + side, TOP + border);
    cairo_stroke(canvas->cairo);
    gw_canvas_x_axis(canvas, &x, TOP + side, "key: global tokens, then those of the text");
    gw_canvas_y_axis(canvas, &y, LEFT, "query");
}

static gw_status draw(const document *d, const char *spec, const char *path) {
    gw_canvas canvas;
    gw_legend_row legend[REASONS];
    bool seen[REASONS] = {false};
    int listed = 0;
    if (d->rows.rows > MOST_DRAWN)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: cannot draw %lld rows (at most %d)", path, (long long)d->rows.rows,
                       MOST_DRAWN);
    const double side = fmax(SIDE, (double)d->rows.rows / 2);
    char *title = gw_strprintf("%s, %lld tokens and %lld global ones", spec,
                               (long long)(d->rows.rows - d->rows.globals), (long long)d->rows.globals);
    gw_status status =
        title ? gw_canvas_open(&canvas, path, LEFT + side + GAP + LEGEND, TOP + side + BOTTOM) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        draw_rows(&canvas, d, side / (double)d->rows.rows, seen);
        draw_frame(&canvas, d, side / (double)d->rows.rows);
        for (int r = 1; r < REASONS; r++)
            if (seen[r]) legend[listed++] = reason_rows[r];
        gw_canvas_legend(&canvas, LEFT + side + GAP, TOP, legend, listed);
        gw_canvas_text(&canvas, LEFT, TOP - 22, 0, GW_TITLE_SIZE, title);
        status = gw_canvas_close(&canvas, path);
    }
    free(title);
    return status;
}

gw_status gw_graph_structure(const gw_graph_structure_options *options) {
    gw_config config = {0};
    char *spec = NULL;
    document d = {.path = options->structure};
    const gw_status parsed = gw_config_use_pattern(&config, options->spec);
    if (parsed != GW_OK) return parsed == GW_ERR_MEMORY ? parsed : gw_fail(GW_ERR_USAGE, "%s", gw_message());
    const gw_mixer_row *mixer = gw_mixer_of(config.mixer);
    if (!mixer->rules)
        return gw_fail(GW_ERR_USAGE, "--structure is for patterns with global tokens beside the text, such as -p etc");
    d.rules = mixer->rules(&config);
    gw_status status = read_document(&d);
    if (status == GW_OK && !(spec = gw_config_pattern(&config))) status = GW_ERR_MEMORY;
    if (status == GW_OK && options->picture) status = draw(&d, spec, options->picture);
    if (status == GW_OK && options->rows) {
        puts("kind\tnumber\tname\tglobals_read\ttokens_read\twhy");
        for (int64_t g = 0; g < d.rows.globals; g++) print_global(&d, g);
        for (int64_t i = d.rows.globals; i < d.rows.rows; i++) print_long(&d, i);
    } else if (status == GW_OK) status = print_measures(&d, spec);
    json_decref(d.json);
    free(d.begin);
    free(d.end);
    free(d.part);
    free(spec);
    return status;
}
