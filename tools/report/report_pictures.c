// SPDX-License-Identifier: MIT
// Tables that are pictures in the page: ROC and precision-recall curves of eval --curves, maps of score --map.
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "tools/picture/picture.h"
#include "tools/report/report_parts.h"
#include "tools/score_map.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gw_status gw_report_drawn(gw_report *report, gw_string *page, const char *name,
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

enum { MOST_CURVES = 8, COLUMNS = 5, FPR = 2, RECALL = 3, PRECISION = 4 };

typedef struct {
    char *name;
    double *value[COLUMNS];
    int64_t count, capacity[COLUMNS];
} target_curve;

typedef struct {
    target_curve curves[MOST_CURVES];
    int count;
    int64_t targets; // of the file
    char *last;      // name of the last line's target
} curve_table;

static void free_curves(curve_table *table) {
    for (int i = 0; i < table->count; i++) {
        free(table->curves[i].name);
        for (int c = 0; c < COLUMNS; c++) free(table->curves[i].value[c]);
    }
    free(table->last);
}

static gw_status begin_target(curve_table *table, const char *name) {
    free(table->last);
    table->last = gw_strdup(name);
    if (!table->last) return GW_ERR_MEMORY;
    if (table->targets++ >= MOST_CURVES) return GW_OK;
    table->curves[table->count] = (target_curve){.name = gw_strdup(name)};
    return table->curves[table->count++].name ? GW_OK : GW_ERR_MEMORY;
}

static gw_status take_point(void *context, const gw_line_reader *lines, char *line) {
    curve_table *table = context;
    char *fields[COLUMNS];
    if (gw_lines_number(lines) == 1) return GW_OK;
    if (gw_split(line, '\t', fields, COLUMNS) != COLUMNS)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected %d columns", COLUMNS);
    if (!table->last || strcmp(table->last, fields[0]) != 0) GW_TRY(begin_target(table, fields[0]));
    if (table->targets > MOST_CURVES) return GW_OK;
    target_curve *curve = &table->curves[table->count - 1];
    for (int c = FPR; c < COLUMNS; c++) {
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

gw_status gw_report_curves(gw_report *report, const char *path, const char *name) {
    curve_table table = {.count = 0};
    gw_status status = gw_lines_each(path, take_point, &table);
    if (status == GW_OK && table.count > 0)
        status = gw_report_drawn(report, &report->curves, name, draw_curves, &table);
    report->table_count += table.count > 0;
    if (status == GW_OK && table.targets > MOST_CURVES)
        gw_string_printf(&report->curves, "<p>The first %d of %lld targets.</p>\n", MOST_CURVES,
                         (long long)table.targets);
    free_curves(&table);
    return status;
}

static gw_status draw_map(const char *path, const void *what) {
    return gw_score_map_write(what, NULL, path);
}

// The pictures of the map that lie beside its table.
static gw_status name_pictures(gw_report *report, const char *path) {
    static const char *const suffixes[] = {".png", ".svg"};
    int found = 0;
    for (int i = 0; i < 2; i++) {
        char *picture = gw_report_beside(path, suffixes[i]);
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

gw_status gw_report_map(gw_report *report, const char *path, const char *name) {
    gw_score_map map = {.columns = 0};
    gw_status status = gw_score_map_read(&map, path);
    if (status == GW_OK && map.columns > 0) status = gw_report_drawn(report, &report->maps, name, draw_map, &map);
    if (status == GW_OK && map.columns > 0) status = name_pictures(report, path);
    report->map_count += map.columns > 0;
    gw_score_map_free(&map);
    return status;
}
