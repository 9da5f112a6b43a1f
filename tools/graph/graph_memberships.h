// SPDX-License-Identifier: MIT
// Memberships of queries and keys in the clusters of a head as a picture (Cho et al., 2022, figures 3 and 5).
#ifndef GW_TOOLS_GRAPH_GRAPH_MEMBERSHIPS_H
#define GW_TOOLS_GRAPH_GRAPH_MEMBERSHIPS_H

#include "nn/sbm.h"

// Rows are clusters, first those of queries (Y), then those of keys (Z), columns tokens. At most 500 clusters.
gw_status gw_memberships_picture(const char *path, int layer, int head,
                                 const gw_memberships *memberships) GW_MUST_CHECK;

#endif
