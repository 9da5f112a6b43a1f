// SPDX-License-Identifier: MIT
// Sets of rows: ranges, ascending, with rows between them.
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
// Adds rows that begin no earlier than those of the last range do.
gw_status gw_row_set_add(gw_row_set *set, int64_t begin, int64_t end) GW_MUST_CHECK;

// What becomes of `out`, whatever it was; none is `out` itself.
// Rows within `reach` of one of the set, of [0, rows).
gw_status gw_row_set_widen(const gw_row_set *set, int64_t reach, int64_t rows, gw_row_set *out) GW_MUST_CHECK;
// Rows of [0, rows) that are `taps`, an odd number, of steps of `stride` around one of the set.
gw_status gw_row_set_spread(const gw_row_set *set, int taps, int64_t stride, int64_t rows,
                            gw_row_set *out) GW_MUST_CHECK;
// The windows of `factor` rows that have one of the set; and the rows of [0, rows) that such windows have.
gw_status gw_row_set_pool(const gw_row_set *set, int64_t factor, gw_row_set *out) GW_MUST_CHECK;
gw_status gw_row_set_repeat(const gw_row_set *set, int64_t factor, int64_t rows, gw_row_set *out) GW_MUST_CHECK;
// Rows of either.
gw_status gw_row_set_join(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;
// Rows of `a` that `b` has not.
gw_status gw_row_set_without(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;
// Rows of both.
gw_status gw_row_set_meet(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) GW_MUST_CHECK;

#endif
