// SPDX-License-Identifier: MIT
// The encoder of a transformer and the heads on it, put together from layers.
#ifndef GW_NN_ENCODER_H
#define GW_NN_ENCODER_H

#include "nn/layers.h"

// Where a block's layer norms stand: after each residual sum (BERT, BigBird), or before each sublayer.
typedef enum { GW_NORM_AFTER, GW_NORM_BEFORE } gw_norm_place;
// Order of the two steps that follow the sum of embeddings.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT } gw_embedding_order; // BigBird, BERT

// What differs between the encoders of this family. A linear layer without bias has bias.value NULL in its weights.
typedef struct {
    gw_norm_place norm;
    gw_embedding_order order;
    gw_activation activation;
    int64_t width, inner;
    int layers, heads, block; // block: tokens of a block of the attention graph
    double epsilon, dropout, classifier_dropout;
} gw_architecture;

typedef struct {
    gw_linear query, key, value, attention_output, inner, output;
    gw_norm attention_norm, output_norm;
} gw_block_weights;

typedef struct {
    gw_embedding embedding;
    gw_norm embedding_norm;
    const gw_block_weights *blocks; // [layers]
} gw_encoder_weights;

// [tokens][width]: the last layer's hidden state. The caller releases it after its last reader.
gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_graph_cache *graphs);

// Masked tokens: logits [masked][V] = LN(act(W h + b)) word^T + bias, the decoder tied to the word embeddings.
typedef struct {
    gw_linear transform;
    gw_norm norm;
    gw_linear decoder;
} gw_mask_head;
gw_tensor gw_plan_mask_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_mask_head head,
                            int64_t vocabulary);

// Sentence pairs: logits [sequences][2] = W tanh(pooler h_0) + b.
typedef struct {
    gw_linear pooler, relationship;
} gw_pair_head;
gw_tensor gw_plan_pair_head(gw_plan *plan, gw_tensor hidden, gw_pair_head head);

// Labels: logits [sequences][labels] = W dropout(act(dense dropout(h_0))) + b.
typedef struct {
    gw_linear dense, output;
} gw_label_head;
gw_tensor gw_plan_label_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_label_head head,
                             int64_t labels);

#endif
