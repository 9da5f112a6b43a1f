// SPDX-License-Identifier: MIT
// The parts of a stem as layers. A part is a segment of the plan.
#include "nn/stem_layers.h"

#include "nn/convolution.h"
#include "nn/pool.h"

static gw_tensor convolve(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_part *part = &s->stem->part[i];
    const gw_convolution convolution = {.weight = s->weights[i].convolution,
                                        .bias = s->weights[i].convolution_bias,
                                        .taps = part->taps,
                                        .dilation = part->dilation,
                                        .groups = 1,
                                        .precision = s->precision};
    return gw_plan_activation(plan, gw_plan_convolution(plan, x, convolution, part->width), s->activation);
}

static gw_tensor residual(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x) {
    const gw_stem_weights *w = &s->weights[i];
    const int64_t width = s->stem->part[i].width;
    x = gw_plan_sum(plan, convolve(plan, s, i, gw_plan_norm(plan, x, w->norm, s->epsilon)), x);
    gw_tensor y = gw_plan_norm(plan, x, w->output_norm, s->epsilon);
    y = gw_plan_linear(plan, y, w->feed_forward, GW_STEM_FEED_FORWARD * width);
    y = gw_plan_linear(plan, gw_plan_activation(plan, y, s->activation), w->output, width);
    return gw_plan_sum(plan, y, x);
}

static gw_tensor pool(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_tensor *skips) {
    const gw_stem_part *part = &s->stem->part[i];
    skips[part->level] = x;
    return gw_plan_pool(plan, x, s->stream[part->level], part->kind == GW_STEM_MAX_POOL ? GW_POOL_MAX : GW_POOL_MEAN,
                        part->factor);
}

static gw_tensor unpool(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, const gw_tensor *skips) {
    const gw_stem_part *part = &s->stem->part[i];
    return gw_plan_sum(plan, gw_plan_unpool(plan, x, s->stream[part->level], part->factor), skips[part->level + 1]);
}

static gw_tensor layer(gw_plan *plan, const gw_stem_layers *s, int i, gw_tensor x, gw_tensor *skips) {
    switch (s->stem->part[i].kind) {
    case GW_STEM_CONVOLUTION: return convolve(plan, s, i, x);
    case GW_STEM_RESIDUAL: return residual(plan, s, i, x);
    case GW_STEM_POSITIONS: return gw_plan_add_places(plan, x, s->weights[i].place, s->weights[i].positions);
    case GW_STEM_UNPOOL: return unpool(plan, s, i, x, skips);
    default: return pool(plan, s, i, x, skips);
    }
}

static gw_tensor layers(gw_plan *plan, const gw_stem_layers *s, int begin, int end, gw_tensor x, gw_tensor *skips) {
    for (int i = begin; i < end; i++) {
        gw_plan_segment_begin(plan);
        x = layer(plan, s, i, x, skips);
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
