// SPDX-License-Identifier: MIT
// Runs a description over a plan that takes no steps, and keeps what it declares.
#include "model/listing.h"

#include "base/memory.h"
#include "model/builder.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    gw_parameters *list;
    int64_t capacity, alias_capacity;
    gw_status status;
} listing;

// The parts of a stored tensor that were listed before, which are one more now.
static int count_parts(gw_parameters *parameters, const char *stored) {
    int count = 0;
    for (int i = 0; i < parameters->count; i++) count += strcmp(parameters->list[i].stored, stored) == 0;
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].stored, stored) == 0) parameters->list[i].parts = count + 1;
    return count;
}

// A table that a product reads too is declared twice.
static gw_found_tensor list_tensor(gw_builder *b, const gw_parameter *declared) {
    listing *l = b->tensors;
    gw_parameters *parameters = l->list;
    const gw_found_tensor nothing = {0};
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, declared->name) == 0) {
            parameters->list[i].multiplied |= declared->multiplied;
            return nothing;
        }
    if (l->status == GW_OK)
        l->status = gw_reserve(&parameters->list, &l->capacity, parameters->count + 1, sizeof *parameters->list);
    if (l->status != GW_OK) return nothing;
    gw_parameter parameter = *declared;
    parameter.part = count_parts(parameters, declared->stored);
    parameter.parts = parameter.part + 1;
    parameters->list[parameters->count++] = parameter;
    return nothing;
}

static void list_alias(gw_builder *b, const gw_parameter_alias *alias) {
    listing *l = b->tensors;
    gw_parameters *parameters = l->list;
    if (l->status == GW_OK)
        l->status = gw_reserve(&parameters->alias, &l->alias_capacity, parameters->alias_count + 1, sizeof *alias);
    if (l->status == GW_OK) parameters->alias[parameters->alias_count++] = *alias;
}

// What a mixer makes of a layer is as wide as its values.
static gw_tensor list_mixer(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    gw_mixer_of(b->config->mixer)->describe(b, layer, query, key, value);
    return value;
}

static void list_head(gw_builder *b, gw_tensor hidden, gw_tensor beside) {
    (void)beside;
    gw_head_of(b->config->head)->describe(b, hidden);
}

gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) {
    *out = (gw_parameters){0};
    gw_plan no_steps = {.status = GW_ERR_MEMORY}; // describing goes on after a failure, and appends nothing
    for (int i = 0; i < GW_BATCH_ROWS; i++) no_steps.rows[i].each_sequence = true; // of the one stream of tokens
    listing list = {.list = out};
    gw_builder b = {.config = config,
                    .plan = &no_steps,
                    .layers = (int)config->layers,
                    .mix = list_mixer,
                    .end = list_head,
                    .find = list_tensor,
                    .alias = list_alias,
                    .lists = true,
                    .tensors = &list,
                    .prefix = "",
                    .deviation = -1};
    gw_family_of(config->family)->describe(&b);
    out->bare = gw_head_of(config->head)->bare;
    snprintf(out->prefix, sizeof out->prefix, "%s", b.of.prefix);
    gw_parameters_set_offsets(out);
    if (list.status != GW_OK) gw_parameters_free(out);
    return list.status;
}
