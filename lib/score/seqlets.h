// SPDX-License-Identifier: MIT
// Stretches of high contribution, by tangermeme's recursive rule.
//
// Contributions are put into bins of equal width, from the smallest to the largest. The null model draws independently
// from the histogram of all bins. The p of a span is the probability that as many draws have at least its sum. A seqlet
// is a span with p below the threshold, for which all inner spans of at least the shortest length have a p below it too
// (for each start, the largest p over its ends so far counts). Longer seqlets are taken first, then those with lower p.
// Seqlets do not overlap. Negative seqlets are found in the negated contributions, and do not overlap positive ones.
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
    double sum, p; // of contributions; of the span
} gw_seqlet;

typedef struct {
    gw_seqlet *items;
    int64_t count, capacity;
} gw_seqlets;

// Appends the seqlets of sequences, values[i] [lengths[i]]: first positive ones by ascending p, then negative ones,
// with negative sums. Values that are not finite count as 0.
gw_status gw_seqlets_find(const float *const *values, const int64_t *lengths, int64_t count,
                          const gw_seqlet_options *options, gw_seqlets *out) GW_MUST_CHECK;
void gw_seqlets_free(gw_seqlets *seqlets);

#endif
