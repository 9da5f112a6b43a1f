// SPDX-License-Identifier: MIT
// Rows with named fields: TSV, CSV or JSON objects, one a line; plain, gzip or BGZF.
//
// TSV has no quotes: a field is the text between tabs. A CSV field that begins with a quote ends with a quote and may
// span lines; "" is a quote inside (RFC 4180). Elsewhere a quote is a letter. The first line names the columns. In a
// table without such a line the names are 1, 2, ... A byte order mark and empty lines are skipped. All text is UTF-8
// without zero bytes. Messages about bad rows begin with file and line.
#ifndef GW_FILE_TABLE_H
#define GW_FILE_TABLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool headless;      // the first line of a TSV or CSV is a row,
    const char *header; // unless it has a field with one of these names, between '|'; NULL: always
    bool ragged;        // rows may have more fields than the first line
    bool fields;        // never JSON; TSV if the first line has a tab, else CSV; the file's name is ignored
    bool (*is_row)(char *const *fields, int64_t count); // whether a first line is a row; NULL: see headless and header
} gw_table_options;

typedef struct gw_table gw_table;
// Opens a table. Its name gives the format (.tsv, .csv, .jsonl, also with .gz), otherwise the first line: an object, or
// fields between tabs or commas. path "-": standard input.
gw_status gw_table_open(const char *path, const gw_table_options *options, gw_table **out) GW_MUST_CHECK;
void gw_table_close(gw_table *table); // NULL is fine

// Whether the file's name is that of JSON objects.
bool gw_is_jsonl(const char *path);

// Whether a column has this name; for JSON, whether the first object has this key.
bool gw_table_has(const gw_table *table, const char *name);
// Fails because no column has one of these names. The message lists the columns. If the file is not a table, the
// message names its kind and the command that reads it (file_kind.h).
gw_status gw_table_lacks(const gw_table *table, const char *names) GW_MUST_CHECK;
// Sets *column to the number for reading a column: the first of the names (between '|') that exists. If none exists,
// the error lists the columns. If two columns have the name, the error says which.
gw_status gw_table_column(gw_table *table, const char *names, int *column) GW_MUST_CHECK;

// Fails if a later column has the same name as the column at the place.
gw_status gw_table_check_name(const gw_table *table, int64_t place) GW_MUST_CHECK;
const char *gw_table_name(const gw_table *table, int column); // the name that was found

// Reads the next row; *found is false behind the last row.
gw_status gw_table_next(gw_table *table, bool *found) GW_MUST_CHECK;
// A field of the row, valid until the next call for this column. JSON numbers and booleans become text, and list items
// are joined by spaces. A missing key, null or an object is an error.
gw_status gw_table_text(gw_table *table, int column, const char **text) GW_MUST_CHECK;
// The number of items of a JSON list, or -1 if the field is not a list; and the text of one item, valid until the next
// call for this column.
int64_t gw_table_items(const gw_table *table, int column);
gw_status gw_table_item(gw_table *table, int column, int64_t item, const char **text) GW_MUST_CHECK;

// The columns of a TSV or CSV by place: their number (0: JSON), whether the names are only 1, 2 ..., the name of a
// column, and its field in the row, valid until the next row.
int64_t gw_table_columns(const gw_table *table);
bool gw_table_is_headless(const gw_table *table);
const char *gw_table_header(const gw_table *table, int64_t place);
const char *gw_table_field(const gw_table *table, int64_t place);

// gw_fail() with "<path>:<line>: " before the message; the line is the first of the row.
gw_status gw_table_fail(const gw_table *table, gw_status code, const char *format, ...) GW_PRINTF(3, 4);

#endif
