// SPDX-License-Identifier: MIT
// The selective shift operator of Big Bird's appendix A.2.2 (Lemma 2), in exact rationals:
//   X_i += rho (max over N(i) of u.X_j - min over N(i) of u.X_j) e_1   for the columns with b_1 < u.X_i < b_2
// as two heads of hardmax attention over a graph, psi(b_1) - psi(b_2), where
//   psi(b)_i = hardmax over j in N(i) of [(u.X_i - b)(u.X_j)], applied to u.X_j
// is the maximum where u.X_i > b and the minimum where u.X_i < b. The paper prints (u.X_i)(u.X_j - b): there u.X_i >= 0
// makes every score rise with u.X_j, both heads pick the maximum, and nothing is ever shifted.
#ifndef GW_THEORY_SELECTIVE_SHIFT_H
#define GW_THEORY_SELECTIVE_SHIFT_H

#include "kernels/graph.h"
#include "tools/theory/exact.h"

#include <stdbool.h>

typedef struct {
    int tokens, width; // n + 1, d + 1; token 0 is the global one
    int inverse_delta; // 1 / delta, a whole number
    mpq_t *x;          // [tokens][width]
    const mpq_t *u;    // [width]
    mpq_t *inner;      // [tokens] u.X_i, kept up to date
    const gw_graph *graph;
    bool printed_lemma2;
    bool product_parted;            // the same heads by the product's f32 attention have given something else
    int64_t shifts, product_shifts; // layers applied, and those before that
} gw_shift_state;

void gw_shift_inner_products(gw_shift_state *state); // all of `inner` from x

// One layer.
gw_status gw_shift(gw_shift_state *state, const mpq_t rho, const mpq_t b1, const mpq_t b2) GW_MUST_CHECK;

// Layers with b = v - delta/2, v + delta/2 for v = low, low + delta, ... below high, in this order. A layer in whose
// interval no column lies changes nothing and is skipped.
gw_status gw_shift_sweep(gw_shift_state *state, const mpq_t rho, const mpq_t low, const mpq_t high) GW_MUST_CHECK;

#endif
