// SPDX-License-Identifier: MIT
// The tensors of a model: initial values, layout in files, and one block of values in the memory of the computing
// device.
#include "model/parameters.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16 }; // floats

void gw_parameter_begin(const gw_parameter *p, float *values) {
    const int64_t columns = p->shape[1], half = columns / 2;
    switch (p->beginning) {
    case GW_BEGINS_SINUSOIDS: // values[i][j] = sin(i / 10000^(2 j / columns)), values[i][half + j] the cosine of it
        for (int64_t i = 0; i < p->shape[0]; i++)
            for (int64_t j = 0; j < half; j++) {
                const double angle = (double)i / pow(10000, 2 * (double)j / (double)columns);
                values[i * columns + j] = (float)sin(angle);
                values[i * columns + half + j] = (float)cos(angle);
            }
        break;
    case GW_BEGINS_FREQUENCIES: // values[j] = base^(-j / count), rounded as the op rotary_angles has them
        for (int64_t j = 0; j < p->count; j++)
            values[j] = 1.0f / (float)pow(p->begins_at, (double)j / (double)p->count);
        break;
    case GW_BEGINS_ONE_HOT:
        for (int64_t i = 0; i < p->count; i++)
            values[i] = i / columns - (int64_t)p->begins_at == i % columns ? 1.0f : 0.0f;
        break;
    default:
        for (int64_t i = 0; i < p->count; i++) values[i] = (float)p->begins_at;
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
    const bool numbered = gw_role_is_of_layer(role) || gw_role_is_of_decoder_layer(role) || gw_role_is_of_stem(role);
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *parameter = &parameters->list[i];
        if (parameter->role == role && parameter->bias == bias && (!numbered || parameter->layer == layer))
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
