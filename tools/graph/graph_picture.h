// SPDX-License-Identifier: MIT
// The picture of an attention graph: which key blocks each query block reads, coloured by the part of the pattern.
#ifndef GW_TOOLS_GRAPH_GRAPH_PICTURE_H
#define GW_TOOLS_GRAPH_GRAPH_PICTURE_H

#include "base/status.h"
#include "graph/pattern.h"

#include <stdbool.h>

// full: the input is short enough for full attention. sampled: what the pattern does not say was drawn by a model. At
// most 4,000 blocks.
gw_status gw_graph_picture(const char *path, const char *title, const gw_pattern *pattern, bool full, bool sampled,
                           const gw_graph *graph) GW_MUST_CHECK;

#endif
