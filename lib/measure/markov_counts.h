// SPDX-License-Identifier: MIT
// What Markov chains are made of: counts of m-mers on both strands, a sample of positions, and how often the text
// repeats itself.
#ifndef GW_MEASURE_MARKOV_COUNTS_H
#define GW_MEASURE_MARKOV_COUNTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GW_MARKOV_MOST_ORDER = 13,
    GW_MARKOV_REACH = GW_MARKOV_MOST_ORDER
}; // bases on either side that a prediction can read

// A base in the middle of its neighbours; 4 where none is known.
typedef struct {
    uint8_t code[2 * GW_MARKOV_REACH + 1];
} gw_base_window;

typedef struct {
    int longest;                                // m-mers of length 1 to longest are counted
    uint32_t *table[GW_MARKOV_MOST_ORDER + 2];  // [m] -> [4^m]; the first base of the m-mer is in the highest bits
    gw_base_window *samples;                    // of every sample_stride-th base
    int64_t sample_count, sample_stride, bases; // bases: of the text, one strand
    uint64_t *marks;                            // hashes, at most mark_limit, of 24-mers alike on both strands
    int64_t mark_count;
    uint64_t mark_limit;
} gw_markov_counts;

gw_status gw_markov_counts_make(gw_markov_counts *counts, int longest) GW_MUST_CHECK;
void gw_markov_counts_free(gw_markov_counts *counts);
gw_status gw_markov_counts_add(gw_markov_counts *counts, const uint8_t *code, int64_t length) GW_MUST_CHECK;
// Median number of times that a sampled 24-mer occurs, at least 1. Sorts the marks.
double gw_markov_counts_multiplicity(gw_markov_counts *counts);

// The window around code[at]: left neighbours from code[begin] on, right ones before code[end].
gw_base_window gw_base_window_at(const uint8_t *code, int64_t begin, int64_t at, int64_t end);
// Counts of `left` bases, x, `right` bases for the four x in the middle of the window. False where one of the
// neighbours is not known.
bool gw_markov_counts_get(const gw_markov_counts *counts, const gw_base_window *window, int left, int right,
                          double n[4]);

#endif
