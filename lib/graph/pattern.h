// SPDX-License-Identifier: MIT
// Attention patterns: spec text -> block graphs.
//
// A spec is a list of parts joined by '+', each `name[:number]`, in any order, with optional `block:N` (64) and
// `seed:N`:
//   window:W    blocks i - W/2 .. i + W/2 (W odd)
//   global:G    ITC globals: the first ceil(G/2) and last floor(G/2) blocks, as rows and as columns (BigBird: 2)
//   random:R    R random blocks a row
//   full        every block
// Aliases: itc = window:3+global:2+random:3 by transformers' seeded tables per layer and head (seed = layer),
//   window = window:3, random = random:3, window+random, longformer = window + global, full.
// `itc` and any spec are full attention for inputs of at most (5 + 2 r) blocks (BigBird's rule; for other specs: where
// the pattern would not fit), decided per input length.
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
// True where an input of this many tokens gets full attention.
bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens);

// The graph of one layer and head for `tokens` tokens; free with gw_graph_free(). max_positions is the model's
// (transformers' fixed plan draws for 4,096 tokens); heads is the model's number of heads, since all heads of a layer
// draw from one stream.
gw_status gw_pattern_graph(const gw_pattern *pattern, int64_t tokens, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) GW_MUST_CHECK;
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
