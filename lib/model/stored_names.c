// SPDX-License-Identifier: MIT
// What a stored tensor is called in a list: its name, one of the list's aliases, or one of these with the prefix of
// encoders put before it or taken off.
#include "model/stored_names.h"

#include "base/string.h"
#include "model/config_names.h"
#include "model/family.h"
#include "model/head.h"
#include "model/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with) {
    const size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

// Replaces the end of a name where it is `from`; `to` is at most two letters longer.
static void replace_end(char *name, const char *from, const char *to) {
    if (ends(name, from)) strcpy(name + strlen(name) - strlen(from), to);
}

static const gw_parameter *parameter_of(const gw_parameters *list, const char *stored) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->list[i].stored, stored) == 0) return &list->list[i];
    return NULL;
}

static const gw_parameter_alias *alias_of(const gw_parameters *list, const char *stored) {
    for (int i = 0; i < list->alias_count; i++) {
        const gw_parameter_alias *alias = &list->alias[i];
        if (*alias->name == '*' ? ends(stored, alias->name + 1) : strcmp(alias->name, stored) == 0) return alias;
    }
    return NULL;
}

static const gw_parameter *twin_of(const gw_parameters *list, const char *stored) {
    for (int i = 0; i < list->count; i++)
        if (list->list[i].twin[0] && strcmp(list->list[i].twin, stored) == 0) return &list->list[i];
    return NULL;
}

// The tensor of the encoder that is called so in lists with the prefix, or without.
static const gw_parameter *encoder_tensor(const gw_parameters *list, const char *stored) {
    char name[2 * GW_PARAMETER_NAME];
    const bool prefixed = begins(stored, list->prefix);
    if (prefixed == !list->bare) return NULL; // what it would be was tried as it is
    snprintf(name, sizeof name, "%s%s", prefixed ? "" : list->prefix, stored + (prefixed ? strlen(list->prefix) : 0));
    const gw_parameter *found = parameter_of(list, name);
    return found && found->of_encoder ? found : NULL;
}

const gw_parameter *gw_stored_parameter(const gw_parameters *list, const char *stored, bool *alias) {
    char name[GW_PARAMETER_NAME + 2];
    *alias = false;
    if (snprintf(name, GW_PARAMETER_NAME, "%s", stored) >= GW_PARAMETER_NAME) return NULL;
    replace_end(name, "LayerNorm.gamma", "LayerNorm.weight");
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
    const gw_parameter *found = parameter_of(list, name);
    if (!found) found = twin_of(list, name);
    if (!found) found = encoder_tensor(list, name);
    const gw_parameter_alias *other = found ? NULL : alias_of(list, name);
    *alias = other != NULL;
    return other ? parameter_of(list, other->stored) : found;
}

bool gw_stored_is_buffer(const gw_config *config, const char *stored) {
    if (config->rotary > 0 && ends(stored, "embeddings.position_embeddings.weight")) return true;
    return ends(stored, "embeddings.position_ids") || ends(stored, "embeddings.token_type_ids") ||
           ends(stored, "rotary_emb.inv_freq") || begins(stored, "decoder.bert.pooler."); // which no decoder reads
}

bool gw_stored_is_layout(const char *stored, int *layer) {
    static const char marker[] = "encoder.layer.";
    *layer = -1;
    if (!ends(stored, "master_layout")) return false;
    const char *number = strstr(stored, marker);
    if (!number) return true;
    number += strlen(marker);
    char *end;
    const long value = strtol(number, &end, 10);
    if (end > number && *end == '.' && value >= 0 && value < 1 << 16) *layer = (int)value;
    return true;
}

// The tensors of the config's family under a head, of one layer, as their names do not depend on how many there are.
static gw_status list_of_head(const gw_config *config, int head, gw_config *other, gw_parameters *list) {
    *other = *config;
    other->head = (gw_head)head;
    other->layers = other->labels = 1;
    return gw_parameters_make(other, list);
}

gw_status gw_stored_of_other_head(const gw_config *config, const char *stored, bool *known) {
    *known = false;
    for (int head = 0; !*known && head < gw_head_count(); head++) {
        gw_config other;
        gw_parameters list;
        bool alias;
        if (!gw_family_has_head(config->family, (gw_head)head)) continue;
        GW_TRY(list_of_head(config, head, &other, &list));
        const gw_parameter *parameter = gw_stored_parameter(&list, stored, &alias);
        *known = parameter && (alias || !parameter->of_encoder || parameter->role == GW_ROLE_POOLER);
        gw_parameters_free(&list);
    }
    return GW_OK;
}

// How well a head fits: stored tensors that are its own, less one for all of its own, as a tie-break.
static gw_status fit_of(const gw_checkpoint *stored, const gw_config *config, int head, int64_t *fit) {
    gw_config other;
    gw_parameters list;
    *fit = 0;
    GW_TRY(list_of_head(config, head, &other, &list));
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        bool alias;
        const gw_parameter *parameter = gw_stored_parameter(&list, gw_checkpoint_at(stored, i)->name, &alias);
        if (parameter && !parameter->of_encoder) *fit += INT32_MAX;
    }
    for (int i = 0; i < list.count; i++) *fit -= !list.list[i].of_encoder;
    gw_parameters_free(&list);
    return GW_OK;
}

// Rows of a head's logits as they are stored.
static gw_status stored_labels(const gw_checkpoint *stored, const gw_config *config, gw_head head, int64_t *labels) {
    gw_config other;
    gw_parameters list;
    *labels = 0;
    if (!gw_head_of(head)->labels) return GW_OK;
    GW_TRY(list_of_head(config, (int)head, &other, &list));
    const gw_parameter *logits = gw_parameters_role(&list, GW_ROLE_LOGITS, 0, false);
    for (int i = 0; logits && i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        bool alias;
        if (gw_stored_parameter(&list, tensor->name, &alias) == logits && tensor->dimensions == 2)
            *labels = tensor->shape[0];
    }
    gw_parameters_free(&list);
    return GW_OK;
}

static void add_name(gw_string *names, gw_family family, int head) {
    char name[64];
    gw_architecture_name(family, (gw_head)head, name);
    gw_string_printf(names, "%s%s", names->length > 0 ? ", " : "", name);
}

gw_status gw_stored_head(const gw_checkpoint *stored, const char *folder, const gw_config *config, gw_head *out,
                         int64_t *labels) {
    gw_string names = {0};
    gw_status status = GW_OK;
    int64_t fit, best = INT64_MIN;
    int heads = 0;
    for (int head = 0; status == GW_OK && head < gw_head_count(); head++) {
        if (!gw_family_has_head(config->family, (gw_head)head)) continue;
        status = fit_of(stored, config, head, &fit);
        if (fit < best) continue;
        if (fit > best) {
            gw_string_clear(&names);
            heads = 0;
        }
        best = fit;
        heads++;
        *out = (gw_head)head;
        add_name(&names, config->family, head);
    }
    if (status == GW_OK) status = gw_string_status(&names);
    if (status == GW_OK && heads > 1)
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: config.json names no architecture, and by its tensors it may be %s",
                         folder, names.data);
    gw_string_free(&names);
    return status == GW_OK ? stored_labels(stored, config, *out, labels) : status;
}
