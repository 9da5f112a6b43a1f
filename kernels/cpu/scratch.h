// SPDX-License-Identifier: MIT
// gw_backend.scratch of the CPU.
#ifndef GW_KERNELS_CPU_SCRATCH_H
#define GW_KERNELS_CPU_SCRATCH_H

#include "kernels/backend.h"

int64_t gw_cpu_scratch(gw_op op, const void *arguments);

#endif
