// SPDX-License-Identifier: MIT
// The encoder of a transformer, put together from layers.
#ifndef GW_NN_ENCODER_H
#define GW_NN_ENCODER_H

#include "nn/layers.h"
#include "nn/sbm.h"
#include "nn/stem_layers.h"

// Where a block's layer norms stand: after each residual sum (BERT, BigBird), or before each sublayer.
typedef enum { GW_NORM_AFTER, GW_NORM_BEFORE } gw_norm_position;
// Dropout places of a network: GW_DROPOUT_SITES for each layer, the first so many for what is not a layer.
enum {
    GW_DROPOUT_SITES = 8,
    GW_DROPOUT_EMBEDDING = 0,
    GW_DROPOUT_HEAD_IN = 1,
    GW_DROPOUT_HEAD_OUT = 2,
    GW_DROPOUT_TARGET = 3
};

// Order of the two steps that follow the sum of embeddings.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT } gw_embedding_order; // BigBird, BERT

// What differs between the encoders of this family. A linear layer without bias has bias.value NULL in its weights.
typedef struct {
    gw_norm_position norm;
    gw_embedding_order order;
    bool last_norm; // a norm after the last layer (with GW_NORM_BEFORE)
    gw_activation activation;
    int64_t width, feed_forward;
    int layers, heads;
    int first_layer;        // number of its first layer among all of the network, for places of dropout
    int stream;             // the tokens
    int rows;               // whose hidden states the last layer makes (a row set's: without training alone)
    gw_precision precision; // of the products in attention; that of linear layers is their own
    int64_t rotary;         // leading dimensions of a head that are turned by position; 0: none
    double rotary_base;
    double epsilon, dropout;
    gw_sbm_graphs *sampled; // graphs that attention draws itself; NULL: those of a source
} gw_architecture;

typedef struct {
    gw_linear query, key, value, attention_output, feed_forward, output;
    gw_norm attention_norm, output_norm;
    gw_sbm_weights sbm; // with sampled graphs
} gw_block_weights;

typedef struct {
    gw_embedding embedding;
    gw_norm embedding_norm, last_norm; // embedding_norm.weight.value NULL: none
    const gw_stem_layers *stem;        // around the blocks; NULL: none
    const gw_block_weights *blocks;    // [layers]
} gw_encoder_weights;

// [architecture->rows][width]: the last layer's hidden state; of a stem that ends in windows of bases, of all of these.
// The caller releases it after its last reader. Of a row the bits are the same whichever rows are made.
gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_graph_source *graphs);

#endif
