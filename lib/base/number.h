// SPDX-License-Identifier: MIT
// Helpers for numbers: the smaller and the larger of two, remainders, and search in sorted arrays.
#ifndef GW_BASE_NUMBER_H
#define GW_BASE_NUMBER_H

#include <stdint.h>

static inline int64_t gw_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t gw_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// The remainder of a by n > 0 in [0, n), of a negative a too.
static inline int64_t gw_modulo(int64_t a, int64_t n) {
    return ((a % n) + n) % n;
}

// Binary search: the first index i in [0, count) where `holds`, an expression of i, is false, or count where it is true
// of all. It must be true of a first part of the indices and false of the rest:
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
