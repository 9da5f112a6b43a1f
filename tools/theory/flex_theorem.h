// SPDX-License-Identifier: MIT
// Theorem 0.4 (and Corollary 0.7) step by step: X, W_Q and W_K of (15) to (17), from the singular value decomposition
// of B and a Stiefel matrix Y, made by QR of a Gaussian matrix; M = softmax(X W_Q W_K^T X^T); the conditions; and the
// same X W_Q and X W_K through godwit's own attention.
#ifndef GW_THEORY_FLEX_THEOREM_H
#define GW_THEORY_FLEX_THEOREM_H

#include "tools/theory/flex_sample.h"

typedef struct {
    int64_t draws; // number of draws of Y until the conditions held
    bool holds;
    double product_error; // largest |M of godwit's f32 attention - M|
    double orthogonality; // largest |Y^T Y - I|
    double projection;    // largest |L - (2n/d) B Z Z^T|, Z = V Y
} gw_flex_result;

gw_status gw_flex_theorem(const gw_flex_matrix *matrix, int64_t d, int64_t d_hidden, int64_t most_draws, uint64_t seed,
                          gw_flex_result *out) GW_MUST_CHECK;

#endif
