// SPDX-License-Identifier: MIT
// Options that were given go before the folder's.
#include "tools/search.h"

#include <string.h>

gw_status gw_search_options(const gw_search_arguments *a, const char *folder, const gw_model *model,
                            gw_generate_options *out) {
    gw_beam_options *o = &out->search;
    if (model->config.decoder_layers == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: the model has no decoder, it cannot write texts", folder);
    GW_TRY(gw_generate_defaults(folder, model, out));
    if (a->beams > 0) o->beams = a->beams;
    if (a->length_penalty >= 0) o->length_penalty = a->length_penalty;
    if (a->max_length >= 0) o->max_length = a->max_length;
    if (a->min_length >= 0) o->min_length = a->min_length;
    if (a->no_repeat >= 0) o->no_repeat_ngram = a->no_repeat;
    o->rule = strcmp(a->rule, "google") == 0 ? GW_BEAM_GOOGLE : GW_BEAM_HF;
    out->batch = a->batch;
    return GW_OK;
}
