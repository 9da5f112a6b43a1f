// SPDX-License-Identifier: MIT
// What pictures say of an INFO key of scores.
#ifndef GW_TOOLS_SCORE_AXIS_H
#define GW_TOOLS_SCORE_AXIS_H

#include "base/string.h"

typedef struct {
    const char *unit;          // NULL: unknown
    const char *above, *below; // what values above and below 0 mean
} gw_score_axis;

// By the key's name without its tag: LLR for GW_LLR.
gw_score_axis gw_score_axis_of(const char *key);
// Appends "KEY (unit)".
void gw_score_axis_label(gw_string *out, const char *key);

#endif
