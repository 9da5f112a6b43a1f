// SPDX-License-Identifier: MIT
// Files are distinguished by name and first line; tables go into the page as they are.
#include "tools/report/report_parts.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "tools/picture/loss_picture.h"

#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *name, const char *suffix) {
    const size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void put_number(gw_string *page, const char *name, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        gw_string_printf(page, "<tr><td>%s<td>%lld", name, (long long)json_integer_value(value));
}

// A model folder's config.json: what it is, how it was made, and its curve.
static gw_status take_model(gw_report *report, const char *path, const char *name) {
    json_t *config;
    GW_TRY(gw_json_load(path, &config));
    const json_t *own = json_object_get(config, "godwit");
    if (json_object_get(config, "model_type")) {
        gw_string *page = &report->models;
        gw_page_file(page, name);
        gw_string_puts(page, "<table><tbody><tr><td>class");
        gw_page_cell(page, text_of(config, "model_type"));
        if (own) {
            gw_string_puts(page, "<tr><td>task");
            gw_page_cell(page, text_of(own, "task"));
        }
        put_number(page, "layers", config, "num_hidden_layers");
        put_number(page, "hidden size", config, "hidden_size");
        put_number(page, "vocabulary", config, "vocab_size");
        put_number(page, "positions", config, "max_position_embeddings");
        put_number(page, "window, bp", own, "window");
        put_number(page, "bin, bp", own, "bin");
        gw_string_puts(page, "</tbody></table>\n");
        if (own && text_of(own, "command")[0]) gw_page_command(&report->runs, name, text_of(own, "command"));
        report->files++, report->model_count++;
    }
    json_decref(config);
    return GW_OK;
}

// A row of a table, and the cells of its first line as headings.
static void put_row(gw_string *page, char **fields, int count, bool heading) {
    gw_string_puts(page, heading ? "<thead><tr>" : "<tr>");
    for (int f = 0; f < count; f++) {
        gw_string_puts(page, heading ? "<th scope=\"col\">" : "<td>");
        gw_utf8_append_markup(page, fields[f]);
    }
    gw_string_puts(page, heading ? "</thead><tbody>\n" : "\n");
}

enum { MOST_COLUMNS = 64 };

typedef struct {
    gw_string *page, *rows;
    const char *name;
    int bits;   // column of bits_per_base, the only one of such a table that MultiQC gets; -1: it gets all
    bool parts; // the second column says which part of a genome
} table_reader;

static void read_heading(table_reader *r, char **fields, int count) {
    r->bits = -1;
    for (int f = 0; f < count; f++)
        if (strcmp(fields[f], "bits_per_base") == 0) r->bits = f;
    r->parts = count > 1 && strcmp(fields[1], "part") == 0;
}

// MultiQC knows a row as a sample: the file and what the row is of.
static void put_sample(const table_reader *r, char **fields, int count) {
    gw_string_printf(r->rows, "%s %s", r->name, fields[0]);
    if (r->parts) gw_string_printf(r->rows, " %s", fields[1]);
    for (int f = 1; f < count; f++)
        if (r->bits < 0 || f == r->bits) gw_string_printf(r->rows, "\t%s", fields[f]);
    gw_string_putc(r->rows, '\n');
}

static gw_status take_row(void *context, const gw_line_reader *lines, char *line) {
    table_reader *r = context;
    char *fields[MOST_COLUMNS];
    const int count = gw_split(line, '\t', fields, MOST_COLUMNS);
    const bool heading = gw_lines_number(lines) == 1;
    put_row(r->page, fields, count, heading);
    if (heading) read_heading(r, fields, count);
    else if (r->rows) put_sample(r, fields, count);
    return gw_string_status(r->page);
}

static gw_status take_table(gw_report *report, const char *path, const char *name, gw_string *rows) {
    table_reader reader = {.page = &report->evaluations, .rows = rows, .name = name};
    gw_page_file(&report->evaluations, name);
    gw_string_puts(&report->evaluations, "<div class=\"scroll\"><table>");
    const gw_status status = gw_lines_each(path, take_row, &reader);
    gw_string_puts(&report->evaluations, "</tbody></table></div>\n");
    report->files++, report->table_count++;
    return status;
}

static gw_status first_line(const char *path, gw_string *out) {
    gw_line_reader *lines;
    char *line;
    int64_t length;
    GW_TRY(gw_lines_open(path, &lines));
    gw_status status = gw_lines_next(lines, &line, &length);
    gw_string_clear(out);
    if (status == GW_OK) gw_string_puts(out, line ? line : "");
    if (status == GW_OK) status = gw_string_status(out);
    gw_lines_close(lines);
    return status;
}

static bool begins(const gw_string *line, const char *text) {
    return line->data && strncmp(line->data, text, strlen(text)) == 0;
}

static const char map_heading[] = "contig\tposition\tref\tA\tC\tG\tT";

bool gw_report_is_map(const char *path) {
    gw_string line = {0};
    const bool read = gw_file_exists(path) && first_line(path, &line) == GW_OK;
    const bool is_map = read && begins(&line, map_heading);
    gw_string_free(&line);
    return is_map;
}

static gw_status take_tsv(gw_report *report, const char *path, const char *name) {
    gw_string line = {0};
    gw_status status = first_line(path, &line);
    if (status != GW_OK) status = GW_OK; // what cannot be read as text is no table of ours
    else if (begins(&line, "scope\ttargets\tn\t")) status = take_table(report, path, name, &report->rated);
    else if (begins(&line, "label\tn\tpearson\t")) status = take_table(report, path, name, NULL);
    else if (begins(&line, "predictor\t")) status = take_table(report, path, name, &report->bits);
    else if (begins(&line, "target\tn\tpositives\t")) status = take_table(report, path, name, NULL);
    else if (begins(&line, "target\tthreshold\tfpr\t")) status = gw_report_curves(report, path, name);
    else if (begins(&line, "label\tmeasured\tpredicted\t")) status = gw_report_scatter(report, path, name);
    else if (begins(&line, map_heading)) status = gw_report_map(report, path, name);
    gw_string_free(&line);
    return status;
}

// A picture that the page has otherwise: of a map whose table lies beside it, or a PNG of what is there as SVG.
static gw_status is_there_already(const char *path, bool *there) {
    char *const others[] = {gw_report_beside(path, ".tsv"), gw_report_beside(path, ".tsv.gz"),
                            gw_report_beside(path, ".svg")};
    const bool made = others[0] && others[1] && others[2];
    *there = made && (gw_report_is_map(others[0]) || gw_report_is_map(others[1]) ||
                      (ends_in(path, ".png") && gw_file_exists(others[2])));
    for (int i = 0; i < 3; i++) free(others[i]);
    return made ? GW_OK : GW_ERR_MEMORY;
}

static gw_status draw_loss(const char *path, const void *what) {
    return gw_draw_metrics(what, NULL, path);
}

// Of a model whose metrics lie beside it: drawn anew, so that its words can be searched.
static gw_status take_loss(gw_report *report, const char *path, const char *name) {
    char *metrics = gw_strprintf("%.*smetrics.jsonl", (int)(strlen(path) - strlen("loss.png")), path);
    if (!metrics) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    if (gw_file_exists(metrics)) {
        status = gw_report_drawn(report, &report->models, name, draw_loss, metrics);
    } else {
        gw_page_file(&report->models, name);
        status = gw_page_picture(&report->models, path, name);
        report->files++;
    }
    report->picture_count++;
    free(metrics);
    return status;
}

static gw_status take_picture(gw_report *report, const char *path, const char *name) {
    const char *slash = strrchr(name, '/');
    gw_string *page = &report->pictures;
    bool there;
    if (strcmp(slash ? slash + 1 : name, "loss.png") == 0) return take_loss(report, path, name);
    GW_TRY(is_there_already(path, &there));
    if (there) return GW_OK;
    gw_page_file(page, name);
    report->files++, report->picture_count++;
    return gw_page_picture(page, path, name);
}

gw_status gw_report_take(gw_report *report, const char *path, const char *name) {
    if (ends_in(name, "config.json")) return take_model(report, path, name);
    if (ends_in(name, ".tsv") || ends_in(name, ".tsv.gz")) return take_tsv(report, path, name);
    if (ends_in(name, ".vcf") || ends_in(name, ".vcf.gz") || ends_in(name, ".bcf"))
        return gw_report_variants(report, path, name);
    if (ends_in(name, ".png") || ends_in(name, ".svg")) return take_picture(report, path, name);
    return GW_OK;
}
