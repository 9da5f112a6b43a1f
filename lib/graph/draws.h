// SPDX-License-Identifier: MIT
// Draws that sampled graphs are made of: one of many with given weights, and a count with a given mean.
#ifndef GW_GRAPH_DRAWS_H
#define GW_GRAPH_DRAWS_H

#include "base/random.h"

#include <stdint.h>

// An alias table (Walker, 1977, as made by Vose, 1991): item i in constant time with probability weight[i] / their sum.
// Thresholds have 32 bits. The memory is the caller's.
typedef struct {
    int64_t count;
    double total;   // sum of the weights; 0: nothing can be drawn
    uint32_t *keep; // [count]
    int32_t *other; // [count]
} gw_alias;

// Of weights that stand `stride` apart, none negative; share [count] and stack [count] are worked in.
void gw_alias_make(gw_alias *table, const float *weight, int64_t stride, double *share, int32_t *stack);
int64_t gw_alias_draw(const gw_alias *table, gw_random *random);

// Uniform in (0, 1) with 53 bits.
double gw_random_open(gw_random *random);
// A Poisson number of that mean: below 10 by products of uniform numbers, from there on by transformed rejection
// (Hoermann, 1993, algorithm PTRS).
int64_t gw_random_poisson(gw_random *random, double mean);

#endif
