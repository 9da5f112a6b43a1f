// SPDX-License-Identifier: MIT
// The smaller and the larger of two numbers, remainders, and search in sorted arrays.
#ifndef GW_BASE_NUMBER_H
#define GW_BASE_NUMBER_H

#include <stdint.h>

static inline int64_t gw_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t gw_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// The remainder of a divided by n > 0, in [0, n), also for negative a.
static inline int64_t gw_modulo(int64_t a, int64_t n) {
    return ((a % n) + n) % n;
}

// Binary search. Returns the first index i in [0, count) for which the expression `holds` is false, or count if `holds`
// is true for all. `holds` must be true up to some index and false behind it:
//     at = GW_FIRST_NOT(i, count, blocks[i].end <= position);     // the first block that ends behind position
#define GW_FIRST_NOT(i, count, holds)                                                                                  \
    ({                                                                                                                 \
        int64_t gw_low = 0, gw_high = (count);                                                                         \
        while (gw_low < gw_high) {                                                                                     \
            const int64_t i = gw_low + (gw_high - gw_low) / 2;                                                         \
            if (holds) gw_low = i + 1;                                                                                 \
            else gw_high = i;                                                                                          \
        }                                                                                                              \
        gw_low;                                                                                                        \
    })

#endif
