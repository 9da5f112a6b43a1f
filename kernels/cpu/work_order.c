// SPDX-License-Identifier: MIT
// A stable merge sort from the bottom up, which takes no memory of its own as qsort() does.
#include "kernels/cpu/work_order.h"

#include <stdbool.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// to[begin .. end) = the sorted runs [begin, middle) and [middle, end) of from, merged.
static void merge(gw_work_key *to, const gw_work_key *from, int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; i++) {
        const bool takes_left = left < middle && (right == end || from[left].cells >= from[right].cells);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count) {
    gw_work_key *from = key, *to = spare;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * run)
            merge(to, from, begin, least(begin + run, count), least(begin + 2 * run, count));
        gw_work_key *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != key) memcpy(key, from, (size_t)count * sizeof *key);
}
