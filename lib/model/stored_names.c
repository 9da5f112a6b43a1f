// SPDX-License-Identifier: MIT
// Tries a tensor's names in turn, the present one first.
#include "model/stored_names.h"

#include "model/family.h"
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

static bool in_encoder(const char *name) {
    return begins(name, "embeddings.") || begins(name, "encoder.") || begins(name, "pooler.");
}

// What follows "cls.predictions.decoder." or "lm_head.decoder." in a name, or NULL.
static const char *after_decoder(const gw_config *config, const char *stored) {
    static const char decoder[] = ".decoder.";
    const char *stem = gw_role_stem(config, GW_ROLE_MASK_DECODER), *rest = stored + strlen(stem);
    return begins(stored, stem) && begins(rest, decoder) ? rest + strlen(decoder) : NULL;
}

void gw_stored_name(const gw_config *config, const char *stored, char name[GW_PARAMETER_NAME]) {
    const char *prefix = gw_family_of(config->family)->encoder, *decoder = after_decoder(config, stored), *tied = NULL;
    const char *own = config->head == GW_HEAD_NONE ? "" : prefix;
    char bias[GW_PARAMETER_NAME];
    snprintf(bias, sizeof bias, "%s.bias", gw_role_stem(config, GW_ROLE_MASK_DECODER));
    if (decoder) tied = strcmp(decoder, "weight") == 0 ? "embeddings.word_embeddings.weight" : bias;
    const char *rest = tied ? tied : begins(stored, prefix) ? stored + strlen(prefix) : stored;
    if (!in_encoder(rest)) {
        rest = tied ? tied : stored;
        own = "";
    }
    if (snprintf(name, GW_PARAMETER_NAME, "%s%s", own, rest) + 2 >= GW_PARAMETER_NAME) name[0] = 0;
    replace_end(name, "LayerNorm.gamma", "LayerNorm.weight");
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
}

bool gw_stored_is_buffer(const char *stored) {
    return ends(stored, "embeddings.position_ids") || ends(stored, "embeddings.token_type_ids") ||
           ends(stored, "rotary_emb.inv_freq");
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

gw_status gw_stored_of_other_head(const gw_config *config, const char *stored, bool *known) {
    *known = after_decoder(config, stored) != NULL;
    for (int head = 0; !*known && head < GW_HEADS; head++) {
        gw_config other = *config;
        gw_parameters list;
        char name[GW_PARAMETER_NAME];
        other.head = (gw_head)head;
        other.layers = other.labels = 1;
        GW_TRY(gw_parameters_make(&other, &list));
        gw_stored_name(&other, stored, name);
        const gw_parameter *parameter = gw_parameters_find(&list, name);
        *known = parameter && (!gw_role_is_encoder(parameter->role) || parameter->role == GW_ROLE_POOLER);
        gw_parameters_free(&list);
    }
    return GW_OK;
}

// Three heads call their logits "classifier".
static gw_status several(const char *folder, gw_family family) {
    char sequence[64], token[64], choice[64];
    gw_architecture_name(family, GW_HEAD_SEQUENCE, sequence);
    gw_architecture_name(family, GW_HEAD_TOKEN, token);
    gw_architecture_name(family, GW_HEAD_MULTIPLE_CHOICE, choice);
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s: config.json names no architecture, and its classifier may be that of %s, %s or %s", folder,
                   sequence, token, choice);
}

gw_status gw_stored_head(const gw_checkpoint *stored, const char *folder, gw_family family, gw_head *out) {
    static const struct {
        const char *begin;
        gw_head head;
    } signs[] = {{"cls.seq_relationship.", GW_HEAD_PRETRAINING}, // before its other head
                 {"cls.predictions.", GW_HEAD_MASKED},
                 {"lm_head.", GW_HEAD_MASKED},
                 {"qa_classifier.", GW_HEAD_SPAN},
                 {"qa_outputs.", GW_HEAD_SPAN},
                 {"classifier.dense.", GW_HEAD_SEQUENCE}};
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        for (int i = 0; i < gw_checkpoint_count(stored); i++)
            if (begins(gw_checkpoint_at(stored, i)->name, signs[s].begin)) {
                *out = signs[s].head;
                return GW_OK;
            }
    *out = GW_HEAD_NONE;
    for (int i = 0; i < gw_checkpoint_count(stored); i++)
        if (begins(gw_checkpoint_at(stored, i)->name, "classifier.")) return several(folder, family);
    return GW_OK;
}
