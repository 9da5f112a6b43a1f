// SPDX-License-Identifier: MIT
// PREFIX.labels: the labels of a set, one bit each (row_file.h).
//
// Rows of ceil(targets / 8) bytes after "GWLABEL1"; target t is bit t mod 8 (the lowest first) of byte t / 8. NumPy:
// numpy.unpackbits(rows, axis=1, count=targets, bitorder="little").
#ifndef GW_LABEL_LABEL_BITS_H
#define GW_LABEL_LABEL_BITS_H

#include "label/row_file.h"

#include <stdbool.h>

static const gw_row_kind gw_label_rows = {"GWLABEL1", "label", "targets", 8};

static inline bool gw_label_bit(const uint8_t *row, int64_t target) {
    return row[target / 8] >> (target % 8) & 1;
}

static inline void gw_set_label_bit(uint8_t *row, int64_t target) {
    row[target / 8] |= (uint8_t)(1 << (target % 8));
}

#endif
