// SPDX-License-Identifier: MIT
// An array that is split over the ranks: rank r of R keeps numbers [n r / R, n (r + 1) / R) of n, in steps of 16, so
// that vectors of any processor begin where they do in the whole. One rank alone keeps it all.
#ifndef GW_RUN_SLICES_H
#define GW_RUN_SLICES_H

#include <stdint.h>

typedef struct {
    int64_t begin, end;
} gw_slice;

enum { GW_SLICE_PIECE = 1 << 20 }; // floats that are moved at a time, for which the caller has memory

gw_slice gw_slice_of_rank(int64_t floats, int rank, int ranks);

// All ranks make these calls. `piece` has GW_SLICE_PIECE floats; `own` is this rank's slice.

// Whole arrays, of which each rank has its slice right: the others' come in.
void gw_slices_gather(float *whole, int64_t floats, float *piece);
// Numbers [begin, begin + count) come to rank 0; `to` is read of no other. At most GW_SLICE_PIECE of them.
void gw_slices_collect(const float *own, int64_t floats, int64_t begin, int64_t count, float *to);
// The other way: from rank 0 to those that keep them.
void gw_slices_spread(float *own, int64_t floats, int64_t begin, int64_t count, const float *from);

#endif
