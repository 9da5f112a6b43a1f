// SPDX-License-Identifier: MIT
// Layers as plan entries: each call appends its step together with its backward step.
#ifndef GW_NN_LAYERS_H
#define GW_NN_LAYERS_H

#include "graph/pattern.h"
#include "nn/plan.h"

// y = x W^T + b; weight is [out][in], bias [out] (value NULL: none).
typedef struct {
    gw_weight weight, bias;
} gw_linear;

typedef struct {
    gw_weight weight, bias; // [width]
} gw_norm;

typedef enum { GW_ACTIVATION_GELU, GW_ACTIVATION_TANH } gw_activation; // the tanh form of GELU

gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width);
// The same into a tensor that exists (an output).
void gw_plan_linear_into(gw_plan *plan, gw_tensor in, gw_linear linear, gw_tensor out);
// `kept`: the result is changed in place afterwards, so that the backward pass cannot make it again.
gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon, bool kept);
// Replaces `in`, which is not to be used or released afterwards.
gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation, bool kept);

// tensor = residual + dropout(tensor), in place; residual NULL: dropout alone, which is left out without training.
// Element index of the draws: (first token + token row) * width + column, whatever batch the row came in.
typedef struct {
    double probability;
    uint32_t place; // layer and site: no two dropouts of a network share it
} gw_dropout;
void gw_plan_dropout(gw_plan *plan, gw_tensor tensor, const gw_tensor *residual, gw_dropout dropout);

// The rows of a token tensor that belong to the masked positions or to the sequences' first tokens.
gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, gw_row_kind rows);

typedef struct {
    gw_weight word, position, segment;
    int64_t words, positions, segments;
} gw_embedding;
gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width);

// Softmax attention of every sequence on its own, over the block graph of (its length, layer, head).
// query, key and value are token tensors [tokens][heads * D]; `graphs` outlives the plan.
gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            int block, gw_graph_cache *graphs);

// Losses of a tensor of logits (an output). Where `loss` and `best` point, the forward leaves the loss of each row
// (bce: of each logit) and the index of its largest logit.
typedef struct {
    float *loss;
    int32_t *best;
} gw_loss;
gw_loss gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits);
gw_loss gw_plan_bce(gw_plan *plan, gw_tensor logits, double positive_weight);

#endif
