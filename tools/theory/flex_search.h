// SPDX-License-Identifier: MIT
// The random projections of Theorem 0.4 (Likhosherstov et al.) and the smallest d for which a projection fulfils the
// conditions.
//
// With B = D V^T, Y a Haar-distributed Stiefel matrix [n][d/2], X1 = (2n/d)^(1/2) D Y and X2 = (2n/d)^(1/2) V Y,
//   L = X1 X2^T = (2n/d) B Z Z^T,  Z = V Y.
// V is orthogonal, so Z is Haar-distributed too, and Z Z^T = G (G^T G)^-1 G^T projects on the columns of a Gaussian
// matrix G [n][d/2]. A row of L then needs a product with the few entries of B, one solve and one product, but no
// decomposition of B.
//
// Rows are checked in order, up to the first row that fails; nearly all draws of G have one. The checks are products of
// f32 and, if the processor has it, bf16. A row that these products cannot decide, and the rows after it, are computed
// in doubles.
#ifndef GW_THEORY_FLEX_SEARCH_H
#define GW_THEORY_FLEX_SEARCH_H

#include "tools/theory/flex_sample.h"

// The smallest d of the grid step, 2 step, ... for which one of round(q n) draws of Y fulfils the conditions; at most
// 2n, where the projection is exact. A grid point ends after TRIAL draws if the rows checked so far fail so often that
// no draw is expected to pass (expected number below 1e-3 if rows were independent). all_draws: all draws are tried.
// draws: out, the total number.
gw_status gw_flex_smallest(const gw_flex_matrix *matrix, int64_t step, double q, bool all_draws, uint64_t seed,
                           int64_t *d, int64_t *draws) GW_MUST_CHECK;

#endif
