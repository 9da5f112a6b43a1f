// SPDX-License-Identifier: MIT
// Attention patterns: from the text of a pattern to block graphs.
//
// A pattern is a list of parts joined by '+', each `name[:number]`, in any order, each at most once:
//   window[:W]  blocks i - W/2 .. i + W/2 (W odd, 3)
//   global[:G]  ITC globals: the first ceil(G/2) and last floor(G/2) blocks, as rows and as columns (2, as in BigBird);
//               global[:G]@start: the first G blocks, for a question before its text
//   random[:R]  R random blocks a row, different from each other and from the row's other blocks (3)
//   full        every block
//   band[:W]    keys at most W tokens from the query: |i - j| <= W (256)
//   causal      of the keys in the other parts, only those at or before the query
//   every[:N]   layers 0, N, 2N ... read every block; the other parts hold for all other layers (3)
//   block:N     tokens a block (64);   seed:N  of the random blocks (0)
// Aliases: longformer = window+global. itc[/TABLES] = window:3+global:2+random:3, computed as in BigBird's
// implementations: a block may be listed twice (random and window), and the softmax counts each listing. With itc,
// global:G@start moves the global blocks (BigBird's appendix E.2: its first 128 tokens). The tables stay, and the last
// row, which is not in the tables, has no random blocks. TABLES selects the random blocks:
//   seeded   transformers in training mode, and before 4.30 in all modes: one numpy generator draws the tables of all
//            heads of a layer, with the layer as seed. This is the default of itc
//   hf-eval  transformers since 4.30 in evaluation mode: block 0 instead of every random block
//   google   google-research/bigbird: like seeded, but inputs of 2,048 tokens use the fixed plan too, which is always
//            drawn for 4,096 positions; inputs of at most 512 tokens get full attention
//   set      like seeded, with every block counted once
//
// An input of n = ceil(tokens / block) blocks gets full attention if n <= 5 + 2 R (itc, transformers' rule) or n < W +
// G + R (parts without a band, because a row could not have that many distinct blocks). This is decided for each input.
// causal also applies to such inputs. Beside a band, a row has fewer random blocks if no more blocks remain.
#ifndef GW_GRAPH_PATTERN_H
#define GW_GRAPH_PATTERN_H

#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

// Origin of the random blocks.
typedef enum {
    GW_TABLES_OWN, // distinct new blocks drawn by Philox; not BigBird's
    GW_TABLES_SEEDED,
    GW_TABLES_HF_EVAL,
    GW_TABLES_GOOGLE,
    GW_TABLES_SET,
} gw_tables;

typedef struct {
    int block;  // tokens a block
    int window; // blocks, odd; 0: none
    int global; // blocks; 0: none
    int random; // blocks a row; 0: none
    int band;   // tokens; 0: none
    int every;  // layers 0, every, 2 every ... read all blocks, and the parts hold for the others; 0: the parts hold
                // for all layers
    bool full, causal;
    bool at_start; // all global blocks are at the start
    gw_tables tables;
    uint64_t seed; // for GW_TABLES_OWN
} gw_pattern;

// Parses a pattern. The error message names the invalid part and lists the valid ones.
gw_status gw_pattern_parse(const char *spec, gw_pattern *out) GW_MUST_CHECK;
// The same; the message also lists `others`, other values that are valid here.
gw_status gw_pattern_parse_or(const char *spec, const char *others, gw_pattern *out) GW_MUST_CHECK;
// The text that parses to this pattern; free() it.
char *gw_pattern_text(const gw_pattern *pattern);
// Changes BigBird's pattern to another mode of the same weights: seeded, hf-eval, google, set, full, or start (the
// tables stay, and the first two blocks are the global ones). Other patterns allow only full.
gw_status gw_pattern_use_mode(gw_pattern *pattern, const char *mode) GW_MUST_CHECK;
// The text for outputs: the pattern with its tables named, as in itc/seeded; free() it.
char *gw_pattern_provenance(const gw_pattern *pattern);
// Whether the parts hold for this layer, in a pattern with `every`.
static inline bool gw_pattern_is_local(const gw_pattern *pattern, int layer) {
    return pattern->every > 0 && layer % pattern->every != 0;
}
// The pattern of one layer: full, or the parts.
gw_pattern gw_pattern_of_layer(const gw_pattern *pattern, int layer);
// blocks: the blocks of an input, ceil(tokens / block). is_full: whether the input gets full attention in all layers.
int64_t gw_pattern_blocks(const gw_pattern *pattern, int64_t tokens);
bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens);

// Whether heads and layers have different graphs (otherwise all share one), if attention is not full.
bool gw_pattern_differs_by_head(const gw_pattern *pattern);

// The reason why row `row` of `blocks` reads block `column`: the first matching part of window, global, band, random.
typedef enum { GW_PART_WINDOW, GW_PART_GLOBAL, GW_PART_BAND, GW_PART_RANDOM } gw_part;
gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column);

// The size of a graph in tokens, padding included.
typedef struct {
    int64_t queries, keys;
    int64_t offset;        // position of the first query among the keys; with kept keys: the number of earlier ones
    const uint8_t *global; // [flags] global tokens by structure: 1: the token at this position reads all and is read by
                           // all, in any pattern; NULL: none
    int64_t flags;         // tokens without padding
} gw_graph_shape;

// A sequence that attends to itself.
static inline gw_graph_shape gw_graph_square(int64_t tokens) {
    return (gw_graph_shape){.queries = tokens, .keys = tokens};
}

// Makes the graph of one layer and head; free it with gw_graph_free(). Its rows are the rows at the queries' positions
// of the square graph over all keys. max_positions: of the model (transformers' fixed plan draws for 4,096 tokens).
// heads: number of the model's heads, because all heads of a layer draw from one stream.
gw_status gw_pattern_graph(const gw_pattern *pattern, const gw_graph_shape *shape, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) GW_MUST_CHECK;
void gw_graph_free(gw_graph *graph);
// Copies a graph's arrays to the device, if the device has its own memory. The graph then points to the copies, and
// only ops may read them.
gw_status gw_graph_to_device(gw_graph *graph, const gw_backend *kernels) GW_MUST_CHECK;
int64_t gw_graph_bytes(const gw_graph *graph); // memory of the graph

// A layout stored in a checkpoint (DeepSpeed's): the blocks that each row reads, for every layer and head, each block
// once. An input of n blocks uses the top left n x n cells.
typedef struct {
    int layers, heads, blocks;
    uint8_t *cell; // [layers][heads][blocks rows][blocks columns], 0: not read
} gw_layout;

#endif
