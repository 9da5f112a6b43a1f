// SPDX-License-Identifier: MIT
// Attention patterns: spec text -> block graphs.
//
// A spec is a list of parts joined by '+', each `name[:number]`, in any order, none twice:
//   window[:W]  blocks i - W/2 .. i + W/2 (W odd, 3)
//   global[:G]  ITC globals: the first ceil(G/2) and last floor(G/2) blocks, as rows and as columns (2, as BigBird)
//   random[:R]  R random blocks a row, distinct and not among the row's other blocks (3)
//   full        every block
//   block:N     tokens a block (64);   seed:N  of the random blocks (0)
// Aliases: longformer = window+global, and itc = window:3+global:2+random:3 with the random tables of transformers in
// training mode: drawn for all heads of a layer from one numpy generator whose seed is the layer, and so that a block
// may be listed twice (random and window); each listing counts in the softmax.
//
// An input of n = ceil(tokens / block) blocks gets full attention where n <= 5 + 2 R (itc, transformers' rule) or
// n < W + G + R (others: a row could not have that many distinct blocks), decided per input, never remembered.
#ifndef GW_GRAPH_PATTERN_H
#define GW_GRAPH_PATTERN_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int block;  // tokens a block
    int window; // blocks, odd; 0: none
    int global; // blocks; 0: none
    int random; // blocks a row; 0: none
    bool full;
    bool huggingface; // itc: the random tables of transformers' modeling_big_bird (numpy's legacy generator)
    uint64_t seed;    // of random blocks where huggingface is false
} gw_pattern;

// Reads a spec; the message names the part that is wrong and lists what is known.
gw_status gw_pattern_parse(const char *spec, gw_pattern *out) GW_MUST_CHECK;
// The spec that parses to this pattern; free() it.
char *gw_pattern_text(const gw_pattern *pattern);
// Blocks of an input, ceil(tokens / block), and whether it gets full attention.
int64_t gw_pattern_blocks(const gw_pattern *pattern, int64_t tokens);
bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens);

// Why row `row` of `blocks` reads block `column`: what the first matching part of window, global, random is.
typedef enum { GW_PART_WINDOW, GW_PART_GLOBAL, GW_PART_RANDOM } gw_part;
gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column);

// The graph of one layer and head for `tokens` tokens; free with gw_graph_free(). max_positions is the model's
// (transformers' fixed plan draws for 4,096 tokens); heads is the model's number of heads, since all heads of a layer
// draw from one stream.
gw_status gw_pattern_graph(const gw_pattern *pattern, int64_t tokens, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) GW_MUST_CHECK;
// The same for all heads of a layer at once: graphs[heads] of the caller, each freed with gw_graph_free().
gw_status gw_pattern_layer(const gw_pattern *pattern, int64_t tokens, int layer, int heads, int64_t max_positions,
                           gw_graph **graphs) GW_MUST_CHECK;
void gw_graph_free(gw_graph *graph);

// The graphs that a model needs, made on demand and kept: one per distinct (blocks, layer, head). Short inputs share
// one full graph. Not thread-safe; results stay valid until the cache is freed.
typedef struct gw_graph_cache gw_graph_cache;
gw_status gw_graph_cache_new(const gw_pattern *pattern, int layers, int heads, int64_t max_positions,
                             gw_graph_cache **out) GW_MUST_CHECK;
// graphs[h * *step] is the graph of head h of this layer for an input of `tokens` tokens.
gw_status gw_graph_cache_get(gw_graph_cache *cache, int64_t tokens, int layer, const gw_graph *const **graphs,
                             int *step) GW_MUST_CHECK;
void gw_graph_cache_free(gw_graph_cache *cache);

#endif
