// SPDX-License-Identifier: MIT
// Tracks: what the family describes is the head's output as it is (gw_tracks of model/family.h).
#include "model/builder.h"
#include "model/head.h"

static void describe(gw_builder *b, gw_tensor tracks) {
    gw_plan_output(b->plan, tracks);
}

const gw_head_row gw_head_tracks = {
    .suffix = "ForTracks",
    .labels = true,
    .pooler = GW_POOLER_ABSENT,
    .tracks = true,
    .describe = describe,
};
