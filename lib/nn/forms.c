// SPDX-License-Identifier: MIT
// How tensors are stored. On a device that takes bf16 a tensor is bf16 where products read it, which round it anyhow;
// where somebody else reads it too, it is floats, or both if its maker writes both. No bit of a result changes. A
// processor rounds in its caches, and keeps floats.
#include "nn/steps.h"

// Which kinds of readers a tensor has.
typedef struct {
    bool round, others;
} gw_readers;

static gw_readers readers_of(const gw_plan *plan, gw_tensor tensor) {
    gw_readers readers = {.others = plan->tensors[tensor.id].output};
    for (int64_t i = 0; i < plan->count; i++) {
        const gw_step *step = &plan->steps[i];
        for (int k = 0; k < step->ins; k++) {
            if (step->in[k].id != tensor.id) continue;
            if (gw_step_rounds(plan, step, k)) readers.round = true;
            else readers.others = true;
        }
    }
    return readers;
}

static void choose(gw_plan *plan, const gw_step *maker, gw_tensor tensor) {
    gw_plan_tensor *t = &plan->tensors[tensor.id];
    const gw_forms forms = gw_forms_of(plan, maker);
    if (forms.makes == GW_MAKES_FLOATS || tensor.width % 8 != 0) return;
    const gw_readers readers = readers_of(plan, tensor);
    if (!readers.round || (readers.others && forms.makes == GW_MAKES_EITHER)) return;
    t->bf16 = true;
    t->floats = readers.others;
}

// Inputs of a step that are rounded are all stored so, or none is.
static bool agrees(const gw_plan *plan, const gw_step *step) {
    int stored = 0, all = 0;
    for (int k = 0; k < step->ins; k++)
        if (gw_step_rounds(plan, step, k)) all++, stored += plan->tensors[step->in[k].id].bf16;
    return stored == 0 || stored == all;
}

void gw_plan_choose_forms(gw_plan *plan) {
    if (!plan->kernels->takes_bf16 || plan->parts) return;
    for (int64_t i = 0; i < plan->count; i++)
        for (int k = 0; k < plan->steps[i].outs; k++) choose(plan, &plan->steps[i], plan->steps[i].out[k]);
    // A tensor that goes back to floats may leave another step with some of its inputs alone.
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = 0; i < plan->count; i++) {
            const gw_step *step = &plan->steps[i];
            if (agrees(plan, step)) continue;
            for (int k = 0; k < step->ins; k++) {
                gw_plan_tensor *t = &plan->tensors[step->in[k].id];
                t->bf16 = false, t->floats = true;
            }
            changed = true;
        }
    }
}
