// SPDX-License-Identifier: MIT
// PREFIX.labels: the labels of a set, one bit each.
//
// Little endian: "GWLABEL1", u64 rows, u64 targets, then ceil(targets / 8) bytes a row; target t is bit t mod 8 (the
// lowest first) of byte t / 8. NumPy: numpy.unpackbits(rows, axis=1, count=targets, bitorder="little").
#ifndef GW_LABEL_LABEL_BITS_H
#define GW_LABEL_LABEL_BITS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

static inline int64_t gw_label_row_bytes(int64_t targets) {
    return (targets + 7) / 8;
}

static inline bool gw_label_bit(const uint8_t *row, int64_t target) {
    return row[target / 8] >> (target % 8) & 1;
}

static inline void gw_set_label_bit(uint8_t *row, int64_t target) {
    row[target / 8] |= (uint8_t)(1 << (target % 8));
}

// Writer: rows are counted, and the header is completed, at close.
typedef struct gw_label_writer gw_label_writer;
gw_status gw_label_writer_open(const char *path, int64_t targets, gw_label_writer **out) GW_MUST_CHECK;
gw_status gw_label_writer_add(gw_label_writer *writer, const uint8_t *row) GW_MUST_CHECK;
gw_status gw_label_writer_close(gw_label_writer *writer) GW_MUST_CHECK; // releases whatever happens
void gw_label_writer_abandon(gw_label_writer *writer);                  // NULL is fine

// Reader: memory-mapped; the file's size is checked against its header.
typedef struct gw_label_bits gw_label_bits;
gw_status gw_label_bits_open(const char *path, gw_label_bits **out) GW_MUST_CHECK;
void gw_label_bits_close(gw_label_bits *bits);
int64_t gw_label_bits_rows(const gw_label_bits *bits);
int64_t gw_label_bits_targets(const gw_label_bits *bits);
const uint8_t *gw_label_bits_row(const gw_label_bits *bits, int64_t row);

#endif
