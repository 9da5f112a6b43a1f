// SPDX-License-Identifier: MIT
// Declares tensors: names them, and has them listed or found.
#include "model/builder.h"

#include "model/family.h"
#include "model/names.h"

#include <stdio.h>

enum { MOST_DIMENSIONS = 3 };

void gw_builder_scope(gw_builder *b, const char *stem, int number) {
    b->scope[0] = 0;
    b->number = number;
    if (stem) snprintf(b->scope, sizeof b->scope, "%s.%d.", stem, number);
}

static bool is_fixed(const gw_builder *b, const gw_parameter *p) {
    const bool position = p->role == GW_ROLE_POSITION || p->role == GW_ROLE_DECODER_POSITION;
    return p->made || p->role == GW_ROLE_FREQUENCIES || p->role == GW_ROLE_CONTACTS ||
           (position && gw_family_of(b->config->family)->sinusoids);
}

static gw_found_tensor declare(gw_builder *b, gw_parameter p, const char *stem, const char *kind) {
    for (p.count = 1; p.dimensions < MOST_DIMENSIONS && p.shape[p.dimensions] > 0; p.dimensions++)
        p.count *= p.shape[p.dimensions];
    p.layer = b->number;
    p.made = b->config->one_hot && p.role == GW_ROLE_TOKEN_EMBEDDING;
    p.taps_last = p.dimensions == 3 && gw_family_of(b->config->family)->taps_last;
    p.fixed = is_fixed(b, &p);
    p.decay = p.dimensions > 1 && !p.bias && !p.fixed && p.begins_at == 0;
    snprintf(p.name, sizeof p.name, "%s%s%s%s", b->prefix, b->scope, gw_family_stem(b->config, stem), kind);
    return b->find(b, &p);
}

gw_weight gw_declare_weight(gw_builder *b, gw_role role, const char *stem, int64_t rows, int64_t columns) {
    return declare(b, (gw_parameter){.role = role, .shape = {rows, columns}}, stem, ".weight").weight;
}

gw_weight gw_declare_bias(gw_builder *b, gw_role role, const char *stem, int64_t count) {
    return declare(b, (gw_parameter){.role = role, .bias = true, .shape = {count}}, stem, ".bias").weight;
}

gw_weight gw_declare_convolution(gw_builder *b, gw_role role, const char *stem, int64_t taps, int64_t width,
                                 int64_t in) {
    return declare(b, (gw_parameter){.role = role, .shape = {taps, width, in}}, stem, ".weight").weight;
}

gw_weight gw_declare_buffer(gw_builder *b, gw_role role, const char *stem, bool bias, int64_t rows, int64_t columns) {
    return declare(b, (gw_parameter){.role = role, .bias = bias, .shape = {rows, columns}}, stem, "").weight;
}

static gw_linear declare_linear(gw_builder *b, gw_parameter weight, const char *stem, bool bias) {
    const gw_found_tensor found = declare(b, weight, stem, ".weight");
    const gw_weight none = {NULL, NULL};
    return (gw_linear){found.weight, bias ? gw_declare_bias(b, weight.role, stem, weight.shape[0]) : none, found.packed,
                       b->precision};
}

gw_linear gw_declare_linear(gw_builder *b, gw_role role, const char *stem, int64_t out, int64_t in, bool bias) {
    return declare_linear(b, (gw_parameter){.role = role, .shape = {out, in}}, stem, bias);
}

gw_linear gw_declare_slopes(gw_builder *b, gw_role role, const char *stem, int64_t out, bool bias) {
    return declare_linear(b, (gw_parameter){.role = role, .shape = {out, 1}, .begins_at = 1}, stem, bias);
}

gw_norm gw_declare_norm(gw_builder *b, gw_role role, const char *stem, int64_t width) {
    const gw_parameter weight = {.role = role, .shape = {width}, .begins_at = 1};
    const gw_weight zeros = {b->zeros, NULL}; // no bias at all would be another norm (nn/layers.h)
    const gw_weight found = declare(b, weight, stem, ".weight").weight;
    return (gw_norm){found, b->config->norm_bias ? gw_declare_bias(b, role, stem, width) : zeros};
}

gw_tensor gw_build_linear(gw_builder *b, gw_tensor x, gw_role role, const char *stem, int64_t out, bool bias) {
    return gw_plan_linear(b->plan, x, gw_declare_linear(b, role, stem, out, x.width, bias), out);
}

gw_tensor gw_build_norm(gw_builder *b, gw_tensor x, gw_role role, const char *stem) {
    return gw_plan_norm(b->plan, x, gw_declare_norm(b, role, stem, x.width), b->config->epsilon);
}
