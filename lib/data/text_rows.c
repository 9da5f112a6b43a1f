// SPDX-License-Identifier: MIT
// Finds a row's texts in its line, or in the JSON object that its line is.
#include "data/text_rows.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/string.h"
#include "seq/lines.h"
#include "text/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 4096 };

struct gw_text_rows {
    gw_line_reader *lines;
    const char *const *columns; // [count]
    int count;
    bool jsonl;
    int *place;    // [count] of a table: which of its columns
    int width;     // of a table: columns
    char **fields; // [MOST_FIELDS + 1] of the line
    json_t *row;   // of JSONL
};

bool gw_is_jsonl(const char *path) {
    static const char *const ends[] = {".jsonl", ".jsonl.gz"};
    const size_t length = strlen(path);
    for (int i = 0; i < 2; i++)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0) return true;
    return false;
}

gw_status gw_text_rows_fail(const gw_text_rows *rows, gw_status code, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gw_lines_fail(rows->lines, code, "%s", message);
}

static gw_status lacks(const gw_text_rows *rows, const char *column) {
    gw_string names = {0};
    for (int i = 0; i < rows->width; i++) gw_string_printf(&names, "%s%s", i > 0 ? ", " : "", rows->fields[i]);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK)
        status = gw_lines_fail(rows->lines, GW_ERR_FORMAT, "there is no column '%s'; found %s", column, names.data);
    gw_string_free(&names);
    return status;
}

static gw_status read_names(gw_text_rows *rows) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(rows->lines, &line, &length));
    if (!line) return gw_lines_fail(rows->lines, GW_ERR_FORMAT, "the file is empty, expected a line of column names");
    rows->width = gw_split(line, '\t', rows->fields, MOST_FIELDS);
    for (int c = 0; c < rows->count; c++) {
        int at = 0;
        while (at < rows->width && strcmp(rows->fields[at], rows->columns[c]) != 0) at++;
        if (at == rows->width) return lacks(rows, rows->columns[c]);
        rows->place[c] = at;
    }
    return GW_OK;
}

gw_status gw_text_rows_open(const char *path, const char *const *columns, int count, gw_text_rows **out) {
    *out = NULL;
    gw_text_rows *rows = gw_alloc(1, sizeof *rows);
    if (!rows) return GW_ERR_MEMORY;
    *rows = (gw_text_rows){.columns = columns, .count = count, .jsonl = gw_is_jsonl(path)};
    rows->place = gw_alloc(count, sizeof *rows->place);
    rows->fields = gw_alloc(MOST_FIELDS + 1, sizeof *rows->fields);
    gw_status status = rows->place && rows->fields ? gw_lines_open(path, &rows->lines) : GW_ERR_MEMORY;
    if (status == GW_OK && !rows->jsonl) status = read_names(rows);
    if (status == GW_OK) *out = rows;
    else gw_text_rows_close(rows);
    return status;
}

void gw_text_rows_close(gw_text_rows *rows) {
    if (!rows) return;
    json_decref(rows->row);
    if (rows->lines) gw_lines_close(rows->lines);
    free(rows->place);
    free(rows->fields);
    free(rows);
}

static const json_t *field_of(const gw_text_rows *rows, int column) {
    return json_object_get(rows->row, rows->columns[column]);
}

static gw_status check_object(const gw_text_rows *rows) {
    for (int c = 0; c < rows->count; c++) {
        const json_t *field = field_of(rows, c);
        if (!field) return gw_lines_fail(rows->lines, GW_ERR_FORMAT, "there is no field '%s'", rows->columns[c]);
        bool texts = json_is_string(field) || json_array_size(field) > 0;
        for (size_t i = 0; i < json_array_size(field); i++) texts &= json_is_string(json_array_get(field, i));
        if (!texts)
            return gw_lines_fail(rows->lines, GW_ERR_FORMAT, "field '%s' is neither a text nor a list of texts",
                                 rows->columns[c]);
    }
    return GW_OK;
}

static gw_status read_object(gw_text_rows *rows, const char *line, int64_t length) {
    char *place = gw_strprintf("%s:%lld", gw_lines_path(rows->lines), (long long)gw_lines_number(rows->lines));
    if (!place) return GW_ERR_MEMORY;
    json_decref(rows->row);
    rows->row = NULL;
    const gw_status status = gw_json_parse(place, line, length, &rows->row);
    free(place);
    return status == GW_OK ? check_object(rows) : status;
}

static gw_status read_fields(const gw_text_rows *rows, char *line) {
    const int found = gw_split(line, '\t', rows->fields, MOST_FIELDS);
    if (found == rows->width) return GW_OK;
    return gw_lines_fail(rows->lines, GW_ERR_FORMAT, "%d columns, expected the %d of the first line", found,
                         rows->width);
}

gw_status gw_text_rows_next(gw_text_rows *rows, bool *found) {
    char *line;
    int64_t length;
    do GW_TRY(gw_lines_next(rows->lines, &line, &length));
    while (line && length == 0);
    *found = line != NULL;
    if (!line) return GW_OK;
    const int64_t valid = gw_utf8_valid(line, length);
    if (valid < length)
        return gw_lines_fail(rows->lines, GW_ERR_FORMAT, "byte %lld of the line is not UTF-8", (long long)valid + 1);
    return rows->jsonl ? read_object(rows, line, length) : read_fields(rows, line);
}

int gw_text_rows_count(const gw_text_rows *rows, int column) {
    const json_t *field = rows->jsonl ? field_of(rows, column) : NULL;
    return json_is_array(field) ? (int)json_array_size(field) : 1;
}

const char *gw_text_rows_text(const gw_text_rows *rows, int column, int i) {
    if (!rows->jsonl) return rows->fields[rows->place[column]];
    const json_t *field = field_of(rows, column);
    return json_string_value(json_is_array(field) ? json_array_get(field, (size_t)i) : field);
}
