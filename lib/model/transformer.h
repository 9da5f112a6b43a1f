// SPDX-License-Identifier: MIT
// The transformer that BERT's relatives share, and their decoder. A family takes BERT's names (gw_bert()) and changes
// what differs.
#ifndef GW_MODEL_TRANSFORMER_H
#define GW_MODEL_TRANSFORMER_H

#include "model/builder.h"

// BERT's names, and what it computes.
gw_transformer gw_bert(void);
// Names for a stem's tensors, of families that godwit alone computes.
void gw_name_stem(gw_transformer *of);
// The encoder, and the config's head on it. A builder without a plan asks what the network is made of: b->of is set,
// and nothing is declared.
void gw_describe_transformer(gw_builder *b, const gw_transformer *of);
// The table of tokens, as a linear layer that gives logits.
gw_linear gw_declare_words(gw_builder *b);
// The encoder's pooler, where its files have one; value NULL: none.
gw_linear gw_declare_pooler(gw_builder *b);
// What the decoder's attention reads: the source's hidden states, of another stream, over these graphs; or, with
// `cache`, what was kept of earlier tokens, and neither of them.
typedef struct {
    gw_tensor memory;
    gw_graph_source *own, *cross; // of a target's own tokens (causal), and of its tokens to those of the source
    gw_key_cache *cache;
} gw_decoder_reads;
// [rows of the stream][width] after the last norm.
gw_tensor gw_describe_decoder(gw_builder *b, int stream, const gw_decoder_reads *reads);
// Keys and values that each layer of the decoder reads of the source: memory [2 layers], keys and values in turn.
void gw_describe_source(gw_builder *b, gw_tensor hidden, gw_tensor *memory);

#endif
