// SPDX-License-Identifier: MIT
// Parameters in memory of the device that computes with them.
#include "model/model.h"

#include <stddef.h>

gw_status gw_parameters_on_device(gw_parameters *parameters) {
    const gw_backend *kernels = gw_kernels();
    gw_mirror *mirror = &parameters->mirror;
    if (!kernels) return GW_ERR_UNSUPPORTED;
    if (mirror->device) {
        const bool shared = mirror->kernels->shares_host && kernels->shares_host;
        if (shared) mirror->kernels = kernels;
        if (shared || mirror->kernels == kernels) return GW_OK;
        return gw_fail(GW_ERR_UNSUPPORTED, "the model's weights are in memory of backend %s, not of %s",
                       mirror->kernels->name, kernels->name);
    }
    GW_TRY(gw_mirror_make(mirror, kernels, parameters->weight, NULL, parameters->floats * (int64_t)sizeof(float)));
    return gw_mirror_to_device(mirror);
}

gw_status gw_parameters_to_device(gw_parameters *parameters) {
    return parameters->mirror.device ? gw_mirror_to_device(&parameters->mirror) : GW_OK;
}

gw_status gw_parameters_to_host(gw_parameters *parameters) {
    return parameters->mirror.device ? gw_mirror_to_host(&parameters->mirror, parameters->mirror.bytes) : GW_OK;
}
