// SPDX-License-Identifier: MIT
// The first bases of the piece that begins later are searched in the other one; each hit is checked to the end of the
// overlap. Random text fails after a base or two, so the search is what costs.
#include "data/overlap.h"

#include <string.h>

// An overlap that begins where b begins.
static bool begins_inside(const char *a, int64_t a_length, const char *b, int64_t b_length, int64_t shortest) {
    const char *end = a + a_length;
    for (const char *at = a; end - at >= shortest; at++) {
        at = memmem(at, (size_t)(end - at), b, (size_t)shortest);
        if (!at) return false;
        const int64_t common = end - at < b_length ? end - at : b_length;
        if (memcmp(at, b, (size_t)common) == 0) return true;
    }
    return false;
}

bool gw_texts_overlap(const char *a, int64_t a_length, const char *b, int64_t b_length) {
    int64_t shortest = a_length < b_length ? a_length : b_length;
    if (shortest > GW_SHORTEST_OVERLAP) shortest = GW_SHORTEST_OVERLAP;
    if (shortest == 0) return false;
    return begins_inside(a, a_length, b, b_length, shortest) || begins_inside(b, b_length, a, a_length, shortest);
}
