// SPDX-License-Identifier: MIT
// The lower case of a whole text, in which a capital sigma depends on what stands around it.
#ifndef GW_TEXT_LOWER_TEXT_H
#define GW_TEXT_LOWER_TEXT_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    uint32_t *point; // [count] code points
    int64_t count, capacity;
} gw_points;
void gw_points_free(gw_points *text);

// The code points of the lower case of a text, which is valid UTF-8, as Python's str.lower() has it: the mappings of
// Unicode's SpecialCasing.txt that hold in any language, with the final sigma (Unicode 3.13, Final_Sigma). `out` is
// zero-initialised; free it, also after failure.
gw_status gw_lower_text(const char *text, gw_points *out) GW_MUST_CHECK;

#endif
