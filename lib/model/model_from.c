// SPDX-License-Identifier: MIT
// Models that begin as other models: tensors find each other by their roles.
#include "base/memory.h"
#include "model/head.h"
#include "model/model_parts.h"

#include <string.h>

static gw_status check_alone(const gw_model *model) {
    if (!model->members) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "the model is %lld networks: one of them alone can be trained further",
                   (long long)model->config.members);
}

static gw_status copy_layout(const gw_model *from, gw_model *to) {
    return gw_layout_copy(gw_config_has_layout(&to->config) ? from->layout : NULL, &to->layout);
}

// Of a layer before a head's logits that all heads of the family have: others but those of masked tokens then have it.
static bool is_of_every_head(const gw_config *config, gw_role role) {
    return !gw_head_of(config->head)->masked && (role == GW_ROLE_MASK_TRANSFORM || role == GW_ROLE_MASK_NORM);
}

// The encoder's tensors, what all heads have, and the head's where it tells the same labels. A pooler that the model
// does not have stays fresh, and so does what is a mixer's own.
static gw_status copy_encoder(const gw_model *from, gw_model *to) {
    const bool head = gw_config_same_classifier(&from->config, &to->config);
    for (int i = 0; i < to->parameters.count; i++) {
        const gw_parameter *target = &to->parameters.list[i];
        const gw_parameter *source = gw_model_source(from, target);
        const bool of_every = is_of_every_head(&to->config, target->role);
        const bool may_be_fresh = target->role == GW_ROLE_POOLER || gw_role_is_of_mixer(target->role) || of_every;
        if (!head && !of_every && !target->of_encoder) continue;
        if (!source && may_be_fresh) continue;
        if (!source || source->count != target->count || source->shape[0] != target->shape[0])
            return gw_fail(GW_ERR_MISMATCH, "the classifier's config asks for another tensor %s than the model has",
                           target->name);
        memcpy(to->parameters.weight + target->offset, from->parameters.weight + source->offset,
               (size_t)target->count * sizeof(float));
    }
    return copy_layout(from, to);
}

gw_status gw_model_with_classifier(const gw_model *model, const gw_config *config, uint64_t seed, gw_model **out) {
    *out = NULL;
    if (gw_head_of(config->head)->labels && config->labels < 1)
        return gw_fail(GW_ERR_RANGE, "a classifier needs at least one label");
    GW_TRY(check_alone(model));
    gw_tokenizer *tokenizer = NULL;
    gw_model *made;
    if (model->tokenizer) GW_TRY(gw_tokenizer_copy(model->tokenizer, &tokenizer));
    GW_TRY(gw_model_fresh(config, tokenizer, seed, &made));
    const gw_status status = copy_encoder(model, made);
    if (status == GW_OK) *out = made;
    else gw_model_free(made);
    return status;
}

// Of a larger vocabulary the first rows.
static void copy_what_fits(const gw_model *from, gw_model *to, gw_string *fresh) {
    for (int i = 0; i < to->parameters.count; i++) {
        const gw_parameter *target = &to->parameters.list[i], *source = gw_model_source(from, target);
        if (source && source->count <= target->count)
            memcpy(to->parameters.weight + target->offset, from->parameters.weight + source->offset,
                   (size_t)source->count * sizeof(float));
        else gw_string_printf(fresh, "%s%s", fresh->length > 0 ? ", " : "", target->name);
    }
}

gw_status gw_model_continue(const gw_model *model, const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed,
                            gw_string *fresh, gw_model **out) {
    *out = NULL;
    gw_model *made;
    GW_TRY(gw_model_fresh(config, tokenizer, seed, &made));
    copy_what_fits(model, made, fresh);
    gw_status status = check_alone(model);
    if (status == GW_OK) status = copy_layout(model, made);
    if (status == GW_OK) status = gw_string_status(fresh);
    if (status == GW_OK) *out = made;
    else gw_model_free(made);
    return status;
}
