// SPDX-License-Identifier: MIT
// A convolutional stem as a table and as a picture.
#ifndef GW_TOOLS_GRAPH_GRAPH_STEM_H
#define GW_TOOLS_GRAPH_GRAPH_STEM_H

#include "base/status.h"

#include <stdint.h>

// Prints a row for each part of the stem for a model of that width: what it is, the bases to a row of its result, the
// channels, and the bases that such a row depends on. `picture`: draws those last ones too; NULL: not.
gw_status gw_graph_stem(const char *text, int64_t width, const char *picture) GW_MUST_CHECK;

#endif
