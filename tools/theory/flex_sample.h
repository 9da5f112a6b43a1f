// SPDX-License-Identifier: MIT
// The random projections of Theorem 0.4 (Likhosherstov et al.) and their check.
//
// A is the union of k random permutation matrices with entries 1 or gamma by a coin flip, rows divided by their sums.
//   B_ij = log(A_ij / (eps_1 alpha_i)) + eps_2 where A_ij > 0, else 0,  alpha_i the smallest entry of row i   (9)
// With B = D V^T, Y a Haar-distributed Stiefel matrix [n][d/2], X1 = (2n/d)^(1/2) D Y and X2 = (2n/d)^(1/2) V Y,
//   L = X1 X2^T = (2n/d) B Z Z^T,  Z = V Y.
// V is orthogonal, so Z is Haar-distributed as well, and Z Z^T = G (G^T G)^-1 G^T projects on the columns of a Gaussian
// matrix G [n][d/2]: a row of L costs a product by B's few entries, one solve and one product, and no decomposition of
// B. Conditions on each row of M = softmax(L):
//   L_ij1 - L_ij2 < log eps_1                                 where A_ij1 = 0, A_ij2 > 0   (23)
//   |L_ij1 - L_ij2 - log A_ij1 + log A_ij2| < eps_2           where both are positive      (24)
#ifndef GW_THEORY_FLEX_SAMPLE_H
#define GW_THEORY_FLEX_SAMPLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int k;
    double gamma, epsilon1, epsilon2;
    bool causal; // entries above the diagonal count neither in A nor in M (Corollary 0.7)
} gw_flex_setting;

// A sparse A and B: row i has the columns column[k i .. k i + count[i]).
typedef struct {
    int64_t n;
    gw_flex_setting setting;
    int32_t *column; // [n][k]
    int *count;      // [n]
    double *a, *b;   // [n][k]
} gw_flex_matrix;
// A causal A takes each permutation's pair (i, j) as (max, min) and keeps the first k of a row and column.
gw_status gw_flex_matrix_new(int64_t n, const gw_flex_setting *setting, uint64_t seed,
                             gw_flex_matrix *out) GW_MUST_CHECK;
void gw_flex_matrix_free(gw_flex_matrix *matrix);

// Conditions (23) and (24) for row i, with logits [n] of L or log M.
bool gw_flex_row_holds(const gw_flex_matrix *matrix, int64_t i, const double *logits);

// The right-hand side of (22), and its derivative by ln n without the rounding.
double gw_flex_bound(int64_t n, const gw_flex_setting *setting);
double gw_flex_bound_slope(int64_t n, const gw_flex_setting *setting);

// A Gaussian matrix [n][columns], row by row.
void gw_flex_gaussian(double *out, int64_t n, int64_t columns, uint64_t seed, uint64_t draw);

// The smallest d of a grid step, 2 step, ... for which one of round(q n) draws of Y fulfils the conditions; at most 2n,
// where the projection is exact. A grid point is given up after TRIAL draws where the rows checked so far fail so often
// that none of all draws can be expected to pass (expected number below 1e-3 if rows were independent); `all_draws`
// takes them all. draws: out, in all.
gw_status gw_flex_smallest(const gw_flex_matrix *matrix, int64_t step, double q, bool all_draws, uint64_t seed,
                           int64_t *d, int64_t *draws) GW_MUST_CHECK;

#endif
