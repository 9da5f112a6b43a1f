// SPDX-License-Identifier: MIT
// The parts of a stem as layers. A part is a segment of the plan.
#include "nn/stem_layers.h"

#include "nn/block.h"
#include "nn/convolution.h"
#include "nn/layers.h"
#include "nn/pool.h"

static const double leak = 0.1;

static gw_tensor taps_of(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_weight weight, gw_weight bias) {
    const gw_stem_layer *part = &s->stem->part[i];
    const gw_convolution convolution = {.weight = weight,
                                        .bias = bias,
                                        .taps = part->taps,
                                        .dilation = part->dilation,
                                        .groups = 1,
                                        .precision = s->precision};
    const int rows = s->made[i];
    return rows ? gw_plan_convolution_at(plan, x, convolution, part->width, rows)
                : gw_plan_convolution(plan, x, convolution, part->width);
}

static gw_tensor convolve(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    return gw_plan_activation(plan, taps_of(plan, s, i, x, w->convolution, w->convolution_bias), s->activation);
}

// x where the part makes it.
static gw_tensor carried(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    return s->made[i] ? gw_plan_gather(plan, x, s->made[i]) : x;
}

static gw_tensor unit(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    const double slope = s->stem->part[i].kind == GW_STEM_LEAKY_UNIT ? leak : 0;
    gw_tensor y = gw_plan_affine(plan, x, w->norm, slope);
    y = taps_of(plan, s, i, y, w->convolution, w->convolution_bias);
    y = gw_plan_affine(plan, y, w->output_norm, slope);
    return gw_plan_sum(plan, taps_of(plan, s, i, y, w->second, w->second_bias), x);
}

// Adds to the sum of skips, which the first one begins; x goes on as it is.
static gw_tensor skip(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_tensor *sum) {
    bool first = true;
    for (int before = 0; before < i; before++) first &= s->stem->part[before].kind != GW_STEM_SKIP;
    const gw_tensor y = gw_plan_linear(plan, x, s->weights[i].output, s->stem->part[i].width);
    *sum = first ? y : gw_plan_sum(plan, y, *sum);
    return x;
}

// W_2 act(W_1 LN(x)).
static gw_tensor feed_forward(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    const gw_stem_layer *part = &s->stem->part[i];
    gw_tensor y = gw_plan_norm(plan, x, w->output_norm, s->epsilon);
    y = gw_plan_linear(plan, y, w->feed_forward, part->wide);
    return gw_plan_linear(plan, gw_plan_activation(plan, y, s->activation), w->output, part->width);
}

static gw_tensor residual(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    gw_tensor y = convolve(plan, s, i, gw_plan_norm(plan, x, w->norm, s->epsilon));
    x = gw_plan_sum(plan, y, carried(plan, s, i, x));
    return gw_plan_sum(plan, feed_forward(plan, s, i, x), x);
}

// x + dropout(y) of sublayer 0 or 1; places of dropout follow those of blocks (gw_plan_join()), of which there are none
// beside these layers.
static gw_tensor join(gw_plan *plan, const gw_stem_layers *s, int i, int sublayer, gw_tensor x, gw_tensor y) {
    const gw_dropout dropout = {s->dropout, (uint32_t)(GW_DROPOUT_SITES * (i + 1) + sublayer)};
    return gw_plan_sum(plan, gw_plan_dropout(plan, y, dropout), x);
}

static gw_tensor gpn(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    gw_tensor y = convolve(plan, s, i, gw_plan_norm(plan, x, w->norm, s->epsilon));
    x = join(plan, s, i, 0, carried(plan, s, i, x), gw_plan_linear(plan, y, w->mix, s->stem->part[i].width));
    return join(plan, s, i, 1, x, feed_forward(plan, s, i, x));
}

static gw_tensor convnet(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    gw_tensor y = gw_plan_norm(plan, convolve(plan, s, i, x), w->norm, s->epsilon);
    x = gw_plan_sum(plan, y, carried(plan, s, i, x));
    y = gw_plan_linear(plan, x, w->feed_forward, s->stem->part[i].wide);
    y = gw_plan_norm(plan, gw_plan_activation(plan, y, s->activation), w->output_norm, s->epsilon);
    return gw_plan_sum(plan, y, x);
}

static gw_tensor pool(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_tensor *skips) {
    const gw_stem_layer *part = &s->stem->part[i];
    skips[part->level] = x;
    return gw_plan_pool(plan, x, s->stream[part->level], part->kind == GW_STEM_MAX_POOL ? GW_POOL_MAX : GW_POOL_MEAN,
                        part->factor);
}

static gw_tensor unpool(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, const gw_tensor *skips) {
    const gw_stem_layer *part = &s->stem->part[i];
    return gw_plan_sum(plan, gw_plan_unpool(plan, x, s->stream[part->level], part->factor), skips[part->level + 1]);
}

static gw_tensor layer(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_tensor *skips) {
    switch (s->stem->part[i].kind) {
    case GW_STEM_CONVOLUTION: return convolve(plan, s, i, x);
    case GW_STEM_RESIDUAL: return residual(plan, s, i, x);
    case GW_STEM_UNIT:
    case GW_STEM_LEAKY_UNIT: return unit(plan, s, i, x);
    case GW_STEM_GPN: return gpn(plan, s, i, x);
    case GW_STEM_CONVNET: return convnet(plan, s, i, x);
    case GW_STEM_SKIP: return skip(plan, s, i, x, &skips[0]);
    case GW_STEM_POSITIONS: return gw_plan_add_places(plan, x, s->weights[i].place, s->weights[i].positions);
    case GW_STEM_UNPOOL: return unpool(plan, s, i, x, skips);
    default: return pool(plan, s, i, x, skips);
    }
}

static gw_tensor layers(gw_plan *plan, const gw_stem_layers *s, int begin, int end, gw_tensor x, gw_tensor *skips) {
    for (int i = begin; i < end; i++) {
        gw_plan_segment_begin(plan);
        x = layer(plan, s, i, x, skips);
        if (i + 1 == s->stem->count && gw_stem_has_skips(s->stem)) x = skips[0];
        gw_plan_segment_end(plan);
    }
    return x;
}

gw_tensor gw_plan_stem_before(gw_plan *plan, const gw_stem_layers *s, gw_tensor in, gw_tensor skips[GW_STEM_LEVELS]) {
    return layers(plan, s, 0, s->stem->before, in, skips);
}

gw_tensor gw_plan_stem_after(gw_plan *plan, const gw_stem_layers *s, gw_tensor in, gw_tensor skips[GW_STEM_LEVELS]) {
    return layers(plan, s, s->stem->before, s->stem->count, in, skips);
}
