// SPDX-License-Identifier: MIT
// Graphs of sequences with global tokens beside their long ones (ETC, Ainslie et al., 2020; BigBird-ETC, appendix E).
//
// The global tokens are the first rows of a sequence and the long ones follow, in one packed order, so that one
// softmax of a row has keys of both kinds:
//   a long token reads long tokens at most `radius` from it, of its own part of the sequence where there are parts, and
//   every global token, or (own) those of its segment and those of none;
//   a global token reads every global token, and every long one, or (hard) those of its segment alone.
#ifndef GW_GRAPH_ETC_H
#define GW_GRAPH_ETC_H

#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int block; // tokens of a block of the graph; the pattern does not depend on it
    int64_t radius;
    bool hard, own;
} gw_etc_rules;

// Rows of one sequence; segments are counted from its first row.
typedef struct {
    int64_t rows, globals;
    const int32_t *segment_begin, *segment_end; // [globals] a begin below 0: of no segment, which reads all
    const int32_t *part;                        // [rows - globals] of the long tokens; NULL: one
} gw_etc_structure;

// Global tokens of so many long ones, one for each `segment` of these; where that makes more than `most`, segments are
// as much longer as they must be.
int64_t gw_etc_globals(int64_t longs, int64_t segment, int64_t most);
// The segments of those, [gw_etc_globals()] each, the last as long as what is left.
void gw_etc_segments(int64_t longs, int64_t segment, int64_t most, int32_t *begin, int32_t *end);

// Whether row i reads row j.
bool gw_etc_reads(const gw_etc_rules *rules, const gw_etc_structure *structure, int64_t i, int64_t j);
// The graph of a sequence. Free with gw_graph_free().
gw_status gw_etc_graph(const gw_etc_rules *rules, const gw_etc_structure *structure, gw_graph **out) GW_MUST_CHECK;

// Graphs of sequences with global tokens, each kept for the next sequence of its structure.

// Zero-initialise, set the rules. Free with gw_etc_graphs_free().
typedef struct {
    gw_etc_rules rules;
    const gw_backend *kernels; // whose ops read the graphs' arrays; NULL: the host reads them
    void *kept;                // a tree of search.h
    int64_t bytes;
} gw_etc_graphs;

// The graph of the structure, which is copied; *out lasts until gw_etc_graphs_forget().
gw_status gw_etc_graphs_get(gw_etc_graphs *graphs, const gw_etc_structure *structure,
                            gw_graph *const **out) GW_MUST_CHECK;
// Forgets all where they are more than so many bytes.
void gw_etc_graphs_forget(gw_etc_graphs *graphs, int64_t bytes);
void gw_etc_graphs_free(gw_etc_graphs *graphs);

#endif
