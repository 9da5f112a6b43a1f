// SPDX-License-Identifier: MIT
// A block of numbers that host and device both hold: weights, optimisers' moments, results. Where a backend's memory is
// the host's, both are one and the same memory, and copying costs nothing.
#ifndef GW_KERNELS_MIRROR_H
#define GW_KERNELS_MIRROR_H

#include "kernels/backend.h"

typedef struct {
    const gw_backend *kernels;
    void *host, *device;
    int64_t bytes;
    bool owns_host, owns_device;
} gw_mirror;

// What is given of host and device (NULL: not) stays the caller's, who gives no more than one; the rest is allocated,
// zeroed. Nothing is copied yet. Free with gw_mirror_free(), also on failure.
gw_status gw_mirror_make(gw_mirror *mirror, const gw_backend *kernels, void *host, void *device,
                         int64_t bytes) GW_MUST_CHECK;
void gw_mirror_free(gw_mirror *mirror); // of zeros: nothing
gw_status gw_mirror_to_device(const gw_mirror *mirror) GW_MUST_CHECK;
gw_status gw_mirror_to_host(const gw_mirror *mirror, int64_t bytes) GW_MUST_CHECK; // the first so many

#endif
