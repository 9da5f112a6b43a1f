// SPDX-License-Identifier: MIT
// Graphs of sequences with global tokens beside their long tokens (ETC, Ainslie et al., 2020; BigBird-ETC, appendix E).
//
// The first rows of a sequence are the global tokens; the long tokens follow. A softmax therefore covers keys of both
// kinds:
//   a long token reads long tokens at most `radius` away, within its part of the sequence, and every global token, or
//   (own) only those of its segment and those without a segment;
//   a global token reads every global token, and every long token, or (hard) only those of its segment.
#ifndef GW_GRAPH_ETC_H
#define GW_GRAPH_ETC_H

#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int block; // tokens of a block of the graph; does not change the pattern
    int64_t radius;
    bool hard, own;
} gw_etc_rules;

// Rows of one sequence. Segments are counted from its first row.
typedef struct {
    int64_t rows, globals;
    const int32_t *segment_begin, *segment_end; // [globals] begin below 0: no segment; reads all
    const int32_t *part;                        // [rows - globals] part of each long token; NULL: one part
} gw_etc_structure;

// The number of global tokens for `longs` long tokens, one for each `segment` of these. If there are more than `most`,
// segments become longer.
int64_t gw_etc_globals(int64_t longs, int64_t segment, int64_t most);
// The segments of these, [gw_etc_globals()] each. The last segment may be shorter.
void gw_etc_segments(int64_t longs, int64_t segment, int64_t most, int32_t *begin, int32_t *end);

// Whether row i reads row j.
bool gw_etc_reads(const gw_etc_rules *rules, const gw_etc_structure *structure, int64_t i, int64_t j);
// Makes the graph of a sequence. Free it with gw_graph_free().
gw_status gw_etc_graph(const gw_etc_rules *rules, const gw_etc_structure *structure, gw_graph **out) GW_MUST_CHECK;

// Graphs of sequences with global tokens. Each graph is kept for later sequences of the same structure.

// Zero-initialise and set the rules. Free with gw_etc_graphs_free().
typedef struct {
    gw_etc_rules rules;
    const gw_backend *kernels; // ops of this backend read the graphs' arrays; NULL: the host reads them
    void *kept;                // a tree of search.h
    int64_t bytes;
} gw_etc_graphs;

// Sets *out to the graph of the structure, which is copied. *out is valid until gw_etc_graphs_forget().
gw_status gw_etc_graphs_get(gw_etc_graphs *graphs, const gw_etc_structure *structure,
                            gw_graph *const **out) GW_MUST_CHECK;
// Removes all graphs if they take more than `bytes` bytes.
void gw_etc_graphs_forget(gw_etc_graphs *graphs, int64_t bytes);
void gw_etc_graphs_free(gw_etc_graphs *graphs);

#endif
