// SPDX-License-Identifier: MIT
// The sparse matrices of Theorem 0.4 (Likhosherstov et al.) and the conditions on approximations of them.
//
// A is the union of k random permutation matrices. Each entry is 1 or gamma by a coin flip; rows are divided by their
// sums.
//   B_ij = log(A_ij / (eps_1 alpha_i)) + eps_2 where A_ij > 0, else 0,  alpha_i the smallest entry of row i   (9)
// Conditions on each row of M = softmax(L), L = X W_Q W_K^T X^T:
//   L_ij1 - L_ij2 < log eps_1                                 where A_ij1 = 0, A_ij2 > 0   (23)
//   |L_ij1 - L_ij2 - log A_ij1 + log A_ij2| < eps_2           where both are positive      (24)
#ifndef GW_THEORY_FLEX_SAMPLE_H
#define GW_THEORY_FLEX_SAMPLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_FLEX_MOST_NONZEROS = 64 }; // the largest k

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
// For a causal A, each pair (i, j) of a permutation becomes (max, min), and each row and column keeps its first k.
gw_status gw_flex_matrix_new(int64_t n, const gw_flex_setting *setting, uint64_t seed,
                             gw_flex_matrix *out) GW_MUST_CHECK;
void gw_flex_matrix_free(gw_flex_matrix *matrix);

// gw_flex_has: true if A_ij > 0. gw_flex_seen: the number of entries of row i that count: all, or up to the diagonal.
bool gw_flex_has(const gw_flex_matrix *matrix, int64_t i, int32_t j);
int64_t gw_flex_seen(const gw_flex_matrix *matrix, int64_t i);

// From the logits [count[i]] of the row's own columns: the slack of condition (24), 0 or less if (24) is violated.
// limit: out, the logits of other columns must be below it by (23).
double gw_flex_row_slack(const gw_flex_matrix *matrix, int64_t i, const double *own, double *limit);
// True if conditions (23) and (24) hold for row i, with logits [n] of L or log M.
bool gw_flex_row_holds(const gw_flex_matrix *matrix, int64_t i, const double *logits);

// The right-hand side of (22), and its derivative with respect to ln n, without the rounding.
double gw_flex_bound(int64_t n, const gw_flex_setting *setting);
double gw_flex_bound_slope(int64_t n, const gw_flex_setting *setting);

// Gaussian matrices, in vectors of sixteen if the processor has AVX-512. The search for the smallest d needs tens of
// billions of normal numbers.

// out[0 .. count) = the successive results of gw_random_normal() for the stream of this seed and draw. The vector code
// has its own logarithm and cosine, exact to units in the last place: a quarter of the numbers differ by one unit from
// libm's, and no number is off by more than two units of the radius sqrt(-2 ln u).
void gw_flex_gaussian(float *out, int64_t count, uint64_t seed, uint64_t draw);

#endif
