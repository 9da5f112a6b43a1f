// SPDX-License-Identifier: MIT
// RoBERTa as transformers' modeling_roberta: BERT whose positions begin after that of the padding, without sentence
// pairs. Its heads have GELU and tanh whatever hidden_act is.
#include "model/family.h"

static const gw_tensor_stem stems[] = {
    {"cls.predictions.transform.dense", "lm_head.dense"},
    {"cls.predictions.transform.LayerNorm", "lm_head.layer_norm"},
    {"cls.predictions", "lm_head"},
    {0},
};

const gw_family_row gw_family_roberta = {
    .model_type = "roberta",
    .prefix = "Roberta",
    .usual_head = GW_HEAD_MASKED,
    .vocabulary = 50265,
    .positions = 512,
    .pad = 1,
    .separator = -1,
    .activation = GW_ACTIVATION_GELU_EXACT,
    .pattern = {.block = 64, .full = true},
    .encoder = "roberta.",
    .stems = stems,
    .dense_labels = true,
    .order = GW_NORM_THEN_DROPOUT,
    .positions_after_pad = true,
    .mask_activation = GW_ACTIVATION_GELU_EXACT,
    .dense_activation = GW_ACTIVATION_TANH,
    .choice_drops_hidden = true,
    .tokenizer_class = "RobertaTokenizer",
    .end = 2, // configs name the separator only as the end of a sequence
};
