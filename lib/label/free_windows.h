// SPDX-License-Identifier: MIT
// Uniform draws of windows that lie inside zones of a genome and touch none of its obstacles.
#ifndef GW_LABEL_FREE_WINDOWS_H
#define GW_LABEL_FREE_WINDOWS_H

#include "base/random.h"
#include "base/status.h"
#include "seq/genome/regions.h"

#include <stdint.h>

typedef struct {
    gw_regions gaps;        // free stretches of at least `width` bp, by contig and begin
    int64_t *starts_before; // [gaps.count + 1] window starts in earlier gaps
    int64_t width;          // bp of a window
} gw_free_windows;

// Zones and obstacles are merged regions.
gw_status gw_free_windows_find(gw_free_windows *windows, const gw_regions *zones, const gw_regions *obstacles,
                               int64_t width) GW_MUST_CHECK;
int64_t gw_free_windows_count(const gw_free_windows *windows); // of different starts
// One of them (there must be one), every start equally likely.
void gw_free_windows_draw(const gw_free_windows *windows, gw_random *random, int *contig, int64_t *begin);
void gw_free_windows_free(gw_free_windows *windows);

#endif
