// SPDX-License-Identifier: MIT
// The order of examples: a permutation of [0, count) that is computed, not stored.
#ifndef GW_DATA_SHUFFLE_H
#define GW_DATA_SHUFFLE_H

#include <stdint.h>

// The example that stands at `position` of this epoch's order. For each (seed, epoch) the map is one-to-one on [0,
// count); 0 <= position < count < 2^62.
int64_t gw_shuffle(uint64_t seed, uint64_t epoch, int64_t count, int64_t position);

#endif
