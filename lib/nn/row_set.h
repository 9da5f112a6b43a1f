// SPDX-License-Identifier: MIT
// Sets of rows: ascending ranges with gaps between them.
#ifndef GW_NN_ROW_SET_H
#define GW_NN_ROW_SET_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t begin, end;
} gw_row_range;

// Zero-initialise.
typedef struct {
    gw_row_range *range;
    int64_t count, capacity;
} gw_row_set;

void gw_row_set_free(gw_row_set *set);
void gw_row_set_clear(gw_row_set *set); // keeps its memory
int64_t gw_row_set_rows(const gw_row_set *set);
// Adds rows that begin no earlier than the last range.
gw_status gw_row_set_add(gw_row_set *set, int64_t begin, int64_t end) GW_MUST_CHECK;

// Set `out`, with any earlier content, from other sets. `out` must not be one of them.
//
// Rows of [0, rows) within `reach` of a row of the set.
gw_status gw_row_set_widen(const gw_row_set *set, int64_t reach, int64_t rows, gw_row_set *out) GW_MUST_CHECK;
// Rows of [0, rows) that a convolution of `taps` (odd) taps and dilation `stride` reads around a row of the set.
gw_status gw_row_set_spread(const gw_row_set *set, int taps, int64_t stride, int64_t rows,
                            gw_row_set *out) GW_MUST_CHECK;
// pool: the windows of `factor` rows that contain a row of the set. repeat: the rows of [0, rows) in the windows of the
// set.
gw_status gw_row_set_pool(const gw_row_set *set, int64_t factor, gw_row_set *out) GW_MUST_CHECK;
gw_status gw_row_set_repeat(const gw_row_set *set, int64_t factor, int64_t rows, gw_row_set *out) GW_MUST_CHECK;
// The union.
gw_status gw_row_set_join(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;
// The rows of `a` that are not in `b`.
gw_status gw_row_set_without(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;
// The intersection.
gw_status gw_row_set_meet(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;

#endif
