// SPDX-License-Identifier: MIT
// Tables of texts, columns by name: JSONL, an object a line, where the file's name ends in .jsonl (or .jsonl.gz); else
// tab-separated values under a line of names. A field of an object is a text or a list of texts; one of a table is a
// text as it stands, without quoting. Empty lines are passed over.
#ifndef GW_DATA_TEXT_ROWS_H
#define GW_DATA_TEXT_ROWS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_text_rows gw_text_rows;
// Columns that are asked for; the names outlive the reader. A table that lacks one is an error that lists what it has.
gw_status gw_text_rows_open(const char *path, const char *const *columns, int count, gw_text_rows **out) GW_MUST_CHECK;
void gw_text_rows_close(gw_text_rows *rows); // NULL is fine
// The next row, until the next call; *found is false at the end. What is not UTF-8, missing, or no text is an error
// that names file, line and column.
gw_status gw_text_rows_next(gw_text_rows *rows, bool *found) GW_MUST_CHECK;
// Texts of a column of the row: 1, or as many as the list has.
int gw_text_rows_count(const gw_text_rows *rows, int column);
const char *gw_text_rows_text(const gw_text_rows *rows, int column, int i);
// gw_fail() with "<path>:<line>: " before the message.
gw_status gw_text_rows_fail(const gw_text_rows *rows, gw_status code, const char *format, ...) GW_PRINTF(3, 4);

// Whether a name ends as that of JSONL does.
bool gw_is_jsonl(const char *path);

#endif
