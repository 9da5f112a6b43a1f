// SPDX-License-Identifier: MIT
// The order of examples: a permutation of [0, count) that is computed, not stored.
#ifndef GW_DATA_SHUFFLE_H
#define GW_DATA_SHUFFLE_H

#include <stdint.h>

// The example that stands at `position` of this epoch's order. For each (seed, epoch) the map is one-to-one on [0,
// count); 0 <= position < count < 2^62.
int64_t gw_shuffle(uint64_t seed, uint64_t epoch, int64_t count, int64_t position);

// Steps that take `batch` examples of an epoch's order each; the last one of an epoch may take fewer.
typedef struct {
    uint64_t seed;
    int64_t examples, batch;
} gw_epochs;
int64_t gw_epochs_steps(const gw_epochs *epochs);                           // of an epoch
int64_t gw_epochs_count(const gw_epochs *epochs, int64_t step);             // examples of a step of the run
int64_t gw_epochs_number(const gw_epochs *epochs, int64_t step, int64_t i); // of the step's example i in the run
int64_t gw_epochs_at(const gw_epochs *epochs, int64_t step, int64_t i);     // which example that is

#endif
