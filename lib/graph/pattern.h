// SPDX-License-Identifier: MIT
// Attention patterns: spec text -> block graphs.
//
// A spec is a list of parts joined by '+', each `name[:number]`, in any order, none twice:
//   window[:W]  blocks i - W/2 .. i + W/2 (W odd, 3)
//   global[:G]  ITC globals: the first ceil(G/2) and last floor(G/2) blocks, as rows and as columns (2, as BigBird);
//               global[:G]@start: the first G blocks, where a question stands before its text
//   random[:R]  R random blocks a row, distinct and not among the row's other blocks (3)
//   full        every block
//   band[:W]    keys at most W tokens from the query: |i - j| <= W (256)
//   causal      of all that the other parts list, only keys at or before the query
//   every[:N]   the other parts are of a model's layers but the first and each Nth after it, which read every block (3)
//   block:N     tokens a block (64);   seed:N  of the random blocks (0)
// Aliases: longformer = window+global, and itc[/TABLES] = window:3+global:2+random:3 as BigBird's implementations
// compute it, where a block may be listed twice (random and window) and each listing counts in the softmax. Beside itc
// global:G@start moves the global blocks (BigBird's appendix E.2: its first 128 tokens); the tables stay, and the last
// row, for which they have none, lists no random blocks. TABLES says which:
//   seeded   transformers in training mode, and before 4.30 always: the random tables of a layer are drawn for all its
//            heads from one numpy generator whose seed is the layer. itc alone means this
//   hf-eval  transformers since 4.30 in evaluation mode: block 0 in the place of every random block
//   google   google-research/bigbird: as seeded, but 2,048 tokens have the fixed plan too, which is always drawn for
//            4,096 positions, and an input gets full attention where it has at most 512 tokens
//   set      as seeded, every block counted once
//
// An input of n = ceil(tokens / block) blocks gets full attention where n <= 5 + 2 R (itc, transformers' rule) or
// n < W + G + R (parts without a band: a row could not have that many distinct blocks), decided per input, never
// remembered; causal cuts that too. Beside a band a row has fewer random blocks where no more are left.
#ifndef GW_GRAPH_PATTERN_H
#define GW_GRAPH_PATTERN_H

#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

// The source of the random blocks.
typedef enum {
    GW_TABLES_OWN, // distinct new blocks by Philox: not BigBird's
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
    int every;  // layers 0, every, 2 every ... read all blocks, and the rest says what the others read; 0: it is of all
    bool full, causal;
    bool at_start; // the global blocks are the first ones, not half of them the last
    gw_tables tables;
    uint64_t seed; // GW_TABLES_OWN
} gw_pattern;

// Reads a spec; the message names the invalid part and lists the valid ones.
gw_status gw_pattern_parse(const char *spec, gw_pattern *out) GW_MUST_CHECK;
// Likewise, and lists other things that a spec may be at this place.
gw_status gw_pattern_parse_or(const char *spec, const char *others, gw_pattern *out) GW_MUST_CHECK;
// The spec that parses to this pattern; free() it.
char *gw_pattern_text(const gw_pattern *pattern);
// Makes a BigBird's pattern that of another mode of its weights: seeded, hf-eval, google, set or full, or start: the
// tables stay, and the first two blocks are the global ones. Of other
// patterns none but full can be made.
gw_status gw_pattern_use_mode(gw_pattern *pattern, const char *mode) GW_MUST_CHECK;
// The text for outputs: the spec with its tables named, as in itc/seeded; free() it.
char *gw_pattern_provenance(const gw_pattern *pattern);
// Whether a layer reads the parts, in a pattern whose other layers read every block.
static inline bool gw_pattern_is_local(const gw_pattern *pattern, int layer) {
    return pattern->every > 0 && layer % pattern->every != 0;
}
// The pattern of one layer: full, or the parts.
gw_pattern gw_pattern_of_layer(const gw_pattern *pattern, int layer);
// Blocks of an input, ceil(tokens / block), and whether it gets full attention in all layers.
int64_t gw_pattern_blocks(const gw_pattern *pattern, int64_t tokens);
bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens);

// Whether heads and layers have graphs of their own (else all share one), where attention is not full.
bool gw_pattern_differs_by_head(const gw_pattern *pattern);

// Why row `row` of `blocks` reads block `column`: the first matching part of window, global, band, random.
typedef enum { GW_PART_WINDOW, GW_PART_GLOBAL, GW_PART_BAND, GW_PART_RANDOM } gw_part;
gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column);

// The size of a graph in tokens, with padding.
typedef struct {
    int64_t queries, keys;
    int64_t offset;        // position of the first query among the keys: where keys are kept, those before it
    const uint8_t *global; // [flags] by structure: 1 where the input says that the token at this position is global,
                           // that is reads all and is read by all, whatever the pattern; NULL: none is
    int64_t flags;         // tokens without padding
} gw_graph_shape;

// A sequence that attends to itself.
static inline gw_graph_shape gw_graph_square(int64_t tokens) {
    return (gw_graph_shape){.queries = tokens, .keys = tokens};
}

// The graph of one layer and head; free with gw_graph_free(). Its rows are those that the queries' positions have in
// the square graph of all keys. max_positions is the model's (transformers' fixed plan draws for 4,096 tokens); heads
// is the model's number of heads, since all heads of a layer draw from one stream.
gw_status gw_pattern_graph(const gw_pattern *pattern, const gw_graph_shape *shape, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) GW_MUST_CHECK;
void gw_graph_free(gw_graph *graph);
// Copies a graph's arrays to the device, if that has memory of its own, and lets the graph point to these: ops alone
// may read them then.
gw_status gw_graph_to_device(gw_graph *graph, const gw_backend *kernels) GW_MUST_CHECK;
int64_t gw_graph_bytes(const gw_graph *graph); // its memory

// A layout that a checkpoint carries (DeepSpeed's): which blocks each row reads, for every layer and head, each block
// once. An input of n blocks uses the top left n x n cells.
typedef struct {
    int layers, heads, blocks;
    uint8_t *cell; // [layers][heads][blocks rows][blocks columns], 0: not read
} gw_layout;

#endif
