// SPDX-License-Identifier: MIT
// Numbers on both host and device: makes the two copies if the device has its own memory, and copies between them.
#include "kernels/mirror.h"

#include "base/memory.h"

#include <stdlib.h>

gw_status gw_mirror_make(gw_mirror *mirror, const gw_backend *kernels, void *host, void *device, int64_t bytes) {
    *mirror = (gw_mirror){.kernels = kernels, .host = host, .device = device, .bytes = bytes};
    if (!device && host && kernels->shares_host) mirror->device = host;
    else if (!device) {
        GW_TRY(kernels->allocate(bytes, &mirror->device));
        mirror->owns_device = true;
    }
    if (host) return GW_OK;
    if (kernels->shares_host) {
        mirror->host = mirror->device;
        return GW_OK;
    }
    mirror->host = gw_alloc(bytes, 1);
    mirror->owns_host = true;
    return mirror->host ? GW_OK : GW_ERR_MEMORY;
}

void gw_mirror_free(gw_mirror *mirror) {
    if (mirror->owns_device) mirror->kernels->release(mirror->device);
    if (mirror->owns_host) free(mirror->host);
    *mirror = (gw_mirror){0};
}

gw_status gw_mirror_to_device(const gw_mirror *mirror) {
    return mirror->host == mirror->device ? GW_OK
                                          : mirror->kernels->to_device(mirror->device, mirror->host, mirror->bytes);
}

gw_status gw_mirror_to_host(const gw_mirror *mirror, int64_t bytes) {
    return mirror->host == mirror->device ? GW_OK : mirror->kernels->to_host(mirror->host, mirror->device, bytes);
}
