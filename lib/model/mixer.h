// SPDX-License-Identifier: MIT
// A mixer: how the rows of a sequence read each other in the layers of an encoder. It has the words of the pattern, the
// tensors of a layer, the computation from queries, keys and values, and metrics. A mixer is a row of mixers.def.
// network/network_private.h has the parts of descriptions.
#ifndef GW_MODEL_MIXER_H
#define GW_MODEL_MIXER_H

#include "base/json.h"
#include "base/string.h"
#include "graph/etc.h"
#include "kernels/graph.h"
#include "model/config.h"
#include "model/parameters.h"
#include "nn/plan.h"

typedef struct gw_builder gw_builder; // model/builder.h
typedef struct gw_network gw_network;
typedef struct gw_mixer_options gw_mixer_options; // network/mixers.h
typedef struct gw_memberships gw_memberships;     // network/mixers.h

// A number of a pattern: a part `name[:N]`, or with `mark` the number behind the mark, as in 64x2.
typedef struct {
    const char *name;
    char mark;           // 0: a part by itself
    int64_t usual;       // value of the bare name, and of an absent mark
    int64_t low, high;   // high 0: a part without a number, 1 if present
    const char *choices; // "exact|fastrg|bernoulli", numbered from 0, instead of a number
    bool drawn;          // says how graphs are drawn; provenance always names it
} gw_mixer_word;

// The graph that a layer's head drew for the first sequence of the last batch, for a mixer that draws graphs.
typedef struct {
    const gw_token_graph *graph;
    int64_t band; // keys within this distance in tokens are always read; -1: none
    const gw_memberships *memberships;
} gw_drawn_graph;

typedef struct {
    // the pattern: -p, and "pattern" of config.json
    const gw_mixer_word *words; // the first is the mixer's name; an absent word is 0; ends with a NULL name. NULL:
                                // patterns of block graphs (graph/pattern.h)
    const char *no_graph;       // reason why a pattern alone has no graph
    // tensors, declared by describe()
    bool by_place;     // some tensors have a number for each position
    bool shares_query; // one matrix makes queries and keys: a layer has no query tensor
    // computation
    int64_t (*own_rows)(const gw_config *config, int64_t rows); // rows of the mixer's own stream GW_ROWS_MIXER for a
                                                                // sequence of `rows`; NULL: none
    // The mixer's stream contains the tokens and its own rows; the layers work on it, and own_rows counts both.
    // most_rows: capacity for a batch. alloc() allocates memory for fill(), which describes the rows of a batch after
    // they are counted: the row of each token goes to tokens->row, and the row of each global token of the batch
    // (GW_ROWS_GLOBALS) to globals->row. Otherwise these four are NULL.
    bool holds_tokens;
    int64_t (*most_rows)(const gw_config *config, int64_t rows, int64_t sequences);
    gw_etc_rules (*rules)(const gw_config *config); // which rows read which, by the structure of a sequence
    int globals; // index of the word for the most globals that a batch may give for a sequence; 0: none
    unsigned (*own_layers)(const gw_config *config); // separate layers of its rows: GW_OWN_OUTPUTS ...; NULL: none
    void (*alloc)(gw_network *network, gw_plan *plan, int64_t most, int64_t sequences);
    gw_status (*fill)(gw_network *network, const gw_rows *tokens, const gw_rows *globals, gw_rows *own);
    gw_status (*make)(gw_network *network); // makes network->mixing, which lives as long as the network; NULL: none
    void (*free)(void *mixing);
    bool picks; // queries may be some rows of the stream, with the same result as among all rows
    // Computes a layer from queries, keys and values. When tensors are listed (b->lists), only declares its tensors.
    gw_tensor (*describe)(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value);
    // metrics since restart(); all NULL: no metrics
    void (*restart)(gw_network *network);
    double *(*sums)(gw_network *network, int64_t *count); // sums behind the metrics, to which batches add
    void (*add_metrics)(const gw_network *network, json_t *row);
    void (*note_metrics)(const gw_network *network);
    // appends the options to a run's fingerprint; NULL: none
    void (*print_options)(const gw_mixer_options *options, gw_string *out);
    // drawn graphs; NULL: draws none. Memberships of a layer's head are kept from watch() on
    void (*watch)(gw_network *network, int layer, int head);
    gw_drawn_graph (*drawn)(const gw_network *network, int layer, int head);
} gw_mixer_row;

int gw_mixer_count(void);
const gw_mixer_row *gw_mixer_of(gw_mixer mixer);
// Most global tokens that a batch may give for a sequence; 0: none.
int64_t gw_config_globals(const gw_config *config);
void gw_config_use_globals(gw_config *config, int64_t most); // if the mixer has some
// Layers that rows beside the tokens do not share with the tokens: attention's output layers with their norms and the
// norm of the embeddings; feed-forward layers with their norms.
enum { GW_OWN_OUTPUTS = 1, GW_OWN_FEED_FORWARDS = 2 };
unsigned gw_config_own_layers(const gw_config *config);
// The mixer with its name in the pattern, or attention over block graphs.
gw_mixer gw_mixer_of_pattern(const char *spec);
// Parses a pattern of block graphs. The message of a failure also lists the other mixers.
gw_status gw_mixer_parse_blocks(const char *spec, gw_pattern *out) GW_MUST_CHECK;

// The rows. Another table that continues this one may replace it: only rows.c counts the rows.
#ifndef GW_MIXERS_DEF
#define GW_MIXERS_DEF "model/mixers.def"
#endif
#define GW_MIXER(NAME, row) extern const gw_mixer_row gw_mixer_##row;
#include GW_MIXERS_DEF
#undef GW_MIXER

#endif
