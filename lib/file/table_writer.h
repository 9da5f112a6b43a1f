// SPDX-License-Identifier: MIT
// Tables that are written row by row, a kind of value to each column: text between tabs, or Parquet where the name ends
// in .parquet. Whole or nothing, as base/output.h.
//
// Parquet is written by a plugin (file/parquet.h). Integers are INT64 there, FLOAT and DOUBLE what they are called,
// missing cells null.
#ifndef GW_FILE_TABLE_WRITER_H
#define GW_FILE_TABLE_WRITER_H

#include "file/parquet.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A growing list of columns. Zero-initialise.
typedef struct {
    gw_column *items; // names are the list's
    int64_t count, capacity;
    const char *made; // borrowed: how the table was made, which Parquet keeps under the key "godwit"; NULL: it does not
    bool headless;    // text begins without a line of names
    bool failed;      // for want of memory
} gw_columns;
// name: of printf. format: how FLOAT and DOUBLE stand in text; NULL: %g.
void gw_columns_add(gw_columns *columns, gw_column_kind kind, const char *format, const char *name, ...)
    GW_PRINTF(4, 5);
void gw_columns_free(gw_columns *columns);

typedef struct gw_table_writer gw_table_writer;
// Takes the columns over, also where it fails. missing: what stands in text for a cell without a value. path NULL or
// "-": text to standard output.
gw_status gw_table_writer_open(const char *path, gw_columns *columns, const char *missing,
                               gw_table_writer **out) GW_MUST_CHECK;
// The cells of a row from left to right, each of its column's kind. A failure shows at the row's end.
void gw_cell_text(gw_table_writer *writer,
                  const char *text); // NULL: missing; control characters as gw_string_put_field()
void gw_cell_printf(gw_table_writer *writer, const char *format, ...) GW_PRINTF(2, 3); // a text
void gw_cell_integer(gw_table_writer *writer, int64_t value);
void gw_cell_real(gw_table_writer *writer, double value); // of FLOAT and DOUBLE; NaN: missing
void gw_cell_missing(gw_table_writer *writer);            // of any kind
gw_status gw_row_end(gw_table_writer *writer) GW_MUST_CHECK;
gw_status gw_table_writer_close(gw_table_writer *writer) GW_MUST_CHECK; // releases also on failure
void gw_table_writer_abandon(gw_table_writer *writer);                  // NULL is fine
// Closes a writer (or NULL) where `status` is GW_OK, otherwise abandons it; the first failure.
gw_status gw_table_writer_end(gw_status status, gw_table_writer *writer) GW_MUST_CHECK;

bool gw_is_parquet(const char *path); // NULL is fine
// Refuses a name of Parquet where the plugin is missing or cannot be used, and says how to get it.
gw_status gw_table_writer_check(const char *path) GW_MUST_CHECK;
// The line of --version.
void gw_print_parquet(FILE *out);

#endif
