// SPDX-License-Identifier: MIT
// That the sharing of gw_splice_exact_run(), or of a gw_base_network, changes nothing: some of its windows once more,
// as a whole.
#ifndef GW_SCORE_SPLICE_CHECK_H
#define GW_SCORE_SPLICE_CHECK_H

#include "network/base_network.h"

// Compares the rows of the first window of ALT, and of the first whose length is another than REF's, and REF's rows
// beside them, with those that gw_base_network_run() makes: a difference beyond docs/numerics.md's bound is an error.
// flank: of the windows.
gw_status gw_splice_check(gw_model *model, int64_t flank, const gw_labelling_window *windows,
                          int64_t count) GW_MUST_CHECK;

#endif
