// SPDX-License-Identifier: MIT
// Runs a description over a plan that takes no steps, and keeps what it declares.
#include "model/listing.h"

#include "base/memory.h"
#include "model/builder.h"
#include "model/head.h"
#include "model/mixer.h"

#include <string.h>

typedef struct {
    gw_parameters *list;
    int64_t capacity;
    gw_status status;
} listing;

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
    if (l->status == GW_OK) parameters->list[parameters->count++] = *declared;
    return nothing;
}

// What a mixer makes of a layer is as wide as its values.
static gw_tensor list_mixer(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    gw_mixer_of(b->config->mixer)->describe(b, layer, query, key, value);
    return value;
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
                    .find = list_tensor,
                    .lists = true,
                    .tensors = &list,
                    .prefix = "",
                    .deviation = -1};
    gw_head_of(config->head)->describe(&b, gw_describe_encoder(&b, NULL));
    gw_parameters_set_offsets(out);
    if (list.status != GW_OK) gw_parameters_free(out);
    return list.status;
}
