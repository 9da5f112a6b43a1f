// SPDX-License-Identifier: MIT
// Tracks: the output that the family describes, unchanged (gw_tracks of model/family.h). Labels are counts of single
// bases, only for networks of profiles.
#include "model/builder.h"
#include "model/family.h"
#include "model/head.h"
#include "nn/layers.h"

static void describe(gw_builder *b, gw_tensor out) {
    const gw_tracks tracks = gw_family_of(b->config->family)->tracks(b->config);
    if (b->lists) return;
    if (tracks.profiles && tracks.columns == tracks.strands + 1)
        gw_plan_profile_loss(b->plan, out, (gw_profile_loss){tracks.margin, tracks.count_weight});
    else gw_plan_output(b->plan, out);
}

const gw_head_row gw_head_tracks = {
    .suffix = "ForTracks",
    .labels = true,
    .pooler = GW_POOLER_ABSENT,
    .tracks = true,
    .describe = describe,
};
