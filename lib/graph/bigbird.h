// SPDX-License-Identifier: MIT
// numpy's legacy random numbers (numpy.random.seed and permutation), bit for bit. transformers' tables of random blocks
// are permutations of this generator.
#ifndef GW_GRAPH_BIGBIRD_H
#define GW_GRAPH_BIGBIRD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_NUMPY_WORDS = 624 };

typedef struct {
    uint32_t word[GW_NUMPY_WORDS];
    int used; // words used since the last refill
} gw_numpy_random;

void gw_numpy_seed(gw_numpy_random *random, uint32_t seed);
uint32_t gw_numpy_u32(gw_numpy_random *random);
// Uniform in [0, max], both included; max = 0 draws nothing.
uint32_t gw_numpy_interval(gw_numpy_random *random, uint32_t max);
// Permutes values[count] in place.
void gw_numpy_shuffle(gw_numpy_random *random, int32_t *values, int count);

// The random blocks of BigBird's two implementations: transformers' modeling_big_bird.py in training mode, and
// google-research/bigbird, core/attention.py.

// The tables of a layer depend on these values.
typedef struct {
    int block;             // tokens
    int blocks;            // blocks of the padded input
    int random;            // random blocks a row
    int layer, heads;      // the layer is the seed
    int64_t max_positions; // of the model
    bool google;           // google-research/bigbird's tables
} gw_bigbird_shape;

// Fails if neither implementation can compute: no random blocks, or an input longer than the model.
gw_status gw_bigbird_check(const gw_bigbird_shape *shape) GW_MUST_CHECK;

// Sets *table to the random blocks of rows 1 .. blocks - 2, [heads][blocks - 2][random]; free() it. Fails if the
// implementation would fail: see gw_bigbird_check(); too few blocks for its rows; a row with too few candidates; a
// block past the end of the input.
gw_status gw_bigbird_table(const gw_bigbird_shape *shape, int32_t **table) GW_MUST_CHECK;

#endif
