// SPDX-License-Identifier: MIT
// Interpolated Markov chains over bases: prediction of a base from its neighbours, by counting.
//
// A context is a run of known bases next to the predicted base. Contexts grow base by base, and each level is
// interpolated with the level below:
//   p_k(x | c_k) = (n(c_k x) + a p_{k-1}(x | c_{k-1})) / (n(c_k) + a),   p_{-1} = 1/4
// a depends on the level and on the count of the context. It is fitted on a sample of the training positions, with one
// occurrence of each left out. Causal chains grow to the left. Two-sided ones multiply three chains, one for each side
// and one that grows on both sides in turn, with exponents fitted in the same way.
//
// Text is counted on both strands. A corpus may hold the same sequence several times (repeats, both strands), which
// would make chains too confident. Counts are therefore divided by the multiplicity: the median over a sample of
// 24-mers.
#ifndef GW_MEASURE_MARKOV_H
#define GW_MEASURE_MARKOV_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MARKOV_ORDER = 12, GW_MARKOV_MOST_ORDER = 13 };

typedef enum { GW_MARKOV_CAUSAL, GW_MARKOV_TWO_SIDED, GW_MARKOV_KINDS } gw_markov_kind;

typedef struct gw_markov gw_markov;

// Memory: 4/3 * 4^(order + 2) bytes: 0.36 GB for order 12, 1.4 GB for order 13.
gw_status gw_markov_new(int order, gw_markov **out) GW_MUST_CHECK;
void gw_markov_free(gw_markov *markov);
// The codes for the functions below: 0 to 3 for A, C, G, T, otherwise 4.
uint8_t gw_base_code(char base);
// Counts a text on both strands. Codes other than 0 to 3 interrupt it.
gw_status gw_markov_add(gw_markov *markov, const uint8_t *code, int64_t length) GW_MUST_CHECK;
// Fits the interpolation, after the last text. Fails if nothing was counted.
gw_status gw_markov_fit(gw_markov *markov) GW_MUST_CHECK;
double gw_markov_multiplicity(const gw_markov *markov); // of the text, after the fit

// Probabilities of the four bases at code[at], from the codes around it (code[at] is not read). `end` is the end of the
// known bases on the right (at + 1: none is known).
void gw_markov_predict(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t at, int64_t end,
                       double p[4]);
// -log2 of the probability of code[begin, end). The bases are predicted from left to right, each from those on its
// left; in a two-sided chain the last base also from those right of the span. `length`: of the text. The span must not
// have N.
double gw_markov_bits(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t length, int64_t begin,
                      int64_t end);

#endif
