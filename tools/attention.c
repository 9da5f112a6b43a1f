// SPDX-License-Identifier: MIT
#include "tools/attention.h"

#include "base/log.h"

#include <stdlib.h>

gw_status gw_attention_apply(const gw_attention_arguments *arguments, gw_model *model) {
    gw_pattern *pattern = &model->config.pattern;
    const int64_t pad_to = arguments->pad_to, positions = gw_config_longest(&model->config);
    if (arguments->mode) GW_TRY(gw_pattern_use_mode(pattern, arguments->mode));
    if (pad_to > positions)
        return gw_fail(GW_ERR_RANGE, "--pad-to %lld: the model has %lld positions", (long long)pad_to,
                       (long long)positions);
    char *text = gw_model_attention(model);
    if (!text) return GW_ERR_MEMORY;
    if (pad_to > 0) gw_note("attention: %s, inputs padded to %lld tokens", text, (long long)pad_to);
    else gw_note("attention: %s", text);
    free(text);
    return GW_OK;
}
