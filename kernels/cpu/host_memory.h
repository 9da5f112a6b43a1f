// SPDX-License-Identifier: MIT
// The memory functions of backends whose device is the host itself.
#ifndef GW_KERNELS_CPU_HOST_MEMORY_H
#define GW_KERNELS_CPU_HOST_MEMORY_H

#include "base/status.h"

#include <stdint.h>

gw_status gw_host_allocate(int64_t bytes, void **memory) GW_MUST_CHECK;
void gw_host_release(void *memory);
gw_status gw_host_zero(void *memory, int64_t bytes) GW_MUST_CHECK;
gw_status gw_host_copy(void *to, const void *from, int64_t bytes) GW_MUST_CHECK; // either way; nothing onto itself

#endif
