// SPDX-License-Identifier: MIT
// Lists of parameters, and their values in memory of the device that computes with them.
#include "model/parameters.h"

#include "model/sinusoids.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16 }; // floats

static bool is_numbered(gw_role role) {
    return gw_role_is_of_layer(role) || gw_role_is_of_decoder_layer(role) || gw_role_is_of_stem(role);
}

void gw_parameter_begin(const gw_parameter *parameter, float *values) {
    switch (parameter->beginning) {
    case GW_BEGINS_SINUSOIDS: gw_sinusoids(parameter->shape[0], parameter->shape[1], values); break;
    case GW_BEGINS_FREQUENCIES: gw_rotary_frequencies(parameter->count, parameter->begins_at, values); break;
    case GW_BEGINS_ONE_HOT: gw_one_hot(parameter->shape[0], parameter->shape[1], values); break;
    default:
        for (int64_t i = 0; i < parameter->count; i++) values[i] = (float)parameter->begins_at;
    }
}

void gw_parameter_stored_shape(const gw_parameter *parameter, int64_t shape[3]) {
    const int64_t *own = parameter->shape;
    for (int i = 0; i < 3; i++) shape[i] = parameter->taps_last ? own[(i + 1) % 3] : own[i];
    shape[0] *= parameter->parts;
}

void gw_parameter_from_file(const gw_parameter *parameter, const float *in, float *out) {
    const int64_t taps = parameter->taps_last ? parameter->shape[0] : 1, each = parameter->count / taps;
    for (int64_t i = 0; i < each; i++)
        for (int64_t t = 0; t < taps; t++) out[t * each + i] = in[i * taps + t];
}

void gw_parameter_to_file(const gw_parameter *parameter, const float *in, float *out) {
    const int64_t taps = parameter->taps_last ? parameter->shape[0] : 1, each = parameter->count / taps;
    for (int64_t i = 0; i < each; i++)
        for (int64_t t = 0; t < taps; t++) out[i * taps + t] = in[t * each + i];
}

void gw_parameters_set_offsets(gw_parameters *parameters) {
    parameters->floats = 0;
    for (int i = 0; i < parameters->count; i++) {
        parameters->list[i].offset = parameters->floats;
        parameters->floats += (parameters->list[i].count + ALIGN - 1) / ALIGN * ALIGN;
    }
}

void gw_parameters_free(gw_parameters *parameters) {
    gw_mirror_free(&parameters->mirror);
    free(parameters->list);
    free(parameters->alias);
    free(parameters->weight);
    *parameters = (gw_parameters){0};
}

const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name) {
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0) return &parameters->list[i];
    return NULL;
}

const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias) {
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *parameter = &parameters->list[i];
        if (parameter->role == role && parameter->bias == bias && (!is_numbered(role) || parameter->layer == layer))
            return parameter;
    }
    return NULL;
}

gw_status gw_parameters_on_device(gw_parameters *parameters) {
    const gw_backend *kernels = gw_kernels();
    gw_mirror *mirror = &parameters->mirror;
    if (!kernels) return GW_ERR_UNSUPPORTED;
    if (mirror->device) {
        const bool shared = mirror->kernels->shares_host && kernels->shares_host;
        if (shared) mirror->kernels = kernels;
        if (shared || mirror->kernels == kernels) return GW_OK;
        return gw_fail(GW_ERR_UNSUPPORTED, "the model's weights are in memory of backend %s, not of %s",
                       mirror->kernels->name, kernels->name);
    }
    GW_TRY(gw_mirror_make(mirror, kernels, parameters->weight, NULL, parameters->floats * (int64_t)sizeof(float)));
    return gw_mirror_to_device(mirror);
}

gw_status gw_parameters_to_device(gw_parameters *parameters) {
    return parameters->mirror.device ? gw_mirror_to_device(&parameters->mirror) : GW_OK;
}

gw_status gw_parameters_to_host(gw_parameters *parameters) {
    return parameters->mirror.device ? gw_mirror_to_host(&parameters->mirror, parameters->mirror.bytes) : GW_OK;
}
