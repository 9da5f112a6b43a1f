// SPDX-License-Identifier: MIT
// Tables written row by row. Each column has a kind of value. Tables are text between tabs, or Parquet if the name ends
// in .parquet. They appear whole or not at all (base/output.h).
//
// A plugin writes Parquet (file/parquet.h): integers as INT64, FLOAT and DOUBLE by their names, missing cells as null.
#ifndef GW_FILE_TABLE_WRITER_H
#define GW_FILE_TABLE_WRITER_H

#include "file/parquet.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A growing list of columns. Zero-initialise.
typedef struct {
    gw_column *items; // the list owns the names
    int64_t count, capacity;
    const char *made; // borrowed: provenance of the table, stored in Parquet under the key "godwit"; NULL: none
    bool headless;    // text has no line of column names
    bool failed;      // out of memory
} gw_columns;
// name: a printf format. format: printf format of FLOAT and DOUBLE in text; NULL: %g.
void gw_columns_add(gw_columns *columns, gw_column_kind kind, const char *format, const char *name, ...)
    GW_PRINTF(4, 5);
void gw_columns_free(gw_columns *columns);

typedef struct gw_table_writer gw_table_writer;
// Takes ownership of the columns, also after a failure. missing: text of a cell without a value. path NULL or "-": text
// to standard output.
gw_status gw_table_writer_open(const char *path, gw_columns *columns, const char *missing,
                               gw_table_writer **out) GW_MUST_CHECK;
// The cells of a row from left to right, each of its column's kind. gw_row_end() returns a failure.
void gw_cell_text(gw_table_writer *writer,
                  const char *text); // NULL: missing; control characters as gw_string_put_field()
void gw_cell_printf(gw_table_writer *writer, const char *format, ...) GW_PRINTF(2, 3); // a text
void gw_cell_integer(gw_table_writer *writer, int64_t value);
void gw_cell_real(gw_table_writer *writer, double value); // for FLOAT and DOUBLE; NaN: missing
void gw_cell_missing(gw_table_writer *writer);            // of any kind
gw_status gw_row_end(gw_table_writer *writer) GW_MUST_CHECK;
gw_status gw_table_writer_close(gw_table_writer *writer) GW_MUST_CHECK; // also releases it after a failure
void gw_table_writer_abandon(gw_table_writer *writer);                  // NULL is fine
// Closes a writer (or NULL) if `status` is GW_OK, otherwise abandons it. Returns the first failure.
gw_status gw_table_writer_end(gw_status status, gw_table_writer *writer) GW_MUST_CHECK;

bool gw_is_parquet(const char *path); // NULL is fine
// Fails for a Parquet name if the plugin is missing or unusable, and says how to get it.
gw_status gw_table_writer_check(const char *path) GW_MUST_CHECK;
// Prints the line of --version.
void gw_print_parquet(FILE *out);

#endif
