// SPDX-License-Identifier: MIT
// The decoder of a transformer (Vaswani et al., 2017, section 3.1): causal attention to the target, attention to what
// the encoder makes of the source, and a feed-forward layer in each block.
//
// A block is described once. Whole targets are given where their tokens are known (teacher forcing); where they are
// being written, every run computes one more token of each, and what earlier tokens gave as keys and values is kept in
// memory that outlives the run (nn/key_cache.h).
#ifndef GW_NN_DECODER_H
#define GW_NN_DECODER_H

#include "nn/encoder.h"
#include "nn/key_cache.h"

typedef struct {
    gw_linear query, key, value, output;
    gw_norm norm;
} gw_attention_weights;

typedef struct {
    gw_attention_weights own, cross;
    gw_linear feed_forward, output;
    gw_norm output_norm;
} gw_decoder_block_weights;

typedef struct {
    gw_embedding embedding;
    gw_norm embedding_norm, last_norm;
    const gw_decoder_block_weights *blocks; // [layers]
} gw_decoder_weights;

// What the attention of the blocks reads: the source's hidden states, of another stream, over these graphs; or, with
// `cache`, what was kept, and neither of them.
typedef struct {
    gw_tensor memory;
    gw_graph_source *own, *cross; // of a target's own tokens (causal), and of its tokens to those of the source
    gw_key_cache *cache;
} gw_decoder_reads;

// [rows of architecture->stream][width] after the last norm. Dropout places begin at architecture->first_layer.
gw_tensor gw_plan_decoder(gw_plan *plan, const gw_architecture *architecture, const gw_decoder_weights *weights,
                          const gw_decoder_reads *reads);

#endif
