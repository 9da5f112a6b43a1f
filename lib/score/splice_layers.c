// SPDX-License-Identifier: MIT
// Reads the parts of a stem (nn/stem.h) as convolutions and skips.
#include "score/splice_layers.h"

#include <stddef.h>

static const float leak = 0.1F;

static const float *values(const gw_model *member, gw_role role, int part, bool bias) {
    const gw_parameter *parameter = gw_model_role(member, role, part, bias);
    return parameter ? member->parameters.weight + parameter->offset : NULL;
}

static gw_linear_layer linear(const gw_model *member, gw_role role, int part) {
    const gw_parameter *weight = gw_model_role(member, role, part, false);
    return (gw_linear_layer){.weight = member->packed[weight - member->parameters.list],
                             .bias = values(member, role, part, true)};
}

static void add_layer(gw_splice_layers *out, const gw_model *member, int i, bool second) {
    const gw_stem_layer *part = &member->config.stem.part[i];
    const gw_role norm = second ? GW_ROLE_STEM_OUTPUT_NORM : GW_ROLE_STEM_NORM;
    const gw_role convolution = second ? GW_ROLE_STEM_SECOND : GW_ROLE_STEM_CONVOLUTION;
    out->layer[out->count] = (gw_splice_layer){
        .scale = values(member, norm, i, false),
        .shift = values(member, norm, i, true),
        .slope = part->kind == GW_STEM_LEAKY_UNIT ? leak : 0,
        .weight = values(member, convolution, i, false),
        .bias = values(member, convolution, i, true),
        .taps = part->taps,
        .dilation = part->dilation,
        .reach = (int64_t)(part->taps - 1) / 2 * part->dilation,
        .second = second,
    };
    out->reach[out->count + 1] = out->reach[out->count] + out->layer[out->count].reach;
    out->count++;
}

static bool add_part(gw_splice_layers *out, const gw_model *member, int i) {
    const gw_stem_layer *part = &member->config.stem.part[i];
    if (part->in != out->width || part->width != out->width) return false;
    if (part->kind == GW_STEM_SKIP) {
        out->skip[out->skips++] = (gw_splice_skip){out->count, linear(member, GW_ROLE_STEM_OUTPUT, i)};
        return true;
    }
    if (!gw_stem_is_unit(part)) return false;
    add_layer(out, member, i, false);
    add_layer(out, member, i, true);
    return true;
}

bool gw_splice_layers_of(const gw_model *member, gw_splice_layers *out) {
    const gw_stem *stem = &member->config.stem;
    *out = (gw_splice_layers){.width = member->config.width, .precision = member->precision};
    if (!member->packed) return false;
    for (int i = 0; i < stem->count; i++)
        if (!add_part(out, member, i)) return false;
    out->embedding = values(member, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    out->head = linear(member, GW_ROLE_LOGITS, 0);
    return out->skips > 0 && out->count > 0;
}
