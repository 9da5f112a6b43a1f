// SPDX-License-Identifier: MIT
// Decides which tensors are stored as bf16. On a device that takes bf16, products round their operands. So a tensor
// that only products read is stored as bf16, and no bit of a result changes. If other steps read it too, it is stored
// as f32, or as both if its maker can write both. A processor rounds operands in its caches, and stores f32 only.
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
    const gw_storage storage = gw_storage_of(plan, maker);
    if (storage.makes == GW_MAKES_FLOATS || tensor.width % 8 != 0) return;
    const gw_readers readers = readers_of(plan, tensor);
    if (!readers.round || (readers.others && storage.makes == GW_MAKES_EITHER)) return;
    t->bf16 = true;
    t->floats = readers.others;
}

// A kernel reads all its rounded inputs as bf16, or all as f32.
static bool agrees(const gw_plan *plan, const gw_step *step) {
    int stored = 0, all = 0;
    for (int k = 0; k < step->ins; k++)
        if (gw_step_rounds(plan, step, k)) all++, stored += plan->tensors[step->in[k].id].bf16;
    return stored == 0 || stored == all;
}

void gw_plan_store_bf16(gw_plan *plan) {
    if (!plan->kernels->takes_bf16 || plan->parts) return;
    for (int64_t i = 0; i < plan->count; i++)
        for (int k = 0; k < plan->steps[i].outs; k++) choose(plan, &plan->steps[i], plan->steps[i].out[k]);
    // A tensor that goes back to f32 may leave another step with inputs of both types.
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
