// SPDX-License-Identifier: MIT
// The labels of a set, their names and its settings.
#include "label/label_files.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/label_bits.h"
#include "label/split.h"

#include <stdlib.h>

static gw_status read_names(gw_labelled_source *part, const char *path) {
    gw_line_reader *lines;
    GW_TRY(gw_lines_open(path, &lines));
    int64_t capacity = 0;
    gw_status status = GW_OK;
    for (;;) {
        char *line, *fields[2];
        int64_t length;
        status = gw_lines_next(lines, &line, &length);
        if (status != GW_OK || !line) break;
        if (gw_lines_number(lines) == 1 || length == 0) continue; // the header
        gw_split(line, '\t', fields, 2);
        status = gw_reserve(&part->label_names, &capacity, part->labels + 1, sizeof *part->label_names);
        if (status != GW_OK) break;
        char *name = gw_strdup(fields[0]);
        if (!name) status = GW_ERR_MEMORY;
        else part->label_names[part->labels++] = name;
        if (status != GW_OK) break;
    }
    gw_lines_close(lines);
    return status;
}

// PREFIX.json, where it is there, says the size of a bin.
static gw_status read_settings(gw_labelled_source *part, const char *path) {
    if (!gw_file_exists(path)) return GW_OK;
    json_t *json;
    GW_TRY(gw_json_load(path, &json));
    const gw_status status = gw_json_int(json, path, "bin", false, 1, INT32_MAX, &part->bin);
    json_decref(json);
    return status;
}

static gw_status check_sizes(const gw_labelled_source *part, const char *prefix, int64_t rows, const char *windows) {
    if (gw_row_file_width(part->bits) != part->labels)
        return gw_fail(GW_ERR_MISMATCH, "%s.labels has %lld targets, %s.names.tsv names %lld", prefix,
                       (long long)gw_row_file_width(part->bits), prefix, (long long)part->labels);
    if (gw_row_file_rows(part->bits) != rows)
        return gw_fail(GW_ERR_MISMATCH, "%s.labels has %lld rows, %s %lld", prefix,
                       (long long)gw_row_file_rows(part->bits), windows, (long long)rows);
    return GW_OK;
}

gw_status gw_label_files_read(const char *prefix, int64_t rows, const char *windows, gw_labelled_source *part) {
    char *labels = gw_strprintf("%s.labels", prefix), *names = gw_strprintf("%s.names.tsv", prefix);
    char *settings = gw_strprintf("%s.json", prefix);
    gw_status status = labels && names && settings ? read_names(part, names) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_row_file_open(labels, &gw_label_rows, &part->bits);
    if (status == GW_OK) status = check_sizes(part, prefix, rows, windows);
    if (status == GW_OK) status = read_settings(part, settings);
    free(labels);
    free(names);
    free(settings);
    return status;
}

gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels, const int64_t *counts) {
    gw_text_writer *writer;
    GW_TRY(gw_writer_open(path, &writer));
    gw_status status = gw_writer_printf(writer, "name\ttrain\tvalid\ttest\n");
    for (int64_t l = 0; status == GW_OK && l < labels; l++) {
        const int64_t *n = counts + l * GW_SPLITS;
        status = gw_writer_printf(writer, "%s\t%lld\t%lld\t%lld\n", names[l], (long long)n[GW_SPLIT_TRAIN],
                                  (long long)n[GW_SPLIT_VALID], (long long)n[GW_SPLIT_TEST]);
    }
    return gw_writers_close(status, writer, NULL);
}
