// SPDX-License-Identifier: MIT
// Appends one JSON object a line, and cuts the file back to the step that a run resumes from.
#include "run/metrics.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct gw_metrics {
    FILE *file;
    char *path;
};

// The lines of `text` up to `step`, without an unfinished last one.
static gw_status keep_lines(const char *text, int64_t length, int64_t step, gw_string *kept) {
    for (const char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL);
        const json_t *at = row ? json_object_get(row, "step") : NULL;
        const bool earlier = json_is_integer(at) && json_integer_value(at) <= step;
        json_decref(row);
        if (earlier) gw_string_append(kept, line, end - line + 1);
    }
    return gw_string_status(kept);
}

static gw_status cut_back(const char *path, int64_t step) {
    if (step == 0 || !gw_file_exists(path)) return gw_write_file(path, "", 0);
    char *text;
    int64_t length;
    gw_string kept = {0};
    GW_TRY(gw_read_file(path, &text, &length));
    gw_status status = keep_lines(text, length, step, &kept);
    if (status == GW_OK) status = gw_write_file(path, kept.data ? kept.data : "", kept.length);
    gw_string_free(&kept);
    free(text);
    return status;
}

gw_status gw_metrics_open(const char *path, int64_t step, gw_metrics **out) {
    *out = NULL;
    GW_TRY(cut_back(path, step));
    gw_metrics *metrics = gw_alloc(1, sizeof *metrics);
    if (!metrics) return GW_ERR_MEMORY;
    metrics->path = gw_strdup(path);
    metrics->file = metrics->path ? fopen(path, "abe") : NULL;
    if (metrics->file) {
        *out = metrics;
        return GW_OK;
    }
    const gw_status status =
        metrics->path ? gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno)) : GW_ERR_MEMORY;
    free(metrics->path);
    free(metrics);
    return status;
}

gw_status gw_metrics_add(gw_metrics *metrics, const json_t *row) {
    // Jansson passes over a name that was not written: the stream knows.
    const bool good = json_dumpf(row, metrics->file, JSON_COMPACT | JSON_REAL_PRECISION(7)) == 0 &&
                      fputc('\n', metrics->file) != EOF && !ferror(metrics->file) && fflush(metrics->file) == 0;
    return good ? GW_OK : gw_fail(GW_ERR_IO, "cannot write %s: %s", metrics->path, strerror(errno));
}

gw_status gw_metrics_close(gw_metrics *metrics) {
    if (!metrics) return GW_OK;
    const gw_status status =
        fclose(metrics->file) == 0 ? GW_OK : gw_fail(GW_ERR_IO, "cannot write %s: %s", metrics->path, strerror(errno));
    free(metrics->path);
    free(metrics);
    return status;
}
