// SPDX-License-Identifier: MIT
// What the blocks of encoders and decoders are made of, and what differs between architectures.
#ifndef GW_NN_BLOCK_H
#define GW_NN_BLOCK_H

#include "nn/layers.h"

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

// Order of the two steps that follow the sum of embeddings, or a norm alone.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT, GW_NORM_ALONE } gw_embedding_order; // BigBird, BERT, ESM

// How the rows of a sequence read each other in an encoder's layers: what a layer's queries, keys and values
// [rows][width] become, [rows of the query][width].
typedef struct {
    gw_tensor (*describe)(gw_plan *plan, const void *context, int layer, gw_tensor query, gw_tensor key,
                          gw_tensor value);
    const void *context; // outlives the plan
    bool picks;          // queries may be rows picked from the stream: each reads what it reads among all
} gw_mixing;

// What differs between the encoders of this family. A linear layer without bias has bias.value NULL in its weights.
typedef struct {
    gw_norm_position norm;
    gw_embedding_order order;
    bool last_norm; // a norm after the last layer (with GW_NORM_BEFORE)
    gw_activation activation;
    int64_t width, feed_forward;
    int layers, heads;
    int first_layer; // number of its first layer among all of the network, for places of dropout
    int stream;      // that the blocks stand in: the tokens, or one that these stand within
    int tokens;
    int rows;   // whose hidden states the last layer makes (a row set's: without training alone)
    int beside; // a stream within that of the blocks, whose hidden states are made too; 0: none
    int others; // the stream within that of all rows that are no tokens and have layers of their own; 0: none
    gw_precision precision; // of the products in attention; that of linear layers is their own
    int64_t rotary;         // leading dimensions of a head that are turned by position; 0: none
    double rotary_base;
    int every; // layers 0, every, 2 every ... turn by rotary_base, the others by local_rotary_base; 0: all
    double local_rotary_base; // do by rotary_base
    double epsilon, dropout;
    gw_mixing mixing;
} gw_architecture;

// Embeddings of the architecture's stream with their norm, where it has weights, and dropout in the architecture's
// order. The second norm is of the architecture's other rows, where it has weights.
gw_tensor gw_plan_embed(gw_plan *plan, const gw_architecture *a, gw_embedding embedding, const gw_norm norm[2],
                        int64_t width, uint32_t site);
// Layer norm where the architecture has one at that place of a sublayer and the norm has weights, else x.
gw_tensor gw_plan_norm_at(gw_plan *plan, const gw_architecture *a, gw_norm_position place, gw_tensor x, gw_norm norm);
// Of a sublayer's input x and output y: x + dropout(y); `site` is the sublayer's number within its layer.
gw_tensor gw_plan_join(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_tensor y, int layer, int site);
// W_2 act(W_1 x); where the gate has weights W_2 (act(W_1 x) * W_g x), value by value.
gw_tensor gw_plan_feed_forward(gw_plan *plan, const gw_architecture *a, gw_linear feed_forward, gw_linear gate,
                               gw_linear output, gw_tensor x);

#endif
