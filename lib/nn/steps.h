// SPDX-License-Identifier: MIT
// The steps that nn/build.c fuses, with their arguments.
#ifndef GW_NN_STEPS_H
#define GW_NN_STEPS_H

#include "nn/layers.h"

// out[i] = f(x W_i^T + b_i), where x is in[0], or the result of another layer of in[0]. Packed weights may have several
// outputs, an activation, and then for out[0] the sum with in[1] and the norm: see gw_linear_args. In bf16 training, x
// may stand for of(x), which the products compute while they read x. The gradient is still that of x.
typedef struct {
    gw_linear linear[GW_LINEAR_OUTS]; // one for each output of the step
    gw_activation activation, of;
    gw_linear feed_forward; // layer of x; packed NULL: none
    int64_t inside;         // width of its result
    gw_activation feed_forward_activation;
    gw_norm norm; // values NULL: no norm
    double epsilon;
} gw_linear_arguments;

typedef struct {
    gw_norm norm;
    double epsilon;
} gw_norm_arguments;

typedef struct {
    gw_dropout dropout;
    int stream;
} gw_dropout_arguments; // of dropouts and sums

typedef struct {
    gw_dropout_arguments sum; // first: the arguments of a step are also those of its sum
    gw_norm_arguments norm;
} gw_sum_norm_arguments;

// Whether a product on a device applies the activation to its sums, and so writes them rounded.
static inline bool gw_product_rounds(gw_activation activation) {
    return activation == GW_ACTIVATION_NONE || activation == GW_ACTIVATION_GELU || activation == GW_ACTIVATION_RELU;
}

// Which tensors of a step may be bf16. NULL: none.
static inline gw_storage gw_storage_of(const gw_plan *plan, const gw_step *step) {
    return step->op->storage ? step->op->storage(plan, step) : (gw_storage){0};
}

static inline bool gw_step_rounds(const gw_plan *plan, const gw_step *step, int k) {
    return gw_storage_of(plan, step).rounds >> k & 1;
}

// Whether the step reads in[k] as bf16.
static inline bool gw_step_reads_bf16(const gw_plan *plan, const gw_step *step, int k) {
    const gw_plan_tensor *t = &plan->tensors[step->in[k].id];
    return t->bf16 && (!t->floats || gw_step_rounds(plan, step, k));
}

// Decides which tensors and gradients are stored as bf16 (nn/stored_bf16.c).
void gw_plan_store_bf16(gw_plan *plan);

extern const gw_plan_op gw_linear_op, gw_packed_op, gw_norm_op, gw_activation_op, gw_dropout_op, gw_sum_op;
// A sum in[0] + in[1], of which in[0] may be dropped, and its norm, in training on a device. The sum stays with the
// step. The step is the last reader of in[1], whose gradient it overwrites.
extern const gw_plan_op gw_sum_norm_op;

#endif
