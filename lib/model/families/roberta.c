// SPDX-License-Identifier: MIT
// RoBERTa as transformers' modeling_roberta: BERT with positions numbered after the padding's, without sentence pairs.
// Its heads have GELU and tanh for any hidden_act.
#include "model/config_reader.h"
#include "model/family.h"

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 50265;
    config->pad = 1;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "roberta.";
    of.transform = "lm_head.dense";
    of.transform_norm = "lm_head.layer_norm";
    of.words = "lm_head";
    of.labels = GW_LABELS_OF_DENSE;
    of.mask_activation = GW_ACTIVATION_GELU_EXACT;
    of.dense_activation = GW_ACTIVATION_TANH;
    of.choice_drops_hidden = true;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_roberta = {
    .model_type = "roberta",
    .prefix = "Roberta",
    .set_defaults = set_defaults,
    .first_position = gw_position_after_pad,
    .describe = describe,
};
