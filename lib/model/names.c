// SPDX-License-Identifier: MIT
// What families call tensors: BERT's names are the rule; what another family calls otherwise its row says.
#include "model/names.h"

#include "model/family.h"
#include "model/head.h"

#include <string.h>

static const char *own_stem(const gw_tensor_stem *own, const char *stem) {
    for (; own && own->bert; own++)
        if (strcmp(own->bert, stem) == 0) return own->own;
    return NULL;
}

const char *gw_family_stem(const gw_config *config, const char *stem) {
    const gw_family_row *family = gw_family_of(config->family);
    const char *before = config->pre_norm ? own_stem(family->pre_norm_stems, stem) : NULL;
    const char *own = before ? before : own_stem(family->stems, stem);
    return own ? own : stem;
}

const char *gw_encoder_prefix(const gw_config *config) {
    return gw_head_of(config->head)->bare ? "" : gw_family_of(config->family)->encoder;
}

bool gw_head_reads_pooler(const gw_config *config) {
    const gw_head_pooler pooler = gw_head_of(config->head)->pooler;
    if (gw_family_of(config->family)->head_transform) return false;
    return pooler == GW_POOLER_READ || (pooler == GW_POOLER_OR_DENSE && !gw_family_of(config->family)->dense_labels);
}
