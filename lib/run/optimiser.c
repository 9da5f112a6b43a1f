// SPDX-License-Identifier: MIT
// Sums squares for clipping, then updates all parameters as one block.
#include "run/optimiser.h"

#include "base/memory.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdlib.h>

gw_optimiser_options gw_optimiser_defaults(void) {
    return (gw_optimiser_options){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .decay = 0.01, .clip = 1};
}

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options,
                           const gw_parameters *parameters) {
    *optimiser = (gw_optimiser){.options = *options};
    optimiser->first_moment = gw_alloc(parameters->floats, sizeof(float));
    optimiser->second_moment = gw_alloc(parameters->floats, sizeof(float));
    if (optimiser->first_moment && optimiser->second_moment) return GW_OK;
    gw_optimiser_free(optimiser);
    return GW_ERR_MEMORY;
}

void gw_optimiser_free(gw_optimiser *optimiser) {
    free(optimiser->first_moment);
    free(optimiser->second_moment);
    *optimiser = (gw_optimiser){0};
}

static gw_status update(const gw_optimiser *o, const gw_backend *kernels, gw_parameters *parameters,
                        const gw_parameter *p, const float *gradient, int64_t step, double rate) {
    const double t = (double)step + 1;
    return kernels->adamw(&(gw_adamw_args){
        .count = p->count,
        .weight = parameters->weight + p->offset,
        .first_moment = o->first_moment + p->offset,
        .second_moment = o->second_moment + p->offset,
        .gradient = gradient + p->offset,
        .norm = &o->norm,
        .rate = (float)rate,
        .beta1 = (float)o->options.beta1,
        .beta2 = (float)o->options.beta2,
        .epsilon = (float)o->options.epsilon,
        .decay = p->decay ? (float)o->options.decay : 0,
        .correction1 = (float)(1 - pow(o->options.beta1, t)),
        .correction2 = (float)(1 - pow(o->options.beta2, t)),
    });
}

gw_status gw_optimiser_step(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                            double rate, double *norm) {
    const gw_backend *kernels = gw_kernels();
    if (!kernels) return GW_ERR_UNSUPPORTED;
    GW_TRY(kernels->gradient_norm(&(gw_gradient_norm_args){
        .count = parameters->floats, .in = gradient, .clip = optimiser->options.clip, .out = &optimiser->norm}));
    for (int i = 0; i < parameters->count; i++)
        GW_TRY(update(optimiser, kernels, parameters, &parameters->list[i], gradient, step, rate));
    *norm = optimiser->norm.norm;
    if (isfinite(*norm)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the gradient of step %lld is not finite: lower the learning rate",
                   (long long)step + 1);
}
