// SPDX-License-Identifier: MIT
// The table of eval --scatter as a picture: measured against predicted numbers, a panel a label.
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "tools/picture/picture.h"
#include "tools/report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 8, MOST_DOTS = 3000, COLUMNS = 3 };

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

static void free_scatter(scatter *s) {
    for (int i = 0; i < s->count; i++) {
        free(s->labels[i].name);
        free(s->labels[i].measured);
        free(s->labels[i].predicted);
    }
}

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
    char *fields[COLUMNS + 1];
    double measured, predicted;
    if (gw_lines_number(lines) == 1) return GW_OK;
    if (gw_split(line, '\t', fields, COLUMNS + 1) < COLUMNS)
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

static gw_status draw(const char *path, const void *what) {
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

gw_status gw_report_scatter(gw_report *report, const char *path, const char *name) {
    scatter s = {.count = 0};
    gw_status status = gw_lines_each(path, take_line, &s);
    for (int i = 0; i < s.count; i++) thin(&s.labels[i]);
    if (status == GW_OK && s.count > 0) status = gw_report_drawn(report, &report->curves, name, draw, &s);
    report->table_count += s.count > 0;
    if (status == GW_OK && s.more) gw_string_printf(&report->curves, "<p>The first %d labels.</p>\n", MOST_LABELS);
    free_scatter(&s);
    return status;
}
