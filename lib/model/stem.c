// SPDX-License-Identifier: MIT
// The parts of a convolutional stem (nn/stem.h). A part is a segment of the plan.
#include "model/stem.h"

#include "model/head.h"
#include "nn/convolution.h"
#include "nn/pool.h"

static const double leak = 0.1;

// The part that is described.
typedef struct {
    gw_builder *b;
    const gw_stem *stem;
    const gw_stem_layer *part;
} part_of;

static gw_tensor taps_of(const part_of *p, gw_tensor x, gw_role role, const char *stem) {
    const gw_stem_layer *part = p->part;
    gw_convolution convolution = {.weight = gw_declare_convolution(p->b, role, stem, part->taps, part->width, part->in),
                                  .taps = part->taps,
                                  .dilation = part->dilation,
                                  .groups = 1,
                                  .precision = p->b->precision};
    if (p->b->config->bias) convolution.bias = gw_declare_bias(p->b, role, stem, part->width);
    return gw_plan_convolution(p->b->plan, x, convolution, part->width);
}

static gw_tensor activated(const part_of *p, gw_tensor x) {
    return gw_plan_activation(p->b->plan, x, p->b->config->activation);
}

static gw_tensor convolve(const part_of *p, gw_tensor x) {
    return activated(p, taps_of(p, x, GW_ROLE_STEM_CONVOLUTION, p->b->of.convolution));
}

static gw_tensor norm(const part_of *p, gw_tensor x) {
    return gw_build_norm(p->b, x, GW_ROLE_STEM_NORM, p->b->of.convolution_norm);
}

static gw_tensor unit(const part_of *p, gw_tensor x) {
    const double slope = p->part->kind == GW_STEM_LEAKY_UNIT ? leak : 0;
    const int64_t width = p->part->width;
    gw_tensor y = gw_plan_affine(p->b->plan, x,
                                 gw_declare_norm(p->b, GW_ROLE_STEM_NORM, p->b->of.convolution_norm, width), slope);
    y = taps_of(p, y, GW_ROLE_STEM_CONVOLUTION, p->b->of.convolution);
    y = gw_plan_affine(p->b->plan, y, gw_declare_norm(p->b, GW_ROLE_STEM_OUTPUT_NORM, p->b->of.part_norm, width),
                       slope);
    return gw_plan_sum(p->b->plan, taps_of(p, y, GW_ROLE_STEM_SECOND, p->b->of.second_convolution), x);
}

// Adds to the sum of skips, which the first one begins; x goes on as it is.
static gw_tensor skip(const part_of *p, gw_tensor x, gw_tensor *sum) {
    bool first = true;
    for (const gw_stem_layer *before = p->stem->part; before < p->part; before++) first &= before->kind != GW_STEM_SKIP;
    const gw_tensor y = gw_build_linear(p->b, x, GW_ROLE_STEM_OUTPUT, p->b->of.part_output, p->part->width, true);
    *sum = first ? y : gw_plan_sum(p->b->plan, y, *sum);
    return x;
}

// W_2 act(W_1 LN(x)).
static gw_tensor feed_forward(const part_of *p, gw_tensor x) {
    const bool bias = p->b->config->feed_forward_bias;
    gw_tensor y = gw_build_norm(p->b, x, GW_ROLE_STEM_OUTPUT_NORM, p->b->of.part_norm);
    y = gw_build_linear(p->b, y, GW_ROLE_STEM_FEED_FORWARD, p->b->of.part_feed_forward, p->part->wide, bias);
    return gw_build_linear(p->b, activated(p, y), GW_ROLE_STEM_OUTPUT, p->b->of.part_output, p->part->width, bias);
}

static gw_tensor residual(const part_of *p, gw_tensor x) {
    const gw_tensor y = convolve(p, norm(p, x));
    x = gw_plan_sum(p->b->plan, y, x);
    return gw_plan_sum(p->b->plan, feed_forward(p, x), x);
}

// x + dropout(y) of sublayer 0 or 1; places of dropout follow those of blocks, of which there are none beside these
// layers.
static gw_tensor join(const part_of *p, int sublayer, gw_tensor x, gw_tensor y) {
    const int i = (int)(p->part - p->stem->part);
    const gw_dropout dropout = {p->b->config->dropout, (uint32_t)(GW_DROPOUT_SITES * (i + 1) + sublayer)};
    return gw_plan_sum(p->b->plan, gw_plan_dropout(p->b->plan, y, dropout), x);
}

static gw_tensor gpn(const part_of *p, gw_tensor x) {
    const gw_tensor y = convolve(p, norm(p, x));
    x = join(p, 0, x,
             gw_build_linear(p->b, y, GW_ROLE_STEM_MIX, p->b->of.convolution_mix, p->part->width, p->b->config->bias));
    return join(p, 1, x, feed_forward(p, x));
}

// Files have the norms before what they follow.
static gw_tensor convnet(const part_of *p, gw_tensor x) {
    gw_plan *plan = p->b->plan;
    const double epsilon = p->b->config->epsilon;
    const int64_t width = p->part->width;
    const gw_norm first = gw_declare_norm(p->b, GW_ROLE_STEM_NORM, p->b->of.convolution_norm, width);
    gw_tensor y = gw_plan_norm(plan, convolve(p, x), first, epsilon);
    x = gw_plan_sum(plan, y, x);
    const gw_norm second = gw_declare_norm(p->b, GW_ROLE_STEM_OUTPUT_NORM, p->b->of.part_norm, width);
    y = gw_build_linear(p->b, x, GW_ROLE_STEM_FEED_FORWARD, p->b->of.part_feed_forward, p->part->wide,
                        p->b->config->feed_forward_bias);
    return gw_plan_sum(plan, gw_plan_norm(plan, activated(p, y), second, epsilon), x);
}

static gw_tensor add_places(const part_of *p, gw_tensor x) {
    const int64_t rows = gw_stem_rows(p->stem, p->part->level, p->b->config->positions);
    const gw_weight table = gw_declare_weight(p->b, GW_ROLE_STEM_PLACE, "places", rows, p->part->width);
    return gw_plan_add_places(p->b->plan, x, table, rows);
}

static gw_tensor pool(const part_of *p, gw_tensor x, gw_tensor *skips) {
    const gw_stem_layer *part = p->part;
    skips[part->level] = x;
    return gw_plan_pool(p->b->plan, x, p->b->rows.level[part->level],
                        part->kind == GW_STEM_MAX_POOL ? GW_POOL_MAX : GW_POOL_MEAN, part->factor);
}

static gw_tensor unpool(const part_of *p, gw_tensor x, const gw_tensor *skips) {
    const gw_stem_layer *part = p->part;
    return gw_plan_sum(p->b->plan, gw_plan_unpool(p->b->plan, x, p->b->rows.level[part->level], part->factor),
                       skips[part->level + 1]);
}

static gw_tensor layer(const part_of *p, gw_tensor x, gw_tensor *skips) {
    switch (p->part->kind) {
    case GW_STEM_CONVOLUTION: return convolve(p, x);
    case GW_STEM_RESIDUAL: return residual(p, x);
    case GW_STEM_UNIT:
    case GW_STEM_LEAKY_UNIT: return unit(p, x);
    case GW_STEM_GPN: return gpn(p, x);
    case GW_STEM_CONVNET: return convnet(p, x);
    case GW_STEM_SKIP: return skip(p, x, &skips[0]);
    case GW_STEM_POSITIONS: return add_places(p, x);
    case GW_STEM_UNPOOL: return unpool(p, x, skips);
    default: return pool(p, x, skips);
    }
}

gw_tensor gw_describe_stem(gw_builder *b, int begin, int end, gw_tensor x, gw_tensor skips[GW_STEM_LEVELS]) {
    const gw_stem *stem = &b->config->stem;
    const char *prefix = gw_head_of(b->config->head)->bare ? "" : b->of.prefix;
    for (int i = begin; i < end; i++) {
        const part_of p = {b, stem, &stem->part[i]};
        b->prefix = prefix;
        gw_builder_scope(b, b->of.parts, i);
        gw_plan_segment_begin(b->plan);
        x = layer(&p, x, skips);
        if (i + 1 == stem->count && gw_stem_has_skips(stem)) x = skips[0];
        gw_plan_segment_end(b->plan);
        gw_builder_scope(b, NULL, 0);
    }
    return x;
}
