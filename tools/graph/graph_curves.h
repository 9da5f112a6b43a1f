// SPDX-License-Identifier: MIT
// Path length, clustering and spectral gap against the number of nodes, for random graphs and a pattern side by side.
#ifndef GW_TOOLS_GRAPH_GRAPH_CURVES_H
#define GW_TOOLS_GRAPH_GRAPH_CURVES_H

#include "graph/pattern.h"

// Prints the table and the fits a + b ln n, and draws them, to `path` (.png or .svg).
gw_status gw_graph_curves(const char *path, const gw_pattern *pattern) GW_MUST_CHECK;

#endif
