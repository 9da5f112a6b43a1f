// SPDX-License-Identifier: MIT
// What families call tensors: BERT's names are the rule; what another family calls otherwise its row says.
#include "model/names.h"

#include "model/family.h"
#include "model/head.h"

#include <stdio.h>
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

// Fused tensors.

static int count_parts(const gw_fused_tensor *fused) {
    int count = 0;
    while (count < GW_FUSED_PARTS && fused->part[count]) count++;
    return count;
}

// What follows the fused tensor's stem and a full stop in a name; NULL: another tensor.
static const char *after_stem(const gw_fused_tensor *fused, const char *name) {
    const char *found = strstr(name, fused->stored);
    const char *rest = found ? found + strlen(fused->stored) : NULL;
    return rest && *rest == '.' ? rest + 1 : NULL;
}

// The family's row for a name, and what follows the row's stem there; NULL: none.
static const gw_fused_tensor *row_of(gw_family family, const char *name, const char **rest) {
    for (const gw_fused_tensor *fused = gw_family_of(family)->fused; fused && fused->stored; fused++)
        if ((*rest = after_stem(fused, name))) return fused;
    return NULL;
}

void gw_fused_into(gw_family family, const char *name, char stored[GW_PARAMETER_NAME], int *part, int *parts) {
    const char *rest;
    const gw_fused_tensor *fused = row_of(family, name, &rest);
    snprintf(stored, GW_PARAMETER_NAME, "%s", name);
    *part = 0;
    *parts = 1;
    for (int p = 0; fused && p < count_parts(fused); p++) {
        const size_t length = strlen(fused->part[p]);
        if (strncmp(rest, fused->part[p], length) != 0 || rest[length] != '.') continue;
        snprintf(stored, GW_PARAMETER_NAME, "%.*s%s", (int)(rest - name), name, rest + length + 1);
        *part = p;
        *parts = count_parts(fused);
    }
}
