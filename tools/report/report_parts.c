// SPDX-License-Identifier: MIT
// Files are distinguished by name and first line; tables go into the page as they are.
#include "tools/report/report_parts.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "tools/picture/loss_picture.h"
#include "tools/picture/picture.h"
#include "tools/score_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// The path with the suffix instead of what follows the name's last dot (.tsv.gz and .tsv as one); NULL without memory.
static char *beside(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    if (dot && dot - name > 4 && strcmp(dot - 4, ".tsv.gz") == 0) stem -= 4;
    return gw_strprintf("%.*s%s", (int)stem, path, suffix);
}

// Draws into the scratch folder, then into the page.
static gw_status put_drawn(gw_report *report, gw_string *page, const char *name,
                           gw_status (*draw)(const char *path, const void *what), const void *what) {
    char *path = gw_join_path(report->scratch, "picture.svg");
    if (!path) return GW_ERR_MEMORY;
    gw_page_file(page, name);
    gw_status status = draw(path, what);
    if (status == GW_OK) status = gw_page_picture(page, path, name);
    unlink(path);
    free(path);
    report->files++;
    return status;
}

// eval --curves: ROC and precision-recall curves.

enum { MOST_CURVES = 8, CURVE_COLUMNS = 5, FPR = 2, RECALL = 3, PRECISION = 4 };

typedef struct {
    char *name;
    double *value[CURVE_COLUMNS];
    int64_t count, capacity[CURVE_COLUMNS];
} target_curve;

typedef struct {
    target_curve curves[MOST_CURVES];
    int count;
    int64_t targets; // of the file
    char *last;      // name of the last line's target
} curve_table;

static gw_status take_point(void *context, const gw_line_reader *lines, char *line) {
    curve_table *table = context;
    char *fields[CURVE_COLUMNS];
    if (gw_lines_number(lines) == 1) return GW_OK;
    if (gw_split(line, '\t', fields, CURVE_COLUMNS) != CURVE_COLUMNS)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected %d columns", CURVE_COLUMNS);
    if (!table->last || strcmp(table->last, fields[0]) != 0) { // another target begins
        free(table->last);
        table->last = gw_strdup(fields[0]);
        if (!table->last) return GW_ERR_MEMORY;
        if (table->targets++ < MOST_CURVES) {
            table->curves[table->count] = (target_curve){.name = gw_strdup(fields[0])};
            if (!table->curves[table->count++].name) return GW_ERR_MEMORY;
        }
    }
    if (table->targets > MOST_CURVES) return GW_OK;
    target_curve *curve = &table->curves[table->count - 1];
    for (int c = FPR; c < CURVE_COLUMNS; c++) {
        GW_TRY(gw_reserve(&curve->value[c], &curve->capacity[c], curve->count + 1, sizeof(double)));
        if (gw_parse_double(fields[c], 0, 1, &curve->value[c][curve->count]) != GW_OK)
            return gw_lines_fail(lines, GW_ERR_FORMAT, "%s", gw_message());
    }
    curve->count++;
    return GW_OK;
}

static gw_status draw_curves(const char *path, const void *what) {
    const curve_table *table = what;
    gw_picture_series roc[MOST_CURVES], pr[MOST_CURVES];
    for (int i = 0; i < table->count; i++) {
        const target_curve *c = &table->curves[i];
        roc[i] = (gw_picture_series){.name = c->name, .x = c->value[FPR], .y = c->value[RECALL], .count = c->count};
        pr[i] =
            (gw_picture_series){.name = c->name, .x = c->value[RECALL], .y = c->value[PRECISION], .count = c->count};
    }
    const gw_picture_panel panels[] = {
        {"receiver operating characteristic", "false positive rate", "true positive rate", .series = roc,
         .count = table->count},
        {"precision and recall", "recall", "precision", .series = pr, .count = table->count},
    };
    return gw_picture_panels(path, panels, 2);
}

static gw_status take_curves(gw_report *report, const char *path, const char *name) {
    curve_table table = {.count = 0};
    gw_status status = gw_lines_each(path, take_point, &table);
    if (status == GW_OK && table.count > 0) status = put_drawn(report, &report->curves, name, draw_curves, &table);
    report->table_count += table.count > 0;
    if (status == GW_OK && table.targets > MOST_CURVES)
        gw_string_printf(&report->curves, "<p>The first %d of %lld targets.</p>\n", MOST_CURVES,
                         (long long)table.targets);
    for (int i = 0; i < table.count; i++) {
        free(table.curves[i].name);
        for (int c = 0; c < CURVE_COLUMNS; c++) free(table.curves[i].value[c]);
    }
    free(table.last);
    return status;
}

// The table of eval --scatter as a picture: measured against predicted numbers, a panel a label.

enum { MOST_LABELS = 8, MOST_DOTS = 3000, SCATTER_COLUMNS = 3 };

typedef struct {
    char *name;
    double *measured, *predicted;
    int64_t count, capacity_measured, capacity_predicted;
} label_dots;

typedef struct {
    label_dots labels[MOST_LABELS];
    int count;
    bool more; // labels than there is room for
} scatter;

// Of that name; NULL where there is no room for another, or no memory.
static label_dots *label_of(scatter *s, const char *name) {
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->labels[i].name, name) == 0) return &s->labels[i];
    if (s->count == MOST_LABELS) return NULL;
    s->labels[s->count] = (label_dots){.name = gw_strdup(name)};
    return s->labels[s->count].name ? &s->labels[s->count++] : NULL;
}

static gw_status take_line(void *context, const gw_line_reader *lines, char *line) {
    scatter *s = context;
    char *fields[SCATTER_COLUMNS + 1];
    double measured, predicted;
    if (gw_lines_number(lines) == 1) return GW_OK;
    if (gw_split(line, '\t', fields, SCATTER_COLUMNS + 1) < SCATTER_COLUMNS)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected label, measured and predicted");
    if (gw_parse_double(fields[1], -INFINITY, INFINITY, &measured) != GW_OK ||
        gw_parse_double(fields[2], -INFINITY, INFINITY, &predicted) != GW_OK)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "%s", gw_message());
    label_dots *dots = label_of(s, fields[0]);
    if (!dots) {
        s->more = true;
        return s->count == MOST_LABELS ? GW_OK : GW_ERR_MEMORY;
    }
    GW_TRY(gw_reserve(&dots->measured, &dots->capacity_measured, dots->count + 1, sizeof(double)));
    GW_TRY(gw_reserve(&dots->predicted, &dots->capacity_predicted, dots->count + 1, sizeof(double)));
    dots->measured[dots->count] = measured;
    dots->predicted[dots->count++] = predicted;
    return GW_OK;
}

// Evenly spaced dots of so many that the page stays small.
static void thin(label_dots *dots) {
    const int64_t count = dots->count < MOST_DOTS ? dots->count : MOST_DOTS;
    for (int64_t i = 0; i < count; i++) {
        dots->measured[i] = dots->measured[i * dots->count / count];
        dots->predicted[i] = dots->predicted[i * dots->count / count];
    }
    dots->count = count;
}

static gw_status draw_scatter(const char *path, const void *what) {
    const scatter *s = what;
    gw_picture_series series[MOST_LABELS];
    gw_picture_panel panels[MOST_LABELS];
    for (int i = 0; i < s->count; i++) {
        const label_dots *d = &s->labels[i];
        series[i] = (gw_picture_series){.x = d->measured, .y = d->predicted, .count = d->count, .style = GW_CURVE_DOTS};
        panels[i] = (gw_picture_panel){d->name, "measured", "predicted", .series = &series[i], .count = 1};
    }
    return gw_picture_panels(path, panels, s->count);
}

static gw_status take_scatter(gw_report *report, const char *path, const char *name) {
    scatter s = {.count = 0};
    gw_status status = gw_lines_each(path, take_line, &s);
    for (int i = 0; i < s.count; i++) thin(&s.labels[i]);
    if (status == GW_OK && s.count > 0) status = put_drawn(report, &report->curves, name, draw_scatter, &s);
    report->table_count += s.count > 0;
    if (status == GW_OK && s.more) gw_string_printf(&report->curves, "<p>The first %d labels.</p>\n", MOST_LABELS);
    for (int i = 0; i < s.count; i++) {
        free(s.labels[i].name);
        free(s.labels[i].measured);
        free(s.labels[i].predicted);
    }
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

// Whether the file is a table of score --map.
static bool is_map_table(const char *path) {
    gw_string line = {0};
    const bool read = gw_file_exists(path) && first_line(path, &line) == GW_OK;
    const bool is_map = read && begins(&line, map_heading);
    gw_string_free(&line);
    return is_map;
}

// score --map: the map as a picture, and the names of the pictures beside it.

static gw_status draw_map(const char *path, const void *what) {
    return gw_score_map_write(what, NULL, path);
}

// The pictures of the map that lie beside its table.
static gw_status name_pictures(gw_report *report, const char *path) {
    static const char *const suffixes[] = {".png", ".svg"};
    int found = 0;
    for (int i = 0; i < 2; i++) {
        char *picture = beside(path, suffixes[i]);
        if (!picture) return GW_ERR_MEMORY;
        const char *slash = strrchr(picture, '/');
        if (gw_file_exists(picture)) {
            gw_string_puts(&report->maps, found++ > 0 ? ", " : "<p>Also as ");
            gw_utf8_append_markup(&report->maps, slash ? slash + 1 : picture);
        }
        free(picture);
    }
    if (found > 0) gw_string_puts(&report->maps, "</p>\n");
    return GW_OK;
}

static gw_status take_map(gw_report *report, const char *path, const char *name) {
    gw_score_map map = {.columns = 0};
    gw_status status = gw_score_map_read(&map, path);
    if (status == GW_OK && map.columns > 0) status = put_drawn(report, &report->maps, name, draw_map, &map);
    if (status == GW_OK && map.columns > 0) status = name_pictures(report, path);
    report->map_count += map.columns > 0;
    gw_score_map_free(&map);
    return status;
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
    if (heading) {
        r->bits = -1;
        for (int f = 0; f < count; f++)
            if (strcmp(fields[f], "bits_per_base") == 0) r->bits = f;
        r->parts = count > 1 && strcmp(fields[1], "part") == 0;
    } else if (r->rows) {
        put_sample(r, fields, count);
    }
    return gw_string_status(r->page);
}

static gw_status put_table(gw_string *page, const char *path, const char *name, gw_string *rows) {
    table_reader reader = {.page = page, .rows = rows, .name = name};
    gw_page_file(page, name);
    gw_string_puts(page, "<div class=\"scroll\"><table>");
    const gw_status status = gw_lines_each(path, take_row, &reader);
    gw_string_puts(page, "</tbody></table></div>\n");
    return status;
}

static gw_status take_table(gw_report *report, const char *path, const char *name, gw_string *rows) {
    report->files++, report->table_count++;
    return put_table(&report->evaluations, path, name, rows);
}

static gw_status take_seqlet(void *context, const gw_line_reader *lines, char *line) {
    enum { PLACE, BEGIN, END, NAME, SCORE, STRAND, SUM, P, BASES, MOTIF, LEAST = MOTIF };
    gw_string *page = context;
    char *fields[MOST_COLUMNS] = {NULL}, place[200];
    const int count = gw_split(line, '\t', fields, MOST_COLUMNS);
    if (count < LEAST)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected a seqlet of %d columns, found %d", LEAST, count);
    snprintf(place, sizeof place, "%s:%lld-%s", fields[PLACE], atoll(fields[BEGIN]) + 1, fields[END]);
    char *cells[] = {place, fields[NAME], fields[STRAND], fields[SUM], fields[P], fields[BASES], fields[MOTIF]};
    put_row(page, cells, count > MOTIF ? 7 : 6, false);
    return gw_string_status(page);
}

// Regions that were explained, and the seqlets that lie beside their table. Letters are among the pictures.
static gw_status take_explained(gw_report *report, const char *path, const char *name) {
    static char *const heading[] = {"seqlet", "name", "strand", "sum", "p", "bases", "motif"};
    gw_string *page = &report->explanations;
    char *seqlets = gw_strprintf("%.*sseqlets.bed", (int)(strlen(path) - strlen("regions.tsv")), path);
    gw_status status = seqlets ? put_table(page, path, name, NULL) : GW_ERR_MEMORY;
    report->files++, report->explained_count++;
    if (status == GW_OK && gw_file_exists(seqlets)) {
        gw_string_puts(page, "<div class=\"scroll\"><table>");
        put_row(page, (char **)(uintptr_t)heading, 7, true);
        status = gw_lines_each(seqlets, take_seqlet, page);
        gw_string_puts(page, "</tbody></table></div>\n");
    }
    free(seqlets);
    return status;
}

static gw_status take_tsv(gw_report *report, const char *path, const char *name) {
    gw_string line = {0};
    gw_status status = first_line(path, &line);
    if (status != GW_OK) status = GW_OK; // what cannot be read as text is not a table of ours
    else if (begins(&line, "scope\ttargets\tn\t")) status = take_table(report, path, name, &report->rated);
    else if (begins(&line, "label\tn\tpearson\t")) status = take_table(report, path, name, NULL);
    else if (begins(&line, "predictor\t")) status = take_table(report, path, name, &report->bits);
    else if (begins(&line, "target\tn\tpositives\t")) status = take_table(report, path, name, NULL);
    else if (begins(&line, "target\tthreshold\tfpr\t")) status = take_curves(report, path, name);
    else if (begins(&line, "label\tmeasured\tpredicted\t")) status = take_scatter(report, path, name);
    else if (begins(&line, map_heading)) status = take_map(report, path, name);
    else if (begins(&line, "contig\tbegin\tend\tstrand\tname\t") && ends_in(name, "regions.tsv"))
        status = take_explained(report, path, name);
    gw_string_free(&line);
    return status;
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

// A picture that the page has otherwise: of a map whose table lies beside it, or a PNG of what is there as SVG.
static gw_status is_there_already(const char *path, bool *there) {
    char *const others[] = {beside(path, ".tsv"), beside(path, ".tsv.gz"), beside(path, ".svg")};
    const bool made = others[0] && others[1] && others[2];
    *there = made && (is_map_table(others[0]) || is_map_table(others[1]) ||
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
        status = put_drawn(report, &report->models, name, draw_loss, metrics);
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
