// SPDX-License-Identifier: MIT
// The encoder of a transformer, put together from layers.
#ifndef GW_NN_ENCODER_H
#define GW_NN_ENCODER_H

#include "nn/block.h"
#include "nn/stem_layers.h"

typedef struct {
    // The query's weight.value NULL: the key is both; the gate's: there is none.
    gw_linear query, key, value, attention_output, feed_forward, gate, output;
    gw_norm attention_norm, output_norm; // weight.value NULL: none
} gw_block_weights;

typedef struct {
    gw_embedding embedding;
    gw_norm embedding_norm, last_norm;     // embedding_norm.weight.value NULL: none
    gw_norm embedding_norm_beside;         // of the architecture's other rows; weight.value NULL: the same
    gw_weight frequencies;                 // of rotary positions; value NULL: those by the base
    const gw_stem_layers *stem;            // around the blocks; NULL: none
    const gw_block_weights *blocks;        // [layers]
    const gw_block_weights *blocks_beside; // of the architecture's other rows; queries, keys and values are those of
                                           // `blocks`. NULL: there are none
} gw_encoder_weights;

// [architecture->rows][width]: the last layer's hidden state; of a stem that ends in windows of bases, of all of these.
// The caller releases it after its last reader. Of a row the bits are the same whichever rows are made. `beside`: where
// architecture->beside is a stream, its rows too; may be NULL.
gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_tensor *beside);

#endif
