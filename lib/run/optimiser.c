// SPDX-License-Identifier: MIT
// Sums squares for clipping, then updates all parameters as one block.
#include "run/optimiser.h"

#include <math.h>
#include <stddef.h>

gw_optimiser_options gw_optimiser_defaults(void) {
    return (gw_optimiser_options){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .decay = 0.01, .clip = 1};
}

static gw_status check_ops(const gw_backend *kernels) {
    static const gw_op needs[] = {GW_OP_gradient_norm, GW_OP_adamw};
    for (int i = 0; i < 2; i++)
        if (!gw_backend_has(kernels, needs[i]))
            return gw_fail(GW_ERR_UNSUPPORTED, "training needs %s, for which backend %s has no kernel",
                           gw_op_name(needs[i]), kernels->name);
    return GW_OK;
}

static gw_status make(gw_optimiser *optimiser, gw_parameters *parameters) {
    GW_TRY(gw_parameters_on_device(parameters));
    const gw_backend *kernels = parameters->mirror.kernels;
    GW_TRY(check_ops(kernels));
    GW_TRY(gw_mirror_make(&optimiser->first_moment, kernels, NULL, NULL, parameters->mirror.bytes));
    GW_TRY(gw_mirror_make(&optimiser->second_moment, kernels, NULL, NULL, parameters->mirror.bytes));
    return gw_mirror_make(&optimiser->norm, kernels, NULL, NULL, sizeof(gw_gradient_norm));
}

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options, gw_parameters *parameters) {
    *optimiser = (gw_optimiser){.options = *options};
    const gw_status status = make(optimiser, parameters);
    if (status != GW_OK) gw_optimiser_free(optimiser);
    return status;
}

void gw_optimiser_free(gw_optimiser *optimiser) {
    gw_mirror_free(&optimiser->first_moment);
    gw_mirror_free(&optimiser->second_moment);
    gw_mirror_free(&optimiser->norm);
    *optimiser = (gw_optimiser){0};
}

static gw_status update(const gw_optimiser *o, const gw_backend *kernels, gw_parameters *parameters,
                        const gw_parameter *p, const float *gradient, int64_t step, double rate) {
    const double t = (double)step + 1;
    return kernels->adamw(&(gw_adamw_args){
        .count = p->count,
        .weight = (float *)parameters->mirror.device + p->offset,
        .first_moment = (float *)o->first_moment.device + p->offset,
        .second_moment = (float *)o->second_moment.device + p->offset,
        .gradient = gradient + p->offset,
        .norm = o->norm.device,
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
    const gw_backend *kernels = parameters->mirror.kernels;
    GW_TRY(kernels->gradient_norm(&(gw_gradient_norm_args){
        .count = parameters->floats, .in = gradient, .clip = optimiser->options.clip, .out = optimiser->norm.device}));
    for (int i = 0; i < parameters->count; i++)
        if (!parameters->list[i].fixed)
            GW_TRY(update(optimiser, kernels, parameters, &parameters->list[i], gradient, step, rate));
    GW_TRY(gw_mirror_to_host(&optimiser->norm, optimiser->norm.bytes));
    *norm = ((const gw_gradient_norm *)optimiser->norm.host)->norm;
    if (isfinite(*norm)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the gradient of step %lld is not finite: lower the learning rate",
                   (long long)step + 1);
}
