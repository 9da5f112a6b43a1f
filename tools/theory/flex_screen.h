// SPDX-License-Identifier: MIT
// Finds by f32 and bf16 products the first row of a projection that does not hold, where they can tell.
//
// The rows of L (flex_search.h) go through three sieves:
//   - x = B_row G (G^T G)^-1 in f32, G^T G of bf16 products being that of G = H + R to the first order in R,
//     H^T H + H^T R + R^T H, where H is G as bf16 and R the rest;
//   - (n/c) x G^T, c = d/2, of bf16 products: their error is at most 2^-7 (n/c) |x| max |G_j|, by Cauchy and Schwarz,
//     beside what sums in f32 round off; columns that stay below the limit of (23) by more than this are done with;
//   - the other columns, and the row's own, as inner products in f32: a row is decided where it holds or fails by more
//     than these are uncertain.
#ifndef GW_THEORY_FLEX_SCREEN_H
#define GW_THEORY_FLEX_SCREEN_H

#include "tools/theory/flex_sample.h"

typedef struct gw_flex_screen gw_flex_screen;

// Keeps the matrix. gw_flex_screen_free() takes NULL.
gw_status gw_flex_screen_new(const gw_flex_matrix *matrix, gw_flex_screen **out) GW_MUST_CHECK;
void gw_flex_screen_free(gw_flex_screen *screen);

// row: the first that does not hold for G [n][columns], n where all do; or, where not `certain`, one that is in doubt
// and before which all hold. Numbers behind G are read, though not used: so many.
enum { GW_FLEX_SCREEN_PADDING = 64 };
gw_status gw_flex_screen_rows(gw_flex_screen *screen, const float *g, int64_t columns, int64_t *row,
                              bool *certain) GW_MUST_CHECK;

#endif
