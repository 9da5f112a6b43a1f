// SPDX-License-Identifier: MIT
// Interpolated Markov chains over bases: what neighbouring bases tell about one, by counting.
//
// A context is a run of known bases that touches the base in question; contexts grow base by base, and each level is
// interpolated with the one below:
//   p_k(x | c_k) = (n(c_k x) + a p_{k-1}(x | c_{k-1})) / (n(c_k) + a),   p_{-1} = 1/4
// where a depends on the level and on how often the context was seen, and is fitted by leaving out one occurrence of
// each of a sample of the training positions. Causal chains grow to the left. Two-sided ones multiply a chain from each
// side and one that grows on both sides in turn, with exponents fitted in the same way.
//
// Text is counted on both strands. A corpus that holds the same sequence several times (repeats, both strands) would
// make chains believe what they saw once: counts are divided by the multiplicity, the median over a sample of 24-mers.
#ifndef GW_MEASURE_MARKOV_H
#define GW_MEASURE_MARKOV_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MARKOV_ORDER = 12, GW_MARKOV_MOST_ORDER = 13 };

typedef enum { GW_MARKOV_CAUSAL, GW_MARKOV_TWO_SIDED, GW_MARKOV_KINDS } gw_markov_kind;

typedef struct gw_markov gw_markov;

// 4/3 * 4^(order + 2) bytes: 0.36 GB for order 12, 1.4 GB for order 13.
gw_status gw_markov_new(int order, gw_markov **out) GW_MUST_CHECK;
void gw_markov_free(gw_markov *markov);
// 0 to 3 for A, C, G, T, else 4: the codes that the functions below take.
uint8_t gw_base_code(char base);
// Counts a stretch of text on both strands; anything but 0 to 3 interrupts it.
gw_status gw_markov_add(gw_markov *markov, const uint8_t *code, int64_t length) GW_MUST_CHECK;
// After the last text: fits the interpolation. Fails where nothing was counted.
gw_status gw_markov_fit(gw_markov *markov) GW_MUST_CHECK;
double gw_markov_multiplicity(const gw_markov *markov); // of the text, after the fit

// Probabilities of the four bases at code[at], from the codes around it (code[at] itself is not read); `end` is
// where the known bases on the right end (at + 1: none are known).
void gw_markov_predict(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t at, int64_t end,
                       double p[4]);
// -log2 of the probability of the span code[begin, end), its bases in turn from the left: each knows those to its left,
// and in a two-sided chain the last one also knows those right of the span. `length`: of the text. The span has no N.
double gw_markov_bits(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t length, int64_t begin,
                      int64_t end);

#endif
