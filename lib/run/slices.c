// SPDX-License-Identifier: MIT
// Every rank knows all slices, and so what each of them gives and takes.
#include "run/slices.h"

#include "base/memory.h"
#include "run/ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 16 };

gw_slice gw_slice_of_rank(int64_t floats, int rank, int ranks) {
    const int64_t steps = (floats + ALIGNED - 1) / ALIGNED, end = steps * (rank + 1) / ranks * ALIGNED;
    return (gw_slice){steps * rank / ranks * ALIGNED, end < floats ? end : floats};
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// What of [begin, begin + count) is in a slice.
static gw_slice meet(gw_slice slice, int64_t begin, int64_t count) {
    const int64_t end = least(slice.end, begin + count);
    if (begin > slice.begin) slice.begin = least(begin, slice.end);
    slice.end = end > slice.begin ? end : slice.begin;
    return slice;
}

static gw_slice own_slice(int64_t floats) {
    return gw_slice_of_rank(floats, gw_rank(), gw_rank_count());
}

// Each turn brings so many numbers of every slice; those of a slice that has ended are not read.
void gw_slices_gather(float *whole, int64_t floats, float *piece) {
    const int ranks = gw_rank_count();
    const gw_slice own = own_slice(floats);
    const int64_t each = GW_SLICE_PIECE / (ranks + 1);
    const int64_t longest = (floats / ALIGNED / ranks + 2) * ALIGNED;
    if (ranks == 1) return;
    float *mine = piece + ranks * each;
    for (int64_t at = 0; at < longest; at += each) {
        const gw_slice out = meet(own, own.begin + at, each);
        memcpy(mine, whole + out.begin, (size_t)(out.end - out.begin) * sizeof *mine);
        gw_ranks_gather(mine, each * (int64_t)sizeof *mine, piece);
        for (int r = 0; r < ranks; r++) {
            const gw_slice theirs = gw_slice_of_rank(floats, r, ranks), in = meet(theirs, theirs.begin + at, each);
            memcpy(whole + in.begin, piece + r * each, (size_t)(in.end - in.begin) * sizeof *piece);
        }
    }
}

// Bytes [at[r], at[r + 1]) of the range are rank r's.
static int64_t *list_bytes(int64_t floats, int64_t begin, int64_t count) {
    int64_t *at = gw_alloc((int64_t)gw_rank_count() + 1, sizeof *at);
    if (!at) gw_ranks_abort();
    for (int r = 0; r < gw_rank_count(); r++) {
        const gw_slice part = meet(gw_slice_of_rank(floats, r, gw_rank_count()), begin, count);
        at[r + 1] = at[r] + (part.end - part.begin) * (int64_t)sizeof(float);
    }
    return at;
}

// All but one rank give, or take, nothing; that one trades with all.
static void trade_with_first(const float *out, float *in, int64_t floats, int64_t begin, int64_t count, bool collects) {
    const int ranks = gw_rank_count();
    const gw_slice mine = meet(own_slice(floats), begin, count);
    int64_t *of_all = list_bytes(floats, begin, count), *of_one = gw_alloc((int64_t)ranks + 1, sizeof *of_one);
    if (!of_one) gw_ranks_abort();
    for (int r = 0; r < ranks; r++) of_one[r + 1] = (mine.end - mine.begin) * (int64_t)sizeof(float);
    if (!gw_is_first_rank()) memset(of_all, 0, (size_t)(ranks + 1) * sizeof *of_all);
    if (collects) gw_ranks_trade(out, of_one, in, of_all);
    else gw_ranks_trade(out, of_all, in, of_one);
    free(of_all);
    free(of_one);
}

void gw_slices_collect(const float *own, int64_t floats, int64_t begin, int64_t count, float *to) {
    const gw_slice slice = own_slice(floats), mine = meet(slice, begin, count);
    const float *out = own + (mine.begin - slice.begin);
    if (gw_rank_count() == 1) memcpy(to, out, (size_t)count * sizeof *to);
    else trade_with_first(out, to, floats, begin, count, true);
}

void gw_slices_spread(float *own, int64_t floats, int64_t begin, int64_t count, const float *from) {
    const gw_slice slice = own_slice(floats), mine = meet(slice, begin, count);
    float *in = own + (mine.begin - slice.begin);
    if (gw_rank_count() == 1) memcpy(in, from, (size_t)count * sizeof *in);
    else trade_with_first(from, in, floats, begin, count, false);
}
