// SPDX-License-Identifier: MIT
// Weights that stay as they are, laid out for products.
#include "base/memory.h"
#include "model/model.h"

static gw_status freeze_members(gw_model *model, gw_precision precision) {
    model->precision = precision;
    for (int64_t i = 0; i < model->config.members; i++) GW_TRY(gw_model_freeze(model->members[i], precision));
    return GW_OK;
}

gw_status gw_model_freeze(gw_model *model, gw_precision precision) {
    if (model->members) return freeze_members(model, precision);
    GW_TRY(gw_parameters_on_device(&model->parameters));
    const gw_mirror *mirror = &model->parameters.mirror;
    model->packed = gw_alloc(model->parameters.count, sizeof(gw_packed *));
    if (!model->packed) return GW_ERR_MEMORY;
    model->precision = precision;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (!parameter->multiplied) continue;
        const float *weight = (const float *)mirror->device + parameter->offset;
        GW_TRY(mirror->kernels->pack(weight, parameter->shape[0], parameter->shape[1], precision, &model->packed[i]));
    }
    return GW_OK;
}
