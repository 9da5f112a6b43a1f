// SPDX-License-Identifier: MIT
// Joins models of one architecture, and takes them apart.
#include "model/members.h"

#include "base/memory.h"
#include "model/model_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gw_member_name(int member, const char *name, char out[GW_PARAMETER_NAME]) {
    snprintf(out, GW_PARAMETER_NAME, "members.%d.%s", member, name);
}

static gw_status check_same(gw_model *const *members, int count) {
    for (int i = 1; i < count; i++) {
        const gw_config *a = &members[0]->config, *b = &members[i]->config;
        if (a->family != b->family || !gw_config_same_classifier(a, b) || strcmp(a->stem.text, b->stem.text) != 0)
            return gw_fail(GW_ERR_MISMATCH, "member %d is another network than the first: stem '%s', expected '%s'",
                           i + 1, b->stem.text, a->stem.text);
    }
    return GW_OK;
}

static gw_status make_whole(gw_model *const *members, int count, gw_model **out) {
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(check_same(members, count));
    if (members[0]->tokenizer) GW_TRY(gw_tokenizer_copy(members[0]->tokenizer, &tokenizer));
    GW_TRY(gw_model_begin(&members[0]->config, tokenizer, out));
    (*out)->members = gw_alloc(count, sizeof(gw_model *));
    return (*out)->members ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_model_join(gw_model **members, int count, gw_model **out) {
    *out = count == 1 ? members[0] : NULL;
    if (count == 1) return GW_OK;
    const gw_status status = make_whole(members, count, out);
    if (status != GW_OK) {
        for (int i = 0; i < count; i++) gw_model_free(members[i]);
        gw_model_free(*out);
        *out = NULL;
        return status;
    }
    memcpy((*out)->members, members, (size_t)count * sizeof *members);
    (*out)->config.members = count;
    return GW_OK;
}

gw_model *gw_model_member(gw_model *model, int member) {
    return model->members ? model->members[member] : model;
}

int gw_model_member_count(const gw_model *model) {
    return model->members ? (int)model->config.members : 1;
}
