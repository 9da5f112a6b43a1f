// SPDX-License-Identifier: MIT
// What families of tracks have in common: defaults of their configs, and fields of BERT that they lack.
#include "model/families/tracks.h"

enum { WIDTH = 4 };

void gw_track_defaults(gw_config *config) {
    config->head = GW_HEAD_TRACKS;
    config->layers = 0;
    config->heads = 1;
    config->width = config->feed_forward = WIDTH;
    config->rotary = 2; // positions have no weights
    config->segments = 1;
    config->one_hot = true;
    config->activation = GW_ACTIVATION_RELU;
    config->dropout = config->classifier_dropout = 0;
    config->labels = 1;
}

const gw_config_field gw_track_fields[] = {
    {"num_hidden_layers", NULL},
    {"num_attention_heads", NULL},
    {"layer_norm_eps", NULL},
    {"hidden_act", NULL},
    {"position_embedding_type", NULL},
    {"type_vocab_size", NULL},
    {"sep_token_id", NULL},
    {"rotary_dim", NULL},
    {"classifier_dropout", NULL},
    {"hidden_size", NULL},
    {"intermediate_size", NULL},
    {"max_position_embeddings", NULL},
    {"tie_word_embeddings", NULL},
    {"hidden_dropout_prob", NULL},
    {"pad_token_id", NULL},
    {"attention_probs_dropout_prob", NULL},
    {0},
};
