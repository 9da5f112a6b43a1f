// SPDX-License-Identifier: MIT
// Which sites of single bases share a window: neighbours whose bases are masked at the same time.
#ifndef GW_SCORE_LLR_SHARE_H
#define GW_SCORE_LLR_SHARE_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    int contig;
    int64_t position; // 0-based
    int64_t allele;   // of the caller
    int64_t group;    // scratch
} gw_shared_site;

// A window of some sites, all of one contig: sites [first, first + count) of the array.
typedef struct {
    int64_t middle; // position around which it is to lie
    int64_t first, count;
} gw_shared_window;

typedef struct {
    int64_t span;  // from the first to the last site of a window, bp at most
    int64_t apart; // two positions of a window are so many bp apart at least
    int64_t most;  // sites of a window
} gw_share_options;

// Sorts the sites by their windows, in a window by position; sites of one position are in the same window. windows has
// room for `count`. Which sites share one does not depend on the order in which they are given.
gw_status gw_share_windows(gw_shared_site *sites, int64_t count, const gw_share_options *options,
                           gw_shared_window *windows, int64_t *window_count) GW_MUST_CHECK;

#endif
