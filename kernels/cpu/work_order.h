// SPDX-License-Identifier: MIT
// The order in which items of work start: falling in cells, so that long ones start first and no thread is left with
// one at the end; else as they stood.
#ifndef GW_KERNELS_CPU_WORK_ORDER_H
#define GW_KERNELS_CPU_WORK_ORDER_H

#include <stdint.h>

typedef struct {
    int64_t cells;
    int64_t index; // of the item
} gw_work_key;

// Sorts key[count]; spare[count] is memory for it.
void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count);

#endif
