// SPDX-License-Identifier: MIT
// Files of rows with equal numbers of small cells: labels (PREFIX.labels, one bit each) and bases (PREFIX.bases, four
// bits).
//
// Little endian: eight letters for the kind, u64 rows, u64 cells a row, then the rows, each of whole bytes.
#ifndef GW_LABEL_ROW_FILE_H
#define GW_LABEL_ROW_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *magic; // eight letters
    const char *what;  // for messages: a "label" file
    const char *cells; // "targets"
    int cells_per_byte;
} gw_row_kind;

static inline int64_t gw_row_bytes(const gw_row_kind *kind, int64_t width) {
    return (width + kind->cells_per_byte - 1) / kind->cells_per_byte;
}

// Writer. The header gets the number of rows at close.
typedef struct gw_row_writer gw_row_writer;
gw_status gw_row_writer_open(const char *path, const gw_row_kind *kind, int64_t width,
                             gw_row_writer **out) GW_MUST_CHECK;
gw_status gw_row_writer_add(gw_row_writer *writer, const uint8_t *row) GW_MUST_CHECK;
gw_status gw_row_writer_close(gw_row_writer *writer) GW_MUST_CHECK; // also releases it after a failure
void gw_row_writer_abandon(gw_row_writer *writer);                  // NULL is fine

// Reader. It maps the file and checks the size against the header.
typedef struct gw_row_file gw_row_file;
gw_status gw_row_file_open(const char *path, const gw_row_kind *kind, gw_row_file **out) GW_MUST_CHECK;
void gw_row_file_close(gw_row_file *file); // NULL is fine
int64_t gw_row_file_rows(const gw_row_file *file);
int64_t gw_row_file_width(const gw_row_file *file);
const uint8_t *gw_row_file_row(const gw_row_file *file, int64_t row);

// PREFIX.labels. Rows of ceil(targets / 8) bytes behind "GWLABEL1". Target t is bit t mod 8 (the lowest first) of byte
// t / 8. NumPy: numpy.unpackbits(rows, axis=1, count=targets, bitorder="little").
static const gw_row_kind gw_label_rows = {"GWLABEL1", "label", "targets", 8};

static inline bool gw_label_bit(const uint8_t *row, int64_t target) {
    return row[target / 8] >> (target % 8) & 1;
}

static inline void gw_set_label_bit(uint8_t *row, int64_t target) {
    row[target / 8] |= (uint8_t)(1 << (target % 8));
}

// PREFIX.bases: windows of letters without a genome. Rows of ceil(bases / 2) bytes behind "GWBASES1". Base i is the low
// (i even) or high half of byte i / 2: 0 to 3 for A, C, G, T, 4 for N.
static const gw_row_kind gw_base_rows = {"GWBASES1", "bases", "bases", 2};

// row must hold zeros before.
static inline void gw_set_packed_base(uint8_t *row, int64_t i, int code) {
    row[i / 2] |= (uint8_t)(code << 4 * (i % 2));
}

static inline char gw_packed_base(const uint8_t *row, int64_t i) {
    return "ACGTNNNNNNNNNNNN"[row[i / 2] >> 4 * (i % 2) & 15];
}

#endif
