// SPDX-License-Identifier: MIT
// Reads the options, freezes the model, and says in a note what was chosen.
#include "tools/inference.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_check_training_precision(gw_precision dtype) {
    if (dtype == GW_F32 || gw_has_bf16()) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "--dtype: this processor has no bf16 instructions (AVX512_BF16)");
}

gw_status gw_inference_apply(const gw_inference_arguments *arguments, gw_model *model) {
    const int64_t pad_to = arguments->pad_to, positions = gw_config_longest(&model->config);
    if (arguments->mode) GW_TRY(gw_config_use_mode(&model->config, arguments->mode));
    if (pad_to > positions)
        return gw_fail(GW_ERR_RANGE, "--pad-to %lld: the model has %lld positions", (long long)pad_to,
                       (long long)positions);
    model->pad_to = pad_to;
    gw_status status = GW_OK;
    if (arguments->temperature != 0) status = gw_config_use_temperature(&model->config, arguments->temperature);
    if (status != GW_OK) return gw_fail_in(status, "--temperature");
    status = gw_model_freeze(model, arguments->dtype);
    if (status != GW_OK) return gw_fail_in(status, "--dtype");
    char *text = gw_model_attention(model);
    if (!text) return GW_ERR_MEMORY;
    const bool usual = strcmp(text, "full") == 0 && !arguments->mode; // worth no word
    if (pad_to > 0) gw_note("attention: %s, inputs padded to %lld tokens", text, (long long)pad_to);
    else if (!usual) gw_note("attention: %s", text);
    if (arguments->dtype == GW_BF16) gw_note("products are of bf16 numbers");
    free(text);
    return GW_OK;
}

void gw_inference_unload(const gw_string_list *folders, gw_model **models) {
    for (int m = 0; models && m < folders->count; m++) gw_model_free(models[m]);
    free(models);
}

gw_status gw_inference_load(const gw_inference_arguments *arguments, const gw_string_list *folders, gw_model ***out) {
    *out = NULL;
    GW_TRY(gw_device_apply(arguments->device));
    gw_model **models = *out = gw_alloc(folders->count, sizeof *models);
    gw_status status = models ? GW_OK : GW_ERR_MEMORY;
    for (int m = 0; status == GW_OK && m < folders->count; m++) {
        status = gw_model_load(folders->items[m], &models[m]);
        if (status == GW_OK) status = gw_inference_apply(arguments, models[m]);
    }
    if (status == GW_OK) return GW_OK;
    gw_inference_unload(folders, models);
    *out = NULL;
    return status;
}
