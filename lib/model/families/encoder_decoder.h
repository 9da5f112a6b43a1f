// SPDX-License-Identifier: MIT
// What the families with an encoder and a decoder of BART's kind share: words of config.json and names of tensors.
#ifndef GW_MODEL_FAMILIES_ENCODER_DECODER_H
#define GW_MODEL_FAMILIES_ENCODER_DECODER_H

#include "model/config_reader.h"
#include "model/family.h"

extern const gw_tensor_stem gw_encoder_decoder_fields[], gw_encoder_decoder_ties[];

void gw_encoder_decoder_defaults(gw_config *config);
gw_status gw_encoder_decoder_read(const gw_config_reader *r) GW_MUST_CHECK;
void gw_encoder_decoder_write(json_t *json, const gw_config *config);

// Rows of a family's stems.
#define GW_ENCODER_DECODER_STEMS                                                                                       \
    {"embeddings.word_embeddings", "shared"}, {"embeddings.position_embeddings", "encoder.embed_positions"},           \
        {"attention.output.LayerNorm", "self_attn_layer_norm"}, {"intermediate.dense", "fc1"},                         \
        {"output.dense", "fc2"}, {"output.LayerNorm", "final_layer_norm"},                                             \
        {"decoder.embeddings.position_embeddings", "model.decoder.embed_positions"},                                   \
        {"decoder.attention.self.query", "self_attn.q_proj"}, {"decoder.attention.self.key", "self_attn.k_proj"},      \
        {"decoder.attention.self.value", "self_attn.v_proj"},                                                          \
        {"decoder.attention.output.dense", "self_attn.out_proj"},                                                      \
        {"decoder.attention.output.LayerNorm", "self_attn_layer_norm"},                                                \
        {"decoder.crossattention.self.query", "encoder_attn.q_proj"},                                                  \
        {"decoder.crossattention.self.key", "encoder_attn.k_proj"},                                                    \
        {"decoder.crossattention.self.value", "encoder_attn.v_proj"},                                                  \
        {"decoder.crossattention.output.dense", "encoder_attn.out_proj"},                                              \
        {"decoder.crossattention.output.LayerNorm", "encoder_attn_layer_norm"}, {"decoder.intermediate.dense", "fc1"}, \
        {"decoder.output.dense", "fc2"}, {                                                                             \
        "decoder.output.LayerNorm", "final_layer_norm"                                                                 \
    }

#endif
