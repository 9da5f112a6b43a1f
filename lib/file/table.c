// SPDX-License-Identifier: MIT
// A row is one line. A CSV row continues over lines until no quote is open. Rows are split in place.
#include "file/table.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/string.h"
#include "base/utf8.h"
#include "file/file_kind.h"
#include "file/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *name;
    int place;      // among the fields; -1: of JSON
    gw_string text; // of values that are not texts
} wanted_column;

// Where in a row of CSV the next letter stands. Quotes mean something at the start of a field alone.
typedef enum { AT_FIELD, IN_FIELD, IN_QUOTES, BEHIND_QUOTE } csv_place;

struct gw_table {
    gw_line_reader *lines;
    gw_table_options options;
    enum { FORMAT_TSV, FORMAT_CSV, FORMAT_JSON } format;
    gw_file_kind kind; // what the first line looks like
    gw_string record;  // the row
    int64_t line;      // its first
    bool waiting;      // the row was read when the table was opened
    char **fields;     // of the record
    int64_t field_count, field_capacity;
    char **header; // [columns]
    int64_t columns;
    json_t *object;
    wanted_column *wanted;
    int64_t wanted_count, wanted_capacity;
};

gw_status gw_table_fail(const gw_table *table, gw_status code, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gw_fail(code, "%s:%lld: %s", gw_lines_path(table->lines), (long long)table->line, text);
}

void gw_table_close(gw_table *table) {
    if (!table) return;
    gw_lines_close(table->lines);
    gw_string_free(&table->record);
    for (int64_t c = 0; c < table->columns; c++) free(table->header[c]);
    free(table->header);
    free(table->fields);
    for (int64_t w = 0; w < table->wanted_count; w++) {
        free(table->wanted[w].name);
        gw_string_free(&table->wanted[w].text);
    }
    free(table->wanted);
    json_decref(table->object);
    free(table);
}

// --- rows ----------------------------------------------------------------------------------------------------------

static csv_place next_place(csv_place place, char letter) {
    if (place == IN_QUOTES) return letter == '"' ? BEHIND_QUOTE : IN_QUOTES;
    if (letter == ',') return AT_FIELD;
    return letter == '"' && place != IN_FIELD ? IN_QUOTES : IN_FIELD;
}

static csv_place end_of(csv_place place, const char *text, int64_t length) {
    if (place != IN_QUOTES && !memchr(text, '"', (size_t)length)) return IN_FIELD;
    for (int64_t i = 0; i < length; i++) place = next_place(place, text[i]);
    return place;
}

static gw_status add_line(gw_table *t, bool *found) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(t->lines, &line, &length));
    *found = line != NULL;
    if (!line) return GW_OK;
    gw_string_append(&t->record, line, length);
    return gw_string_status(&t->record);
}

static gw_status check_record(const gw_table *t) {
    const int64_t valid = gw_utf8_valid(t->record.data, t->record.length);
    if (valid == t->record.length) return GW_OK;
    return gw_table_fail(t, GW_ERR_FORMAT, "byte %lld of the row is not UTF-8", (long long)valid + 1);
}

// The further lines of a row of CSV whose first is in the record.
static gw_status add_quoted_lines(gw_table *t) {
    static const int64_t most = 1 << 28; // bytes: a stray quote takes no whole file into memory
    csv_place place = end_of(AT_FIELD, t->record.data, t->record.length);
    for (bool more; place == IN_QUOTES;) {
        gw_string_putc(&t->record, '\n');
        const int64_t before = t->record.length;
        GW_TRY(add_line(t, &more));
        if (!more) return gw_table_fail(t, GW_ERR_FORMAT, "a quote is not closed up to the end of the file");
        if (t->record.length > most)
            return gw_table_fail(t, GW_ERR_FORMAT, "a quote is not closed within %lld bytes", (long long)most);
        place = end_of(place, t->record.data + before, t->record.length - before);
    }
    return GW_OK;
}

// The first line of a row: one that is not empty.
static gw_status read_line(gw_table *t, bool *found) {
    for (*found = true; *found;) {
        gw_string_clear(&t->record);
        GW_TRY(add_line(t, found));
        t->line = gw_lines_number(t->lines);
        if (t->record.length > 0) break;
    }
    return GW_OK;
}

static gw_status finish_record(gw_table *t) {
    if (t->format == FORMAT_CSV) GW_TRY(add_quoted_lines(t));
    return check_record(t);
}

// Takes the quotes off a field; *end is the separator behind it, NULL at the end of the row.
static gw_status unquote(const gw_table *t, char *from, char **end) {
    char *to = from;
    for (char *c = from + 1;; c++) {
        if (*c == '"' && c[1] == '"') c++;
        else if (*c == '"') {
            *to = 0;
            *end = c[1] ? c + 1 : NULL;
            if (!c[1] || c[1] == ',') return GW_OK;
            return gw_table_fail(t, GW_ERR_FORMAT, "'%c' follows a closing quote", c[1]);
        } else if (!*c) {
            return gw_table_fail(t, GW_ERR_FORMAT, "a quote is not closed");
        }
        *to++ = *c;
    }
}

static gw_status split_record(gw_table *t) {
    const char separator = t->format == FORMAT_TSV ? '\t' : ',';
    t->field_count = 0;
    for (char *at = t->record.data, *end = NULL; at; at = end ? end + 1 : NULL) {
        GW_TRY(gw_reserve(&t->fields, &t->field_capacity, t->field_count + 1, sizeof *t->fields));
        t->fields[t->field_count++] = at;
        if (t->format == FORMAT_CSV && *at == '"') GW_TRY(unquote(t, at, &end));
        else end = strchr(at, separator);
        if (end) *end = 0;
    }
    return GW_OK;
}

static gw_status parse_record(gw_table *t) {
    char place[1024];
    snprintf(place, sizeof place, "%s:%lld", gw_lines_path(t->lines), (long long)t->line);
    json_decref(t->object);
    return gw_json_parse(place, t->record.data, t->record.length, &t->object);
}

gw_status gw_table_next(gw_table *t, bool *found) {
    *found = true;
    if (!t->waiting) {
        GW_TRY(read_line(t, found));
        if (!*found) return GW_OK;
        GW_TRY(finish_record(t));
        GW_TRY(t->format == FORMAT_JSON ? parse_record(t) : split_record(t));
    }
    t->waiting = false;
    if (t->format == FORMAT_JSON || t->field_count == t->columns || (t->options.ragged && t->field_count > t->columns))
        return GW_OK;
    return gw_table_fail(t, GW_ERR_FORMAT, "%lld fields where the %s has %lld", (long long)t->field_count,
                         t->options.headless ? "first row" : "header", (long long)t->columns);
}

// --- opening -------------------------------------------------------------------------------------------------------

// "csv" of "x.csv.gz".
static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path);
    const size_t wanted = strlen(ending);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    return length > wanted + 1 && path[length - wanted - 1] == '.' &&
           memcmp(path + length - wanted, ending, wanted) == 0;
}

bool gw_is_jsonl(const char *path) {
    return has_ending(path, "jsonl") || has_ending(path, "json");
}

static int format_of(const gw_table *t, const char *path) {
    const char *first = t->record.data;
    if (t->options.fields) return strchr(first, '\t') ? FORMAT_TSV : FORMAT_CSV;
    if (gw_is_jsonl(path)) return FORMAT_JSON;
    if (has_ending(path, "tsv")) return FORMAT_TSV;
    if (has_ending(path, "csv")) return FORMAT_CSV;
    return *first == '{' ? FORMAT_JSON : strchr(first, '\t') || !strchr(first, ',') ? FORMAT_TSV : FORMAT_CSV;
}

// The next of names between '|', or false.
static bool next_name(const char **names, char name[128]) {
    if (!*names || !**names) return false;
    const size_t length = strcspn(*names, "|");
    snprintf(name, 128, "%.*s", (int)length, *names);
    *names += length + ((*names)[length] == '|');
    return true;
}

static bool is_header(const gw_table *t) {
    char name[128];
    if (t->options.is_row) return !t->options.is_row(t->fields, t->field_count);
    for (const char *names = t->options.header; next_name(&names, name);)
        for (int64_t f = 0; f < t->field_count; f++)
            if (strcmp(t->fields[f], name) == 0) return true;
    return !t->options.headless;
}

static gw_status keep_header(gw_table *t) {
    t->header = gw_alloc(t->field_count, sizeof *t->header);
    if (!t->header) return GW_ERR_MEMORY;
    for (; t->columns < t->field_count; t->columns++) {
        char *name =
            t->options.headless ? gw_strprintf("%lld", (long long)t->columns + 1) : gw_strdup(t->fields[t->columns]);
        if (!name) return GW_ERR_MEMORY;
        t->header[t->columns] = name;
    }
    return GW_OK;
}

// Whether a first line that cannot be split, or lacks a column, is that of another kind of file. Objects of JSON are
// rows, unless fields alone are wanted.
static bool is_other_kind(const gw_table *t) {
    if (t->kind == GW_KIND_OBJECT) return t->format != FORMAT_JSON;
    return t->kind != GW_KIND_TABLE && (t->kind != GW_KIND_TEXT || t->format != FORMAT_JSON);
}

// The same failure, where the file is of another kind by what it is and by what reads it.
static gw_status explain(const gw_table *t, gw_status status) {
    if (status != GW_ERR_FORMAT || !is_other_kind(t)) return status;
    return gw_file_kind_refuse(t->kind, gw_lines_path(t->lines),
                               t->options.fields ? "a table (TSV or CSV) that names its columns in its first line"
                                                 : "a table (TSV, CSV or an object of JSON a line) with named columns");
}

static gw_status read_header(gw_table *t) {
    GW_TRY(finish_record(t));
    t->waiting = true;
    if (t->format == FORMAT_JSON) return parse_record(t);
    GW_TRY(split_record(t));
    t->options.headless = t->waiting = !is_header(t);
    return keep_header(t);
}

// The first line says what the rows are.
static gw_status open_table(gw_table *t, const char *path) {
    bool found;
    GW_TRY(read_line(t, &found));
    if (!found) return gw_fail(GW_ERR_FORMAT, "%s is empty", path);
    t->kind = gw_file_kind_of(t->record.data);
    t->format = format_of(t, path);
    return explain(t, read_header(t));
}

gw_status gw_table_open(const char *path, const gw_table_options *options, gw_table **out) {
    *out = NULL;
    gw_table *t = gw_alloc(1, sizeof *t);
    if (!t) return GW_ERR_MEMORY;
    t->options = *options;
    gw_status status = gw_lines_open(path, &t->lines);
    if (status == GW_OK) status = open_table(t, path);
    if (status == GW_OK) *out = t;
    else gw_table_close(t);
    return status;
}

int64_t gw_table_columns(const gw_table *t) {
    return t->columns;
}

bool gw_table_is_headless(const gw_table *t) {
    return t->options.headless;
}

const char *gw_table_header(const gw_table *t, int64_t place) {
    return t->header[place];
}

const char *gw_table_field(const gw_table *t, int64_t place) {
    return t->fields[place];
}

// --- columns -------------------------------------------------------------------------------------------------------

static int place_of(const gw_table *t, const char *name) {
    for (int64_t c = 0; c < t->columns; c++)
        if (strcmp(t->header[c], name) == 0) return (int)c;
    return -1;
}

bool gw_table_has(const gw_table *t, const char *name) {
    return t->format == FORMAT_JSON ? json_object_get(t->object, name) != NULL : place_of(t, name) >= 0;
}

gw_status gw_table_lacks(const gw_table *t, const char *name) {
    gw_string names = {0};
    const char *key;
    json_t *value;
    for (int64_t c = 0; c < t->columns; c++) gw_string_printf(&names, "%s%.60s", c > 0 ? ", " : "", t->header[c]);
    json_object_foreach(t->object, key, value) gw_string_printf(&names, "%s%.60s", names.length > 0 ? ", " : "", key);
    const gw_status status =
        gw_fail(GW_ERR_FORMAT, "%s:%lld: no %s \"%s\"; there are: %.500s", gw_lines_path(t->lines), (long long)t->line,
                t->format == FORMAT_JSON ? "key" : "column", name, names.data ? names.data : "");
    gw_string_free(&names);
    return explain(t, status);
}

gw_status gw_table_column(gw_table *t, const char *names, int *column) {
    char name[128];
    const char *rest = names;
    do
        if (!next_name(&rest, name)) return gw_table_lacks(t, names);
    while (!gw_table_has(t, name));
    const int place = place_of(t, name);
    GW_TRY(gw_table_check_name(t, place));
    GW_TRY(gw_reserve(&t->wanted, &t->wanted_capacity, t->wanted_count + 1, sizeof *t->wanted));
    wanted_column *wanted = &t->wanted[t->wanted_count];
    *wanted = (wanted_column){.name = gw_strdup(name), .place = place};
    if (!wanted->name) return GW_ERR_MEMORY;
    *column = (int)t->wanted_count++;
    return GW_OK;
}

gw_status gw_table_check_name(const gw_table *t, int64_t place) {
    for (int64_t c = place + 1; place >= 0 && c < t->columns; c++)
        if (strcmp(t->header[c], t->header[place]) == 0)
            return gw_fail(GW_ERR_FORMAT, "%s: columns %lld and %lld are both called \"%.60s\"",
                           gw_lines_path(t->lines), (long long)place + 1, (long long)c + 1, t->header[place]);
    return GW_OK;
}

const char *gw_table_name(const gw_table *t, int column) {
    return t->wanted[column].name;
}

static gw_status value_text(const gw_table *t, const char *name, const json_t *value, gw_string *out) {
    if (json_is_string(value)) gw_string_puts(out, json_string_value(value));
    else if (json_is_integer(value)) gw_string_printf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value)) gw_string_printf(out, "%.17g", json_real_value(value));
    else if (json_is_boolean(value)) gw_string_puts(out, json_is_true(value) ? "true" : "false");
    else return gw_table_fail(t, GW_ERR_FORMAT, "\"%s\" is missing, null or no text", name);
    return gw_string_status(out);
}

gw_status gw_table_text(gw_table *t, int column, const char **text) {
    wanted_column *wanted = &t->wanted[column];
    *text = "";
    if (wanted->place >= 0) {
        *text = t->fields[wanted->place];
        return GW_OK;
    }
    const json_t *value = json_object_get(t->object, wanted->name);
    gw_string_clear(&wanted->text);
    if (json_is_string(value)) {
        *text = json_string_value(value);
        return GW_OK;
    }
    if (!json_is_array(value)) GW_TRY(value_text(t, wanted->name, value, &wanted->text));
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (i > 0) gw_string_putc(&wanted->text, ' ');
        GW_TRY(value_text(t, wanted->name, json_array_get(value, i), &wanted->text));
    }
    if (wanted->text.data) *text = wanted->text.data;
    return gw_string_status(&wanted->text);
}

int64_t gw_table_items(const gw_table *t, int column) {
    const json_t *value = t->object ? json_object_get(t->object, t->wanted[column].name) : NULL;
    return json_is_array(value) ? (int64_t)json_array_size(value) : -1;
}

gw_status gw_table_item(gw_table *t, int column, int64_t item, const char **text) {
    wanted_column *wanted = &t->wanted[column];
    gw_string_clear(&wanted->text);
    GW_TRY(value_text(t, wanted->name, json_array_get(json_object_get(t->object, wanted->name), (size_t)item),
                      &wanted->text));
    *text = wanted->text.data ? wanted->text.data : "";
    return GW_OK;
}
