// SPDX-License-Identifier: MIT
// The random projections of Theorem 0.4 (Likhosherstov et al.) and the smallest d at which one fulfils the conditions.
//
// With B = D V^T, Y a Haar-distributed Stiefel matrix [n][d/2], X1 = (2n/d)^(1/2) D Y and X2 = (2n/d)^(1/2) V Y,
//   L = X1 X2^T = (2n/d) B Z Z^T,  Z = V Y.
// V is orthogonal, so Z is Haar-distributed as well, and Z Z^T = G (G^T G)^-1 G^T projects on the columns of a Gaussian
// matrix G [n][d/2]: a row of L costs a product by B's few entries, one solve and one product, and no decomposition of
// B.
//
// Rows are checked one after the other up to the first that fails, which nearly all draws of G have, by products of f32
// and, where the processor has them, bf16; a row that these cannot decide, and those after it, are computed in doubles.
#ifndef GW_THEORY_FLEX_SEARCH_H
#define GW_THEORY_FLEX_SEARCH_H

#include "tools/theory/flex_sample.h"

// The smallest d of a grid step, 2 step, ... for which one of round(q n) draws of Y fulfils the conditions; at most 2n,
// where the projection is exact. A grid point is given up after TRIAL draws where the rows checked so far fail so often
// that none of all draws can be expected to pass (expected number below 1e-3 if rows were independent); `all_draws`
// takes them all. draws: out, in all.
gw_status gw_flex_smallest(const gw_flex_matrix *matrix, int64_t step, double q, bool all_draws, uint64_t seed,
                           int64_t *d, int64_t *draws) GW_MUST_CHECK;

// flex_screen.c: finds by f32 and bf16 products the first row of a projection that does not hold, where they can tell.
//
// The rows of L (flex_search.h) go through three sieves:
//   - x = B_row G (G^T G)^-1 in f32, G^T G of bf16 products being that of G = H + R to the first order in R,
//     H^T H + H^T R + R^T H, where H is G as bf16 and R the rest;
//   - (n/c) x G^T, c = d/2, of bf16 products: their error is at most 2^-7 (n/c) |x| max |G_j|, by Cauchy and Schwarz,
//     beside what sums in f32 round off; columns that stay below the limit of (23) by more than this are done with;
//   - the other columns, and the row's own, as inner products in f32: a row is decided where it holds or fails by more
//     than these are uncertain.

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
