// SPDX-License-Identifier: MIT
// The transformer that BERT and related families share, and its decoder. A family copies BERT's names (gw_bert()) and
// changes the differences.
#ifndef GW_MODEL_TRANSFORMER_H
#define GW_MODEL_TRANSFORMER_H

#include "model/builder.h"

// BERT's names and settings.
gw_transformer gw_bert(void);
// Sets names for a stem's tensors, for families that only godwit computes.
void gw_name_stem(gw_transformer *of);
// Describes the encoder, and the config's head on it. A builder without a plan only sets b->of and declares nothing.
void gw_describe_transformer(gw_builder *b, const gw_transformer *of);
// The embedding table as a linear layer that gives logits.
gw_linear gw_declare_words(gw_builder *b);
// The encoder's pooler, if files have one; otherwise value is NULL.
gw_linear gw_declare_pooler(gw_builder *b);
// Inputs of the decoder's attention: the source's hidden states in another stream, over these graphs; or, with `cache`,
// the kept keys and values of earlier tokens instead.
typedef struct {
    gw_tensor memory;
    gw_graph_source *own, *cross; // attention of a target to its own tokens (causal), and to those of the source
    gw_key_cache *cache;
} gw_decoder_reads;
// Returns [rows of the stream][width] after the last norm.
gw_tensor gw_describe_decoder(gw_builder *b, int stream, const gw_decoder_reads *reads);
// Computes the keys and values that the decoder's layers read of the source: memory [2 layers], keys and values
// alternate.
void gw_describe_source(gw_builder *b, gw_tensor hidden, gw_tensor *memory);

#endif
