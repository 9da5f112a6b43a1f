// SPDX-License-Identifier: MIT
// A block of numbers on both host and device: weights, moments of optimisers, results. If the backend uses host memory,
// both are the same memory, and copying is free.
#ifndef GW_KERNELS_MIRROR_H
#define GW_KERNELS_MIRROR_H

#include "kernels/backend.h"

typedef struct {
    const gw_backend *kernels;
    void *host, *device;
    int64_t bytes;
    bool owns_host, owns_device;
} gw_mirror;

// host and device: memory of the caller, at most one of them, or NULL; the rest is allocated and zeroed. Nothing is
// copied. Free with gw_mirror_free(), also after a failure.
gw_status gw_mirror_make(gw_mirror *mirror, const gw_backend *kernels, void *host, void *device,
                         int64_t bytes) GW_MUST_CHECK;
void gw_mirror_free(gw_mirror *mirror); // zeros are fine
gw_status gw_mirror_to_device(const gw_mirror *mirror) GW_MUST_CHECK;
gw_status gw_mirror_to_host(const gw_mirror *mirror, int64_t bytes) GW_MUST_CHECK; // copies the first `bytes` bytes

#endif
