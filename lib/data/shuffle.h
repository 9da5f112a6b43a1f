// SPDX-License-Identifier: MIT
// The order of examples: a permutation of [0, count) that is computed instead of stored.
#ifndef GW_DATA_SHUFFLE_H
#define GW_DATA_SHUFFLE_H

#include <stdint.h>

// The example at `position` in this epoch's order. The map is one-to-one on [0, count) for each (seed, epoch); 0 <=
// position < count < 2^62.
int64_t gw_shuffle(uint64_t seed, uint64_t epoch, int64_t count, int64_t position);

// Steps of `batch` examples each, in an epoch's order. The last step of an epoch may have fewer.
typedef struct {
    uint64_t seed;
    int64_t examples, batch;
} gw_epochs;
int64_t gw_epochs_steps(const gw_epochs *epochs);                           // steps of an epoch
int64_t gw_epochs_count(const gw_epochs *epochs, int64_t step);             // examples in a step of the run
int64_t gw_epochs_number(const gw_epochs *epochs, int64_t step, int64_t i); // number of the step's example i in the run
int64_t gw_epochs_at(const gw_epochs *epochs, int64_t step, int64_t i);     // index of this example

#endif
