// SPDX-License-Identifier: MIT
// Kernels for computing on the host, with any current device.
#ifndef GW_KERNELS_HOST_KERNELS_H
#define GW_KERNELS_HOST_KERNELS_H

#include "kernels/backend.h"

// The current backend if it uses host memory, else the best supported backend that does; NULL with a message if there
// is none.
const gw_backend *gw_host_kernels(void);

#endif
