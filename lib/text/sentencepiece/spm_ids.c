// SPDX-License-Identifier: MIT
// Ids as segmenting gives them, from the last to the first.
#include "text/sentencepiece/spm_model.h"

void gw_spm_put(const gw_sentencepiece *model, gw_spm_ids *out, int32_t id, const char *text, int32_t length) {
    const bool unknown = id == model->unknown;
    if (unknown && model->byte_fallback)
        for (int32_t i = length - 1; i >= 0; i--) out->ids[--out->first] = model->byte_ids[(uint8_t)text[i]];
    else if (!unknown || !out->after_unknown) out->ids[--out->first] = id;
    out->unknown += unknown && !model->byte_fallback;
    out->after_unknown = unknown;
}
