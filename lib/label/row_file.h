// SPDX-License-Identifier: MIT
// Files of rows of equally many small cells: labels (one bit each) and bases (four bits each).
//
// Little endian: eight letters that name the kind, u64 rows, u64 cells a row, then the rows, each of whole bytes.
#ifndef GW_LABEL_ROW_FILE_H
#define GW_LABEL_ROW_FILE_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    const char *magic; // eight letters
    const char *what;  // of messages: a "label" file
    const char *cells; // "targets"
    int cells_per_byte;
} gw_row_kind;

static inline int64_t gw_row_bytes(const gw_row_kind *kind, int64_t width) {
    return (width + kind->cells_per_byte - 1) / kind->cells_per_byte;
}

// Writer: rows are counted, and the header is completed, at close.
typedef struct gw_row_writer gw_row_writer;
gw_status gw_row_writer_open(const char *path, const gw_row_kind *kind, int64_t width,
                             gw_row_writer **out) GW_MUST_CHECK;
gw_status gw_row_writer_add(gw_row_writer *writer, const uint8_t *row) GW_MUST_CHECK;
gw_status gw_row_writer_close(gw_row_writer *writer) GW_MUST_CHECK; // releases whatever happens
void gw_row_writer_abandon(gw_row_writer *writer);                  // NULL is fine

// Reader: memory-mapped; the file's size is checked against its header.
typedef struct gw_row_file gw_row_file;
gw_status gw_row_file_open(const char *path, const gw_row_kind *kind, gw_row_file **out) GW_MUST_CHECK;
void gw_row_file_close(gw_row_file *file); // NULL is fine
int64_t gw_row_file_rows(const gw_row_file *file);
int64_t gw_row_file_width(const gw_row_file *file);
const uint8_t *gw_row_file_row(const gw_row_file *file, int64_t row);

#endif
