// SPDX-License-Identifier: MIT
// Keys and values that outlive a run, for decoders that write one token after another: those of the tokens of a target
// that were written before, and those of its source. Both are read by steps of later runs of one plan.
//
// A target that is being written has a slot. A run computes a row for each target that goes on, and `row` says which
// slot it belongs to.
#ifndef GW_NN_KEY_CACHE_H
#define GW_NN_KEY_CACHE_H

#include "nn/layers.h"

// Rows of a run that read the same keys.
typedef struct {
    int64_t query_begin, query_count; // rows of the run
    int64_t key_begin, key_count;     // rows of the cached keys
} gw_key_cache_reader;

typedef struct {
    const gw_backend *kernels;
    int64_t slots, most, width; // targets at a time, tokens of the longest
    int layers;
    float *own;                     // of the device: [layers][key, value][slots][most][width]
    const float *const *source;     // of the device, by 2 layer + 0 for keys, + 1 for values: [source rows][width]
    int64_t source_rows;            // most of them
    gw_graph_source *graphs;        // of one full graph
    int32_t *slot_row, *each_layer; // of the device: [slots] row of the run that each slot takes, [2 layers] 0, 1, ...
    // Of a run; sequences of attention are made of them.
    int64_t length;                              // tokens that each target had before
    int64_t own_count, source_count;             // readers
    gw_key_cache_reader *own_reader, *of_source; // [slots] each
    gw_attention_sequence *sequence;             // [slots]
} gw_key_cache;

// Memory for so many targets; `source` and `source_rows` are the caller's to set. gw_key_cache_free() it, also on
// failure.
gw_status gw_key_cache_make(gw_key_cache *cache, const gw_backend *kernels, int64_t slots, int64_t most, int64_t width,
                            int layers, int64_t source_rows) GW_MUST_CHECK;
void gw_key_cache_free(gw_key_cache *cache);
int64_t gw_key_cache_bytes(const gw_key_cache *cache); // of keys and values of targets
// The first `length` tokens of one slot become those of another one too.
gw_status gw_key_cache_copy(gw_key_cache *cache, int64_t from, int64_t to) GW_MUST_CHECK;
// Says which row of the run each slot takes: [slots] of the host.
gw_status gw_key_cache_set_rows(gw_key_cache *cache, const int32_t *slot_row) GW_MUST_CHECK;

// Keeps key and value of each row as those of token `length` of its slot, and gives its attention to all tokens up to
// that one.
gw_tensor gw_plan_attention_cached(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                                   gw_key_cache *cache);
// Attention of each row to its source.
gw_tensor gw_plan_attention_source(gw_plan *plan, gw_tensor query, int heads, int layer, gw_key_cache *cache);

#endif
