// SPDX-License-Identifier: MIT
// numpy's legacy random numbers (numpy.random.seed and permutation), bit for bit: transformers' random tables are
// permutations of this generator.
#ifndef GW_GRAPH_NUMPY_RANDOM_H
#define GW_GRAPH_NUMPY_RANDOM_H

#include <stdint.h>

enum { GW_NUMPY_WORDS = 624 };

typedef struct {
    uint32_t word[GW_NUMPY_WORDS];
    int used; // words already given since the last refill
} gw_numpy_random;

void gw_numpy_seed(gw_numpy_random *random, uint32_t seed);
uint32_t gw_numpy_u32(gw_numpy_random *random);
// Uniform in [0, max], both included; max = 0 draws nothing.
uint32_t gw_numpy_interval(gw_numpy_random *random, uint32_t max);
// Permutes values[count] in place.
void gw_numpy_shuffle(gw_numpy_random *random, int32_t *values, int count);

#endif
