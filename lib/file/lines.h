// SPDX-License-Identifier: MIT
// Text lines from plain, gzip or BGZF files and from standard input; and text output, as BGZF if the name ends in .gz.
#ifndef GW_FILE_LINES_H
#define GW_FILE_LINES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_line_reader gw_line_reader;
// path NULL or "-": standard input. A truncated or damaged compressed file is an error at the damage. A UTF-8 byte
// order mark at the beginning is skipped.
gw_status gw_lines_open(const char *path, gw_line_reader **out) GW_MUST_CHECK;
// The next line without its end (LF or CRLF). It is zero-terminated, and writable until the next call. *line is NULL at
// the end of the file.
gw_status gw_lines_next(gw_line_reader *reader, char **line, int64_t *length) GW_MUST_CHECK;
int64_t gw_lines_number(const gw_line_reader *reader); // of the last line read, 1-based
const char *gw_lines_path(const gw_line_reader *reader);
void gw_lines_close(gw_line_reader *reader);
// Allows zero bytes in lines; `length` then gives the end. Otherwise a zero byte is an error that names its line.
void gw_lines_take_zeros(gw_line_reader *reader);
// Calls `row` for every line that is not empty. `row` may write into the line. The first failure of `row` ends the
// reading.
typedef gw_status gw_line_row(void *context, const gw_line_reader *reader, char *line);
gw_status gw_lines_each(const char *path, gw_line_row *row, void *context) GW_MUST_CHECK;
// gw_fail() with "<path>:<line>: " before the message.
gw_status gw_lines_fail(const gw_line_reader *reader, gw_status code, const char *format, ...) GW_PRINTF(3, 4);

// Splits `line` in place at `separator`; at most `most` fields (the last keeps the rest). Returns their number.
int gw_split(char *line, char separator, char **fields, int most);
// The same at runs of blanks and tabs. Those at both ends are skipped; an empty line has no fields.
int gw_split_blanks(char *line, char **fields, int most);

// Output that appears whole or not at all (base/output.h). path NULL or "-": standard output. gw_writer_open()
// compresses if the name ends in .gz, gw_writer_open_as() if `bgzf`.
typedef struct gw_text_writer gw_text_writer;
gw_status gw_writer_open(const char *path, gw_text_writer **out) GW_MUST_CHECK;
gw_status gw_writer_open_as(const char *path, bool bgzf, gw_text_writer **out) GW_MUST_CHECK;
gw_status gw_writer_write(gw_text_writer *writer, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_writer_printf(gw_text_writer *writer, const char *format, ...) GW_PRINTF(2, 3) GW_MUST_CHECK;
// Sends written lines to the reader of a pipe, unless the output is compressed. A file appears only at close.
gw_status gw_writer_flush(gw_text_writer *writer) GW_MUST_CHECK;
gw_status gw_writer_close(gw_text_writer *writer) GW_MUST_CHECK; // also releases it after a failure
void gw_writer_abandon(gw_text_writer *writer);                  // NULL is fine
// Closes two writers (each may be NULL) if `status` is GW_OK, otherwise abandons them. Returns the first failure.
gw_status gw_writers_close(gw_status status, gw_text_writer *first, gw_text_writer *second) GW_MUST_CHECK;

#endif
