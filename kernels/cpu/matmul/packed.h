// SPDX-License-Identifier: MIT
// The matrix W [N][K] of a linear layer, packed once in the layout of oneDNN's product. Only for fixed weights: later
// changes of the matrix have no effect.
#ifndef GW_KERNELS_CPU_MATMUL_PACKED_H
#define GW_KERNELS_CPU_MATMUL_PACKED_H

#include "kernels/kernel.h"

gw_status gw_packed_new(const float *weight, int64_t n, int64_t k, gw_precision precision,
                        gw_packed **out) GW_MUST_CHECK;
void gw_packed_free(gw_packed *packed);
int64_t gw_packed_bytes(const gw_packed *packed);

// Whether the processor has instructions for bf16 products. Emulated bf16 is slower than f32.
bool gw_cpu_has_bf16(void);

#endif
