// SPDX-License-Identifier: MIT
#include "nn/packed.h"

#include "base/parallel.h"

#include <assert.h>

typedef struct {
    gw_packed_layers layers;
    float *scratch;
} packed_step;

static gw_linear_layer layer_of(gw_linear linear, gw_epilogue epilogue) {
    return (gw_linear_layer){linear.packed, linear.bias.value, epilogue};
}

static gw_linear_args arguments_of(const gw_packed_layers *layers, int64_t rows, float *scratch) {
    gw_linear_args args = {
        .rows = rows,
        .in = layers->in.value,
        .inner = layer_of(layers->inner, layers->inner_epilogue),
        .residual = layers->has_residual ? layers->residual.value : NULL,
        .norm_weight = layers->norm.weight.value,
        .norm_bias = layers->norm.bias.value,
        .epsilon = (float)layers->epsilon,
        .scratch = scratch,
    };
    for (int i = 0; i < layers->count; i++) {
        args.layer[i] = layer_of(layers->linear[i], layers->epilogue);
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

gw_epilogue gw_epilogue_of(gw_activation activation) {
    switch (activation) {
    case GW_ACTIVATION_GELU: return GW_EPILOGUE_GELU;
    case GW_ACTIVATION_GELU_EXACT: return GW_EPILOGUE_GELU_EXACT;
    case GW_ACTIVATION_RELU: return GW_EPILOGUE_RELU;
    case GW_ACTIVATION_TANH: return GW_EPILOGUE_TANH;
    }
    return GW_EPILOGUE_NONE;
}
