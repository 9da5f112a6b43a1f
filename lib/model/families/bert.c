// SPDX-License-Identifier: MIT
// BERT as transformers' modeling_bert: full attention, norm then dropout after the embeddings.
#include "model/family.h"

static void describe(gw_builder *b) {
    const gw_transformer bert = gw_bert();
    gw_describe_transformer(b, &bert);
}

const gw_family_row gw_family_bert = {.model_type = "bert", .prefix = "Bert", .describe = describe};
