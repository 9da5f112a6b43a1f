// SPDX-License-Identifier: MIT
// The bare encoder: the pooler's output, if it has one; not trained.
#include "network/heads/pooled.h"

static void describe(gw_builder *b, gw_tensor hidden) {
    const bool whole = !b->lists && b->network->options.layers == 0;
    if (whole && gw_declare_pooler(b).weight.value) gw_plan_output(b->plan, gw_head_pool(b, hidden));
}

const gw_head_row gw_head_none = {.suffix = "Model", .bare = true, .describe = describe};
