// SPDX-License-Identifier: MIT
// Stretches of high contribution, by tangermeme's recursive rule.
//
// Contributions are put into bins of equal width, from the smallest to the largest. The null is independent draws from
// the histogram of all bins: p of a span is the share of sums of as many draws that are at least its own sum. A seqlet
// is a span whose p, and that of every span within it of at least the shortest length, lies below the threshold (for a
// start the largest p over its ends so far counts). Longer ones are taken first, then those of lower p; none overlap.
// Seqlets of negative contributions are those of the negated ones that do not overlap a positive one.
#ifndef GW_SCORE_SEQLETS_H
#define GW_SCORE_SEQLETS_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    double threshold;          // of p
    int64_t shortest, longest; // bases
} gw_seqlet_options;
#define GW_SEQLET_DEFAULTS ((gw_seqlet_options){0.01, 4, 25})

typedef struct {
    int64_t sequence, begin, end;
    double sum, p; // of contributions; of its span
} gw_seqlet;

typedef struct {
    gw_seqlet *items;
    int64_t count, capacity;
} gw_seqlets;

// Appends the seqlets of sequences, values[i] [lengths[i]]: the positive ones from the lowest p on, then the negative
// ones, whose sums are negative. What is not finite counts as 0.
gw_status gw_seqlets_find(const float *const *values, const int64_t *lengths, int64_t count,
                          const gw_seqlet_options *options, gw_seqlets *out) GW_MUST_CHECK;
void gw_seqlets_free(gw_seqlets *seqlets);

#endif
