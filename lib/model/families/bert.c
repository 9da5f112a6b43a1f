// SPDX-License-Identifier: MIT
// BERT as transformers' modeling_bert: full attention, norm then dropout after the embeddings.
#include "model/family.h"

const gw_family_row gw_family_bert = {
    .model_type = "bert",
    .prefix = "Bert",
    .usual_head = GW_HEAD_PRETRAINING,
    .vocabulary = 30522,
    .positions = 512,
    .separator = -1,
    .activation = GW_ACTIVATION_GELU_EXACT,
    .pattern = {.block = 64, .full = true},
    .encoder = "bert.",
    .order = GW_NORM_THEN_DROPOUT,
    .tokenizer_class = "BertTokenizer",
    .end = -1,
};
