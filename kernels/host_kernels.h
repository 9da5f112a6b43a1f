// SPDX-License-Identifier: MIT
// Kernels for what the host computes itself, whatever device is in use.
#ifndef GW_KERNELS_HOST_KERNELS_H
#define GW_KERNELS_HOST_KERNELS_H

#include "kernels/backend.h"

// The backend in use where its memory is the host's, else the best supported one of those; NULL with a message where
// that is impossible.
const gw_backend *gw_host_kernels(void);

#endif
