// SPDX-License-Identifier: MIT
// The parts of a convolutional stem (nn/stem.h). A part is a segment of the plan.
#include "model/stem.h"

#include "model/head.h"
#include "nn/convolution.h"

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

// W_2 act(W_1 LN(x)).
static gw_tensor feed_forward(const part_of *p, gw_tensor x) {
    const bool bias = p->b->config->feed_forward_bias;
    gw_tensor y = gw_build_norm(p->b, x, GW_ROLE_STEM_OUTPUT_NORM, p->b->of.part_norm);
    y = gw_build_linear(p->b, y, GW_ROLE_STEM_FEED_FORWARD, p->b->of.part_feed_forward, p->part->wide, bias);
    return gw_build_linear(p->b, activated(p, y), GW_ROLE_STEM_OUTPUT, p->b->of.part_output, p->part->width, bias);
}

// x + dropout(y) of sublayer 0 or 1; places of dropout follow those of blocks, of which there are none beside these
// layers.
static gw_tensor join(const part_of *p, int sublayer, gw_tensor x, gw_tensor y) {
    const int i = (int)(p->part - p->stem->part);
    const gw_dropout dropout = {p->b->config->dropout, (uint32_t)(GW_DROPOUT_SITES * (i + 1) + sublayer)};
    return gw_plan_sum(p->b->plan, gw_plan_dropout(p->b->plan, y, dropout), x);
}

static gw_tensor layer(const part_of *p, gw_tensor x, gw_tensor *skips) {
    gw_builder *b = p->b;
    gw_plan *plan = b->plan;
    const gw_stem_layer *part = p->part;
    const int64_t width = part->width;
    gw_tensor y;
    switch (part->kind) {
    case GW_STEM_CONVOLUTION: return convolve(p, x);
    case GW_STEM_RESIDUAL:
        x = gw_plan_sum(plan, convolve(p, norm(p, x)), x);
        return gw_plan_sum(plan, feed_forward(p, x), x);
    case GW_STEM_UNIT:
    case GW_STEM_LEAKY_UNIT: {
        const double slope = part->kind == GW_STEM_LEAKY_UNIT ? leak : 0;
        y = gw_plan_affine(plan, x, gw_declare_norm(b, GW_ROLE_STEM_NORM, b->of.convolution_norm, width), slope);
        y = taps_of(p, y, GW_ROLE_STEM_CONVOLUTION, b->of.convolution);
        y = gw_plan_affine(plan, y, gw_declare_norm(b, GW_ROLE_STEM_OUTPUT_NORM, b->of.part_norm, width), slope);
        return gw_plan_sum(plan, taps_of(p, y, GW_ROLE_STEM_SECOND, b->of.second_convolution), x);
    }
    case GW_STEM_GPN:
        y = convolve(p, norm(p, x));
        y = gw_build_linear(b, y, GW_ROLE_STEM_MIX, b->of.convolution_mix, width, b->config->bias);
        x = join(p, 0, x, y);
        return join(p, 1, x, feed_forward(p, x));
    case GW_STEM_CONVNET: { // files have the norms before what they follow
        const gw_norm first = gw_declare_norm(b, GW_ROLE_STEM_NORM, b->of.convolution_norm, width);
        x = gw_plan_sum(plan, gw_plan_norm(plan, convolve(p, x), first, b->config->epsilon), x);
        const gw_norm second = gw_declare_norm(b, GW_ROLE_STEM_OUTPUT_NORM, b->of.part_norm, width);
        y = gw_build_linear(b, x, GW_ROLE_STEM_FEED_FORWARD, b->of.part_feed_forward, part->wide,
                            b->config->feed_forward_bias);
        return gw_plan_sum(plan, gw_plan_norm(plan, activated(p, y), second, b->config->epsilon), x);
    }
    case GW_STEM_SKIP: { // adds to the sum of skips, which the first one begins; x goes on as it is
        bool first = true;
        for (const gw_stem_layer *before = p->stem->part; before < part; before++)
            first &= before->kind != GW_STEM_SKIP;
        y = gw_build_linear(b, x, GW_ROLE_STEM_OUTPUT, b->of.part_output, width, true);
        skips[0] = first ? y : gw_plan_sum(plan, y, skips[0]);
        return x;
    }
    case GW_STEM_POSITIONS: {
        const int64_t rows = gw_stem_rows(p->stem, part->level, b->config->positions);
        return gw_plan_add_places(plan, x, gw_declare_weight(b, GW_ROLE_STEM_PLACE, "places", rows, width), rows);
    }
    case GW_STEM_UNPOOL:
        y = gw_plan_unpool(plan, x, b->rows.level[part->level], part->factor);
        return gw_plan_sum(plan, y, skips[part->level + 1]);
    default:
        skips[part->level] = x;
        return gw_plan_pool(plan, x, b->rows.level[part->level],
                            part->kind == GW_STEM_MAX_POOL ? GW_POOL_MAX : GW_POOL_MEAN, part->factor);
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
