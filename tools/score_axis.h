// SPDX-License-Identifier: MIT
// What pictures say of an INFO key of scores.
#ifndef GW_TOOLS_SCORE_AXIS_H
#define GW_TOOLS_SCORE_AXIS_H

#include "base/string.h"
#include "tools/picture/picture.h"

#include <stdbool.h>

typedef struct {
    const char *measure;       // NULL: unknown
    const char *above, *below; // what values above and below 0 mean; NULL: there are none to tell apart
} gw_score_axis;

// By the key's name without its tag: LLR for GW_LLR. numbers: of a model of measured numbers, such as expression.
gw_score_axis gw_score_axis_of(const char *key, bool numbers);
// Appends "KEY (measure)".
void gw_score_axis_label(gw_string *out, const char *key, bool numbers);

// Delta scores of splicing that SpliceAI's authors name: from these on they are called so.
enum { GW_SPLICE_LINES = 3 };
extern const gw_picture_line gw_splice_lines[GW_SPLICE_LINES];
bool gw_score_is_splicing(const char *key); // a key that these lines are of

#endif
