// SPDX-License-Identifier: MIT
// Keys and values that outlive a run, for decoders that write one token after another: those of earlier tokens of the
// target, and those of the source. Steps of later runs of the same plan read both.
//
// An unfinished target has a slot. A run computes one row for each unfinished target; `slot_row` gives the row of each
// slot.
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
    int64_t slots, most, width; // most targets at a time; most tokens of a target; floats of a key
    int layers;
    float *own;                     // on the device: [layers][key, value][slots][most][width]
    const float *const *source;     // on the device, index 2 layer + 0 for keys, + 1 for values: [source rows][width]
    int64_t source_rows;            // most rows of the sources
    gw_graph_source *graphs;        // with one full graph
    int32_t *slot_row, *each_layer; // on the device: [slots] row of the run for each slot, [2 layers] 0, 1, ...
    // Of a run; the sequences of attention are made from them.
    int64_t length;                              // earlier tokens of each target
    int64_t own_count, source_count;             // readers
    gw_key_cache_reader *own_reader, *of_source; // [slots] each
    gw_attention_sequence *sequence;             // [slots]
} gw_key_cache;

// Allocates memory for `slots` targets of `most` tokens. The caller sets `source`. Free with gw_key_cache_free(), also
// after a failure.
gw_status gw_key_cache_make(gw_key_cache *cache, const gw_backend *kernels, int64_t slots, int64_t most, int64_t width,
                            int layers, int64_t source_rows) GW_MUST_CHECK;
void gw_key_cache_free(gw_key_cache *cache);
int64_t gw_key_cache_bytes(const gw_key_cache *cache); // bytes of the keys and values of targets
// Copies the first `length` tokens of slot `from` to slot `to`.
gw_status gw_key_cache_copy(gw_key_cache *cache, int64_t from, int64_t to) GW_MUST_CHECK;
// Sets the row of the run for each slot: [slots], host memory.
gw_status gw_key_cache_set_rows(gw_key_cache *cache, const int32_t *slot_row) GW_MUST_CHECK;

// Stores key and value of each row as token `length` of its slot, and computes the row's attention to all tokens up to
// this one.
gw_tensor gw_plan_attention_cached(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                                   gw_key_cache *cache);
// Attention of each row to its source.
gw_tensor gw_plan_attention_source(gw_plan *plan, gw_tensor query, int heads, int layer, gw_key_cache *cache);

#endif
