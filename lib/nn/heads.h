// SPDX-License-Identifier: MIT
// The heads that stand on an encoder. Each leaves logits as an output of the network.
// h is the hidden state of a token, h_0 that of a sequence's first token.
#ifndef GW_NN_HEADS_H
#define GW_NN_HEADS_H

#include "nn/encoder.h"

// Masked tokens: logits [masked][V] = LN(act(W h + b)) word^T + bias, the decoder tied to the word embeddings.
typedef struct {
    gw_linear transform;
    gw_activation activation;
    gw_norm norm;
    gw_linear decoder;
    int rows; // row set of the masked tokens
} gw_mask_head;
gw_tensor gw_plan_mask_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_mask_head head,
                            int64_t vocabulary);

// The pooler's output [sequences][width] = tanh(W h_0 + b), as an output of the network; nothing trains it.
gw_tensor gw_plan_pooled(gw_plan *plan, gw_tensor hidden, gw_linear pooler, int rows);

// Logits of pooled sequences: [sequences][width] = W dropout(tanh(pooler h_0)) + b: sentence pairs, BERT's labels,
// multiple choice.
typedef struct {
    gw_linear pooler, output;
    double dropout;
    int rows; // row set of the first tokens
} gw_pooled_head;
gw_tensor gw_plan_pooled_head(gw_plan *plan, gw_tensor hidden, gw_pooled_head head, int64_t width);

// Labels: logits [sequences][labels] = W dropout(act(dense dropout(h_0))) + b.
typedef struct {
    gw_linear dense;
    gw_activation activation;
    gw_linear output;
    int rows; // row set of the first tokens
} gw_label_head;
gw_tensor gw_plan_label_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_label_head head,
                             int64_t labels);

// Labels of tokens: logits [tokens][labels] = W dropout(h) + b.
gw_tensor gw_plan_token_head(gw_plan *plan, gw_tensor hidden, gw_linear output, double dropout, int64_t labels);

// BigBird's question answering: logits [tokens][2] = W LN(h + dropout(W_2 act(W_1 dropout(h)))) + b.
typedef struct {
    gw_linear feed_forward, output;
    gw_norm norm;
    gw_linear logits;
} gw_span_head;
gw_tensor gw_plan_span_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_span_head head);

#endif
