// SPDX-License-Identifier: MIT
// BigBird -> encoder and decoder of the same tensors.
#include "model/convert.h"
#include "model/family.h"

#include <stdlib.h>

static gw_status make_decoder_config(const gw_config *from, gw_config *out) {
    if (from->family != GW_FAMILY_BIGBIRD) {
        char name[64];
        gw_architecture_name(from->family, from->head, name);
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no decoder, and only a BigBird can be made one", name);
    }
    GW_TRY(gw_config_copy(from, out));
    gw_config_forget_labels(out);
    out->window = out->bin = out->text_length = 0;
    free(out->other);
    out->other = NULL;
    out->family = GW_FAMILY_BIGBIRD_SHARED;
    out->head = GW_HEAD_GENERATION;
    out->decoder_layers = from->layers;
    out->decoder_heads = from->heads;
    out->decoder_feed_forward = from->feed_forward;
    out->decoder_start = out->end = GW_CONFIG_OPEN;
    return GW_OK;
}

gw_status gw_model_with_decoder(const gw_model *model, uint64_t seed, gw_model **out) {
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    gw_string fresh = {0};
    *out = NULL;
    GW_TRY(make_decoder_config(&model->config, &config));
    gw_status status = model->tokenizer ? gw_tokenizer_copy(model->tokenizer, &tokenizer) : GW_OK;
    if (status == GW_OK) status = gw_model_continue(model, &config, tokenizer, seed, &fresh, out);
    gw_config_free(&config);
    gw_string_free(&fresh);
    return status;
}
