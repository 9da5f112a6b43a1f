// SPDX-License-Identifier: MIT
// Reads what both families of GPN have, and writes their layers as the text of a stem.
#include "model/families/gpn_layers.h"

#include "model/head.h"

#include <stdlib.h>

enum { MOST_LAYERS = 1024, MOST_NUMBER = 1 << 16 };

void gw_gpn_set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 7;
    config->pooling = GW_SEQUENCE_MEAN;
    config->width = 512;
    config->layers = 0;
    config->heads = 1;
    config->segments = 1;
    config->positions = GW_GPN_WINDOW;
    config->rotary = 2; // positions have no weights: windows may be of any length
    config->epsilon = 1e-5;
    config->tied = false;
    config->one_hot = true;
}

bool gw_gpn_computes(const gw_config *config) {
    const bool pools = config->pooling == GW_SEQUENCE_FIRST || config->pooling == GW_SEQUENCE_MEAN;
    return pools && config->pattern.full && config->pattern.band == 0;
}

gw_transformer gw_gpn(void) {
    gw_transformer of = gw_bert();
    of.prefix = "model.";
    of.segments = of.embedding_norm = NULL;
    of.order = GW_NORM_ALONE;
    of.labels = GW_LABELS_OF_DENSE;
    of.dense_activation = GW_ACTIVATION_GELU_EXACT;
    of.taps_last = true;
    return of;
}

static gw_status refuse_inputs(const gw_config_reader *r) {
    int64_t tracks = 0;
    bool softplus = false;
    gw_activation activation = GW_ACTIVATION_GELU_EXACT;
    GW_TRY(gw_json_int(r->json, r->path, "n_aux_features", false, 0, MOST_NUMBER, &tracks));
    if (tracks > 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"n_aux_features\" is %lld: a model that reads tracks beside bases cannot be run", r->path,
                       (long long)tracks);
    if (!gw_head_of(r->config->head)->problem) return GW_OK;
    GW_TRY(gw_json_bool(r->json, r->path, "regression_softplus", false, &softplus));
    if (softplus)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"regression_softplus\" is true; false is what can be run", r->path);
    GW_TRY(gw_config_read_activation(r, "hidden_act", &activation));
    if (activation == GW_ACTIVATION_GELU_EXACT) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"hidden_act\" is \"%s\"; gelu is what can be run", r->path,
                   gw_config_activation(activation));
}

gw_status gw_gpn_read(const gw_config_reader *r, const char *count_key, gw_gpn_layers *out) {
    GW_TRY(refuse_inputs(r));
    GW_TRY(gw_json_int(r->json, r->path, count_key, false, 1, MOST_LAYERS, &out->count));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_base", false, 1, MOST_NUMBER, &out->base));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_cycle", false, 1, MOST_NUMBER, &out->cycle));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_double_every", false, 1, MOST_NUMBER, &out->double_every));
    return gw_json_int(r->json, r->path, "dilation_max", false, 1, MOST_NUMBER, &out->max);
}

static int64_t dilation(const gw_gpn_layers *layers, int64_t layer) {
    int64_t power = layer % layers->cycle / layers->double_every, value = 1;
    for (; power > 0 && value < layers->max; power--) value *= layers->base;
    return value < layers->max ? value : layers->max;
}

void gw_gpn_put_part(const gw_gpn_layers *layers, int64_t first, int64_t end, const char *part, gw_string *text) {
    if (first >= end) return;
    gw_string_printf(text, "%s%s", text->length > 0 ? "+" : "", part);
    for (int64_t i = first; i < end; i++)
        gw_string_printf(text, "%s%lld", i == first ? "@" : ",", (long long)dilation(layers, i));
}

static gw_status check_letters(const gw_config_reader *r) {
    const gw_config *config = r->config;
    if (!config->one_hot || config->vocabulary <= config->width) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%s: \"vocab_size\" is %lld, more than the %lld values of a one-hot row", r->path,
                   (long long)config->vocabulary, (long long)config->width);
}

gw_status gw_gpn_use_stem(const gw_config_reader *r, gw_string *text) {
    gw_status status = gw_first_failure(gw_string_status(text), check_letters(r));
    if (status == GW_OK) {
        status = gw_stem_parse(text->data, r->config->width, &r->config->stem);
        if (status != GW_OK) status = gw_fail_in(status, "%s", r->path);
    }
    gw_string_free(text);
    return status;
}
