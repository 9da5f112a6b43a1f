// SPDX-License-Identifier: MIT
#include "nn/packed.h"

#include "base/parallel.h"

#include <assert.h>

typedef struct {
    gw_packed_layers layers;
    float *scratch;
} packed_step;

static gw_linear_layer layer_of(gw_linear linear, gw_activation activation) {
    return (gw_linear_layer){linear.packed, linear.bias.value, activation};
}

static gw_linear_args arguments_of(const gw_packed_layers *layers, int64_t rows, float *scratch) {
    gw_linear_args args = {
        .rows = rows,
        .in = layers->in.value,
        .feed_forward = layer_of(layers->feed_forward, layers->feed_forward_activation),
        .residual = layers->has_residual ? layers->residual.value : NULL,
        .norm_weight = layers->norm.weight.value,
        .norm_bias = layers->norm.bias.value,
        .epsilon = (float)layers->epsilon,
        .scratch = scratch,
    };
    for (int i = 0; i < layers->count; i++) {
        args.layer[i] = layer_of(layers->linear[i], layers->activation);
        args.out[i] = layers->out[i].value;
    }
    return args;
}

static gw_status forward(const gw_run *run, const void *arguments) {
    const packed_step *step = arguments;
    const gw_linear_args args = arguments_of(&step->layers, gw_run_rows(run, step->layers.in), step->scratch);
    return run->kernels->linear(&args);
}

void gw_plan_packed(gw_plan *plan, const gw_packed_layers *layers) {
    assert(!plan->training);
    const gw_linear_args sizes = arguments_of(layers, 0, NULL);
    const packed_step step = {*layers, gw_plan_scratch(plan, gw_linear_scratch(gw_threads(), &sizes))};
    gw_plan_append(plan, layers->in.rows, forward, NULL, &step, sizeof step);
}
