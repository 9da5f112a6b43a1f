// SPDX-License-Identifier: MIT
// The picture is a funnel: for each part from the bottom up the bases, to the left and right of one, that it sees.
#include "tools/graph/graph_parts.h"

#include "nn/stem.h"
#include "tools/picture/picture.h"

#include <stdio.h>

static const char *const kind_names[] = {
    [GW_STEM_CONVOLUTION] = "conv", [GW_STEM_RESIDUAL] = "res",          [GW_STEM_MAX_POOL] = "pool",
    [GW_STEM_MEAN_POOL] = "mean",   [GW_STEM_UNPOOL] = "unpool",         [GW_STEM_POSITIONS] = "positions",
    [GW_STEM_UNIT] = "unit",        [GW_STEM_LEAKY_UNIT] = "leaky-unit", [GW_STEM_SKIP] = "skip",
    [GW_STEM_GPN] = "gpn",          [GW_STEM_CONVNET] = "convnet"};

// The receptive field after so many parts.
static int64_t field_after(const gw_stem *stem, int parts) {
    gw_stem first = *stem;
    first.before = parts < stem->before ? parts : stem->before;
    return gw_stem_receptive_field(&first);
}

static void print(const gw_stem *stem) {
    puts("part\tkind\ttaps\tdilation\tfactor\tbases_a_row\tchannels\treceptive_field");
    for (int i = 0; i < stem->count; i++) {
        const gw_stem_layer *part = &stem->part[i];
        printf("%d\t%s\t%d\t%d\t%d\t%d\t%lld\t", i, kind_names[part->kind], part->taps, part->dilation, part->factor,
               stem->factor[part->level], (long long)part->width);
        // What follows attention sees all that attention does.
        if (i < stem->before) printf("%lld\n", (long long)field_after(stem, i + 1));
        else puts("-");
    }
}

static gw_status draw(const gw_stem *stem, const char *path) {
    double x[2 * GW_STEM_PARTS + 2], y[2 * GW_STEM_PARTS + 2];
    const int ends = stem->before + 1;
    for (int i = 0; i < ends; i++) {
        const double half = (double)(field_after(stem, i) - 1) / 2;
        x[ends - 1 - i] = -half, x[ends + i] = half;
        y[ends - 1 - i] = y[ends + i] = i;
    }
    const gw_picture_series funnel = {.x = x, .y = y, .count = 2 * (int64_t)ends};
    const gw_picture_panel panel = {stem->text,          "bases from the one that is looked at",
                                    "parts of the stem", .series = &funnel,
                                    .count = 1,          .whole_y = true};
    return gw_picture_panels(path, &panel, 1);
}

gw_status gw_graph_stem(const char *text, int64_t width, const char *picture) {
    gw_stem stem;
    GW_TRY(gw_stem_parse(text, width, &stem));
    if (picture) GW_TRY(draw(&stem, picture));
    print(&stem);
    return GW_OK;
}
