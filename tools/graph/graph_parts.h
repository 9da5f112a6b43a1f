// SPDX-License-Identifier: MIT
// The outputs of godwit graph, one file each.
#ifndef GW_TOOLS_GRAPH_GRAPH_PARTS_H
#define GW_TOOLS_GRAPH_GRAPH_PARTS_H

#include "base/status.h"
#include "graph/pattern.h"
#include "model/mixer.h"
#include "nn/sbm.h"

#include <stdbool.h>
#include <stdint.h>

// graph_curves.c: path length, clustering and spectral gap as functions of the number of nodes, for random graphs and a
// pattern.

// Prints the table and the fits a + b ln n, and draws them to `path` (.png or .svg).
gw_status gw_graph_curves(const char *path, const gw_pattern *pattern) GW_MUST_CHECK;

// graph_picture.c: the picture of an attention graph. It shows the key blocks that each query block reads, coloured by
// the part of the pattern.

// full: the input is short enough for full attention. sampled: a model sampled the part of the graph that the pattern
// does not fix. At most 4,000 blocks.
gw_status gw_graph_picture(const char *path, const char *title, const gw_pattern *pattern, bool full, bool sampled,
                           const gw_graph *graph) GW_MUST_CHECK;

// graph_sampled.c: the graph of a region, from a model that samples its graphs (docs/background/sbm.md).

typedef struct {
    const char *model, *fasta, *region; // folder, genome and chr:beg-end
    int layer, head;                    // from 0
} gw_graph_sampled_options;

// The data of a layer and head: the model's pattern, the part of the pattern that is in every graph, the sampled graph
// with blocks of one token, and memberships.
typedef struct {
    const char *spec;
    gw_pattern pattern;
    gw_graph graph;
    const gw_memberships *memberships;
} gw_graph_of_model;

// Runs the model on the region as one window, and passes the sampled data to `use`. The data are valid during the call
// only.
gw_status gw_graph_sampled(const gw_graph_sampled_options *options,
                           gw_status (*use)(void *context, const gw_graph_of_model *drawn),
                           void *context) GW_MUST_CHECK;

// Draws the memberships of queries and keys in the clusters of a head (Cho et al., 2022, figures 3 and 5).

// Rows are clusters: first the clusters of queries (Y), then the clusters of keys (Z). Columns are tokens. At most 500
// clusters.
gw_status gw_memberships_picture(const char *path, int layer, int head,
                                 const gw_memberships *memberships) GW_MUST_CHECK;

// graph_structure.c: the tokens that each token reads, given the structure of a document.

typedef struct {
    const char *spec, *structure; // a pattern with global tokens beside the text; JSON (docs/reference/patterns.md)
    const char *picture;          // .png or .svg, or NULL
    bool rows;                    // one line for each row with its reasons, instead of measures
} gw_graph_structure_options;
gw_status gw_graph_structure(const gw_graph_structure_options *options) GW_MUST_CHECK;

#endif
