// SPDX-License-Identifier: MIT
// Tries a tensor's names in turn, the present one first.
#include "model/stored_names.h"

#include "base/string.h"
#include "model/family.h"
#include "model/head.h"
#include "model/listing.h"
#include "model/names.h"

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

static const char frequencies[] = "rotary_embeddings.inv_freq";

static bool in_encoder(const gw_config *config, const char *name) {
    const char *layers = gw_family_of(config->family)->layers;
    if ((layers && begins(name, layers)) || begins(name, gw_family_stem(config, "encoder.last_layer_ln"))) return true;
    if (strcmp(name, frequencies) == 0 || begins(name, "contact_head.")) return true;
    return begins(name, "embeddings.") || begins(name, "stem.") || begins(name, "encoder.") || begins(name, "pooler.");
}

// What follows "cls.predictions.decoder." or "lm_head.decoder." in a name, or NULL; *stem is what stands before that.
static const char *after_decoder(const gw_config *config, const char *stored, const char **stem) {
    static const char decoder[] = ".decoder.";
    for (int head = 0; head < gw_head_count(); head++) {
        if (!gw_head_of(head)->decoder) continue;
        *stem = gw_family_stem(config, gw_head_of(head)->decoder);
        const char *rest = stored + strlen(*stem);
        if (begins(stored, *stem) && begins(rest, decoder)) return rest + strlen(decoder);
    }
    return NULL;
}

// What the encoder calls the tensor that a decoder shares with it; the cross attention is the decoder's own.
static const char *of_encoder(const gw_config *config, const char *stored, char name[GW_PARAMETER_NAME]) {
    const gw_family_row *family = gw_family_of(config->family);
    if (!family->twin || !begins(stored, family->twin) || strstr(stored, ".crossattention.")) return stored;
    const int length = snprintf(name, GW_PARAMETER_NAME, "%s%s", family->encoder, stored + strlen(family->twin));
    return length < GW_PARAMETER_NAME ? name : stored;
}

void gw_stored_name(const gw_config *config, const char *stored, char name[GW_PARAMETER_NAME]) {
    const char *prefix = gw_family_of(config->family)->encoder, *own = gw_encoder_prefix(config);
    const char *stem, *decoder = after_decoder(config, stored, &stem), *tied = NULL;
    char bias[GW_PARAMETER_NAME];
    if (decoder) snprintf(bias, sizeof bias, "%s.bias", stem);
    if (decoder && strcmp(decoder, "weight") != 0) tied = bias;
    else if (decoder && config->tied) tied = "embeddings.word_embeddings.weight";
    char shared[GW_PARAMETER_NAME];
    stored = of_encoder(config, stored, shared);
    for (const gw_tensor_stem *tie = gw_family_of(config->family)->ties; tie && tie->bert; tie++)
        if (strcmp(tie->own, stored) == 0) stored = tie->bert;
    const char *rest = tied ? tied : begins(stored, prefix) ? stored + strlen(prefix) : stored;
    if (gw_family_of(config->family)->stores_frequencies && ends(stored, frequencies)) rest = frequencies;
    if (!in_encoder(config, rest)) {
        rest = tied ? tied : stored;
        own = "";
    }
    if (snprintf(name, GW_PARAMETER_NAME, "%s%s", own, rest) + 2 >= GW_PARAMETER_NAME) name[0] = 0;
    replace_end(name, "LayerNorm.gamma", "LayerNorm.weight");
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
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

// The tensor of a head's list that a file calls `stored`, or NULL.
static const gw_parameter *find(const gw_config *config, const gw_parameters *list, const char *stored) {
    char name[GW_PARAMETER_NAME];
    gw_stored_name(config, stored, name);
    return gw_parameters_find(list, name);
}

gw_status gw_stored_of_other_head(const gw_config *config, const char *stored, bool *known) {
    const char *stem;
    *known = after_decoder(config, stored, &stem) != NULL;
    for (int head = 0; !*known && head < gw_head_count(); head++) {
        gw_config other;
        gw_parameters list;
        if (!gw_family_has_head(config->family, (gw_head)head)) continue;
        GW_TRY(list_of_head(config, head, &other, &list));
        const gw_parameter *parameter = find(&other, &list, stored);
        *known = parameter && (!parameter->of_encoder || parameter->role == GW_ROLE_POOLER);
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
        const gw_parameter *parameter = find(&other, &list, gw_checkpoint_at(stored, i)->name);
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
        if (find(&other, &list, tensor->name) == logits && tensor->dimensions == 2) *labels = tensor->shape[0];
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
