// SPDX-License-Identifier: MIT
// The steps that nn/build.c joins, with their arguments.
#ifndef GW_NN_STEPS_H
#define GW_NN_STEPS_H

#include "nn/layers.h"

// out[i] = f(x W_i^T + b_i) of in[0] = x, or of the result of a layer of it; with packed weights alone several,
// an activation, and then of out[0] the sum with in[1] and the norm: see gw_linear_args. With bf16 training x may stand
// for of(x), which products take while they read it: the gradient then is that of x all the same.
typedef struct {
    gw_linear linear[GW_LINEAR_OUTS]; // as many as the step has outputs
    gw_activation activation, of;
    gw_linear feed_forward; // of x; packed NULL: none
    gw_activation feed_forward_activation;
    gw_norm norm; // values NULL: none
    double epsilon;
} gw_linear_arguments;

typedef struct {
    gw_norm norm;
    double epsilon;
} gw_norm_arguments;

typedef struct {
    gw_dropout dropout;
    int stream;
} gw_dropout_arguments; // of dropouts and of sums

extern const gw_plan_op gw_linear_op, gw_packed_op, gw_norm_op, gw_activation_op, gw_dropout_op, gw_sum_op;

#endif
