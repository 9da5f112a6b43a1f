// SPDX-License-Identifier: MIT
// PREFIX.bases: windows of letters that lie in no genome at hand, four bits a base (row_file.h).
//
// Rows of ceil(bases / 2) bytes after "GWBASES1"; base i is the low (i even) or high half of byte i / 2: 0 to 3 for A,
// C, G, T, 4 for N.
#ifndef GW_LABEL_BASE_ROWS_H
#define GW_LABEL_BASE_ROWS_H

#include "label/row_file.h"

static const gw_row_kind gw_base_rows = {"GWBASES1", "bases", "bases", 2};

// row must hold zeros before.
static inline void gw_set_packed_base(uint8_t *row, int64_t i, int code) {
    row[i / 2] |= (uint8_t)(code << 4 * (i % 2));
}

static inline char gw_packed_base(const uint8_t *row, int64_t i) {
    return "ACGTNNNNNNNNNNNN"[row[i / 2] >> 4 * (i % 2) & 15];
}

#endif
