// SPDX-License-Identifier: MIT
// How the rows of a sequence read each other in an encoder's layers: the words of the pattern that says so, the tensors
// of a layer, what is computed of queries, keys and values, and what is reported of it. A mixer is a row of this
// (mixers.def); network/network_private.h has what descriptions are made of.
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

// A number of a spec: a part of its own, `name[:N]`, or with `mark` what follows the number before it, as in 64x2.
typedef struct {
    const char *name;
    char mark;           // 0: a part of its own
    int64_t usual;       // of the bare name, and what a mark stands for that is not there
    int64_t low, high;   // high 0: a part that takes no number, 1 where it is there
    const char *choices; // "exact|fastrg|bernoulli", numbered from 0, in the place of a number
    bool drawn;          // what it says is drawn by, which provenance names whatever it is
} gw_mixer_word;

// What a layer's head read of the first sequence of the last batch, of a mixer that draws graphs.
typedef struct {
    const gw_token_graph *graph;
    int64_t band; // keys at most so far are always read; -1: none
    const gw_memberships *memberships;
} gw_drawn_graph;

typedef struct {
    // the pattern: -p, and "pattern" of config.json
    const gw_mixer_word *words; // the first is its name, others are 0 where they are absent; ends with a name of NULL.
                                // NULL: its patterns are those of block graphs (graph/pattern.h)
    const char *no_graph;       // why a pattern alone has no graph
    // tensors, which describe() declares
    bool by_place;     // some have a number for each position
    bool shares_query; // the key's layer makes both: a layer has no query's
    // computation
    int64_t (*own_rows)(const gw_config *config, int64_t rows); // for a sequence of so many, of a stream GW_ROWS_MIXER
                                                                // that it adds; NULL: it adds none
    // Its stream holds the tokens beside rows of its own, and the layers stand there: own_rows counts both. most_rows:
    // of a batch. alloc() has memory for what fill() writes of a batch, whose rows of the stream are counted; where
    // each token and, where a batch gives these (GW_ROWS_GLOBALS), each global one stands goes into tokens->row and
    // globals->row. Else these four are NULL.
    bool holds_tokens;
    int64_t (*most_rows)(const gw_config *config, int64_t rows, int64_t sequences);
    gw_etc_rules (*rules)(const gw_config *config); // what reads what, by the structure of a sequence
    int globals; // the word that says how many a batch may give for a sequence; 0: none
    unsigned (*own_layers)(const gw_config *config); // that its rows have: GW_OWN_OUTPUTS ...; NULL: none
    void (*alloc)(gw_network *network, gw_plan *plan, int64_t most, int64_t sequences);
    gw_status (*fill)(gw_network *network, const gw_rows *tokens, const gw_rows *globals, gw_rows *own);
    gw_status (*make)(gw_network *network); // what lives as long as the network, in network->mixing; NULL: nothing
    void (*free)(void *mixing);
    bool picks; // rows picked from a stream may be queries alone: each reads what it reads among all
    // What a layer's queries, keys and values become; where tensors are listed (b->lists) it only declares its own.
    gw_tensor (*describe)(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value);
    // metrics of what was read since restart(); all of them NULL: none
    void (*restart)(gw_network *network);
    double *(*sums)(gw_network *network, int64_t *count); // that metrics are made of, which batches add to
    void (*add_metrics)(const gw_network *network, json_t *row);
    void (*note_metrics)(const gw_network *network);
    // what a run's fingerprint says of the options; NULL: nothing
    void (*print_options)(const gw_mixer_options *options, gw_string *out);
    // graphs that it draws; NULL: it draws none. Memberships are kept of a layer's head from watch() on
    void (*watch)(gw_network *network, int layer, int head);
    gw_drawn_graph (*drawn)(const gw_network *network, int layer, int head);
} gw_mixer_row;

int gw_mixer_count(void);
const gw_mixer_row *gw_mixer_of(gw_mixer mixer);
// Most global tokens that a batch gives for a sequence of the model's; 0: its mixer has none.
int64_t gw_config_globals(const gw_config *config);
void gw_config_use_globals(gw_config *config, int64_t most); // where it has some
// What rows beside the tokens do not share with these: attention's output layers, the norms there and that of the
// embeddings; feed-forward layers and their norms.
enum { GW_OWN_OUTPUTS = 1, GW_OWN_FEED_FORWARDS = 2 };
unsigned gw_config_own_layers(const gw_config *config);
// That whose name is a part of the spec, else attention over block graphs.
gw_mixer gw_mixer_of_pattern(const char *spec);
// The block graphs of a spec that no other mixer's name is a part of; the message of a failure lists them too.
gw_status gw_mixer_parse_blocks(const char *spec, gw_pattern *out) GW_MUST_CHECK;

// The rows. Another table, which goes on after these, can stand in their place: rows.c alone counts them.
#ifndef GW_MIXERS_DEF
#define GW_MIXERS_DEF "model/mixers.def"
#endif
#define GW_MIXER(NAME, row) extern const gw_mixer_row gw_mixer_##row;
#include GW_MIXERS_DEF
#undef GW_MIXER

#endif
