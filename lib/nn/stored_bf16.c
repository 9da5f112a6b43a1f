// SPDX-License-Identifier: MIT
// Decides which tensors, and which of their gradients, are stored as bf16. A processor rounds operands in its caches,
// and stores f32 only. A device that takes bf16 stores a tensor
// - as bf16 if products round it, and no other step reads it: no bit of a result changes;
// - as f32 and as bf16 if other steps read it, too, and its maker can write both;
// - as bf16, in training, if its maker rounds operands and can write it so, and the steps that read it without products
//   (activations, sums with a residual) can read it so: they then read rounded numbers.
// It stores a gradient as bf16 if one step alone writes it, and the tensor's maker can read it so.
#include "nn/steps.h"

// Which kinds of readers a tensor has.
typedef struct {
    int count;
    bool round, take, others;
    const gw_step *last; // a reader, as its input number `input`
    int input;
} gw_readers;

static gw_readers readers_of(const gw_plan *plan, gw_tensor tensor) {
    gw_readers readers = {.others = plan->tensors[tensor.id].output};
    for (int64_t i = 0; i < plan->count; i++) {
        const gw_step *step = &plan->steps[i];
        const gw_storage storage = gw_storage_of(plan, step);
        for (int k = 0; k < step->ins; k++) {
            if (step->in[k].id != tensor.id) continue;
            if (storage.rounds >> k & 1) readers.round = true;
            else if (storage.takes >> k & 1) readers.take = true;
            else readers.others = true;
            readers.count++, readers.last = step, readers.input = k;
        }
    }
    return readers;
}

static void choose(gw_plan *plan, const gw_step *maker, gw_tensor tensor) {
    gw_plan_tensor *t = &plan->tensors[tensor.id];
    const gw_storage storage = gw_storage_of(plan, maker);
    if (storage.makes == GW_MAKES_FLOATS || tensor.width % 8 != 0) return;
    const gw_readers readers = readers_of(plan, tensor);
    const bool take = readers.take && storage.rounded, others = readers.others || (readers.take && !take);
    t->bf16 = storage.makes == GW_MAKES_EITHER ? !others && (readers.round || take) : readers.round;
    t->floats = !t->bf16 || others;
}

static void choose_gradient(gw_plan *plan, const gw_step *maker, gw_tensor tensor) {
    gw_plan_tensor *t = &plan->tensors[tensor.id];
    if (!gw_storage_of(plan, maker).rounded || tensor.width % 8 != 0 || t->output) return;
    const gw_readers readers = readers_of(plan, tensor);
    t->gradient_bf16 = readers.count == 1 && gw_storage_of(plan, readers.last).makes_gradients >> readers.input & 1;
}

// A kernel reads all its rounded inputs as bf16, or all as f32, and so it writes their gradients. Those of a step that
// are stored otherwise than others go back to f32. Returns whether something changed.
static bool agree(gw_plan *plan, const gw_step *step) {
    const gw_storage storage = gw_storage_of(plan, step);
    int rounded = 0, floats = 0, rounded_gradients = 0, other_gradients = 0;
    for (int k = 0; k < step->ins; k++) {
        const gw_plan_tensor *t = &plan->tensors[step->in[k].id];
        if (storage.rounds >> k & 1) rounded += t->bf16, floats += !t->bf16;
        if (storage.makes_gradients >> k & 1)
            rounded_gradients += t->gradient_bf16, other_gradients += !t->gradient_bf16;
    }
    const bool tensors = rounded > 0 && floats > 0, gradients = rounded_gradients > 0 && other_gradients > 0;
    for (int k = 0; k < step->ins; k++) {
        gw_plan_tensor *t = &plan->tensors[step->in[k].id];
        if (tensors && storage.rounds >> k & 1) t->bf16 = false, t->floats = true;
        if (gradients && storage.makes_gradients >> k & 1) t->gradient_bf16 = false;
    }
    return tensors || gradients;
}

void gw_plan_store_bf16(gw_plan *plan) {
    if (!plan->kernels->takes_bf16 || plan->parts) return;
    for (int64_t i = 0; i < plan->count; i++)
        for (int k = 0; k < plan->steps[i].outs; k++) choose(plan, &plan->steps[i], plan->steps[i].out[k]);
    for (int64_t i = 0; i < plan->count && plan->training; i++)
        for (int k = 0; k < plan->steps[i].outs; k++) choose_gradient(plan, &plan->steps[i], plan->steps[i].out[k]);
    // A tensor that goes back to f32 may leave another step with inputs of both types.
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = 0; i < plan->count; i++) changed |= agree(plan, &plan->steps[i]);
    }
}
