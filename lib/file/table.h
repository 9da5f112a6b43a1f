// SPDX-License-Identifier: MIT
// Rows with fields by name: TSV, CSV or JSON objects, one a line; plain, gzip or BGZF.
//
// TSV has no quotes: what stands between tabs is the field. A field of CSV that begins with a quote ends with one, ""
// being a quote inside, and may span lines (RFC 4180); elsewhere a quote is a letter. The first line names the columns,
// unless there is no such line: then they are called 1, 2, ... A byte-order mark is skipped, and so are empty lines.
// All text is UTF-8 without zero bytes. Messages of bad rows begin with file and line.
#ifndef GW_FILE_TABLE_H
#define GW_FILE_TABLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool headless;      // the first line of a TSV or CSV is a row,
    const char *header; // unless one of its fields is one of these names, between '|'; NULL: it is a row
    bool ragged;        // rows may have more fields than the first line
    bool fields;        // never JSON; TSV where there is a tab in the first line, else CSV, whatever the file is called
    bool (*is_row)(char *const *fields, int64_t count); // tells a first line that is a row; NULL: as said above
} gw_table_options;

typedef struct gw_table gw_table;
// What it is the name says (.tsv, .csv, .jsonl, also with .gz), else the first line: an object, or fields between tabs
// or commas. path "-": standard input.
gw_status gw_table_open(const char *path, const gw_table_options *options, gw_table **out) GW_MUST_CHECK;
void gw_table_close(gw_table *table); // NULL is fine

// Whether a file's name says that it is JSON objects.
bool gw_is_jsonl(const char *path);

// Whether a column has that name; of JSON, whether the first object has that key.
bool gw_table_has(const gw_table *table, const char *name);
// The error that no column has one of these names, which names those that are there; where the file is no table at all,
// it says what it looks like instead, and what reads that (file_kind.h).
gw_status gw_table_lacks(const gw_table *table, const char *names) GW_MUST_CHECK;
// The number by which a column is read: that of the first of the names, between '|', that is there. Where none is, the
// error names the columns that are; where two are called so, it says which.
gw_status gw_table_column(gw_table *table, const char *names, int *column) GW_MUST_CHECK;

// Error where a later column has the name of that at the place.
gw_status gw_table_check_name(const gw_table *table, int64_t place) GW_MUST_CHECK;
const char *gw_table_name(const gw_table *table, int column); // which of the names it was

// The next row; *found is false behind the last one.
gw_status gw_table_next(gw_table *table, bool *found) GW_MUST_CHECK;
// A field of the row, until the next call with that column. Numbers and truth values of JSON are written out, items of
// a list joined by spaces; a missing key, null or an object is an error.
gw_status gw_table_text(gw_table *table, int column, const char **text) GW_MUST_CHECK;
// Items of a JSON list, or -1 where the field is none; and the text of one, until the next call with that column.
int64_t gw_table_items(const gw_table *table, int column);
gw_status gw_table_item(gw_table *table, int column, int64_t item, const char **text) GW_MUST_CHECK;

// All columns of a TSV or CSV by their place: how many there are (0: JSON), whether they have no names but 1, 2 ...,
// the name of one, and its field of the row, until the next call.
int64_t gw_table_columns(const gw_table *table);
bool gw_table_is_headless(const gw_table *table);
const char *gw_table_header(const gw_table *table, int64_t place);
const char *gw_table_field(const gw_table *table, int64_t place);

// gw_fail() with "<path>:<line>: " before the message; the line is the row's first.
gw_status gw_table_fail(const gw_table *table, gw_status code, const char *format, ...) GW_PRINTF(3, 4);

#endif
