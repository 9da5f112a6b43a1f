// SPDX-License-Identifier: MIT
// What godwit graph prints and draws, a file each.
#ifndef GW_TOOLS_GRAPH_GRAPH_PARTS_H
#define GW_TOOLS_GRAPH_GRAPH_PARTS_H

#include "base/status.h"
#include "graph/pattern.h"
#include "model/mixer.h"
#include "nn/sbm.h"

#include <stdbool.h>
#include <stdint.h>

// graph_curves.c: path length, clustering and spectral gap against the number of nodes, for random graphs and a pattern
// side by side.

// Prints the table and the fits a + b ln n, and draws them, to `path` (.png or .svg).
gw_status gw_graph_curves(const char *path, const gw_pattern *pattern) GW_MUST_CHECK;

// graph_picture.c: the picture of an attention graph: which key blocks each query block reads, coloured by the part of
// the pattern.

// full: the input is short enough for full attention. sampled: what the pattern does not say was drawn by a model. At
// most 4,000 blocks.
gw_status gw_graph_picture(const char *path, const char *title, const gw_pattern *pattern, bool full, bool sampled,
                           const gw_graph *graph) GW_MUST_CHECK;

// graph_sampled.c: the graph that a model which samples its own draws of a region (docs/background/sbm.md).

typedef struct {
    const char *model, *fasta, *region; // folder, genome and chr:beg-end
    int layer, head;                    // from 0
} gw_graph_sampled_options;

// What is drawn of a layer and head: the model's pattern, what of it stands in any graph, its graph as one of blocks of
// a token, and memberships.
typedef struct {
    const char *spec;
    gw_pattern pattern;
    gw_graph graph;
    const gw_memberships *memberships;
} gw_graph_of_model;

// Runs the model on the region as one window, and hands over what it drew, which lasts as long as the call.
gw_status gw_graph_sampled(const gw_graph_sampled_options *options,
                           gw_status (*use)(void *context, const gw_graph_of_model *drawn),
                           void *context) GW_MUST_CHECK;

// Memberships of queries and keys in the clusters of a head as a picture (Cho et al., 2022,
// figures 3 and 5).

// Rows are clusters, first those of queries (Y), then those of keys (Z), columns tokens. At most 500 clusters.
gw_status gw_memberships_picture(const char *path, int layer, int head,
                                 const gw_memberships *memberships) GW_MUST_CHECK;

// graph_structure.c: what reads what by the structure of a document.

typedef struct {
    const char *spec, *structure; // a pattern with global tokens beside the text; JSON (docs/reference/patterns.md)
    const char *picture;          // .png or .svg, or NULL
    bool rows;                    // a line for each row and why it reads what, instead of measures
} gw_graph_structure_options;
gw_status gw_graph_structure(const gw_graph_structure_options *options) GW_MUST_CHECK;

#endif
