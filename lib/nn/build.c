// SPDX-License-Identifier: MIT
// From a description to a plan that runs: the steps as appended, and the passes over them.
#include "nn/plan.h"

#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) {
    const char *mode = getenv("GODWIT_PLAN");
    plan->plain |= mode && strcmp(mode, "plain") == 0;
    plan->threads = gw_threads();
    plan->kernels = gw_kernels();
    if (!plan->kernels) return GW_ERR_UNSUPPORTED;
    describe(plan, context);
    GW_TRY(plan->status);
    if (!plan->plain) gw_plan_fuse(plan);
    return gw_plan_place(plan);
}
