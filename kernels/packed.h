// SPDX-License-Identifier: MIT
// The matrix W [N][K] of a linear layer, laid out once as oneDNN's product wants it. For weights that stay as they are:
// changes of the matrix are not seen afterwards.
#ifndef GW_KERNELS_PACKED_H
#define GW_KERNELS_PACKED_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Numbers that a product multiplies; it always adds them up in f32.
typedef enum { GW_F32, GW_BF16 } gw_precision;

typedef struct gw_packed gw_packed;
gw_status gw_packed_new(const float *weight, int64_t n, int64_t k, gw_precision precision,
                        gw_packed **out) GW_MUST_CHECK;
void gw_packed_free(gw_packed *packed);
int64_t gw_packed_bytes(const gw_packed *packed);

// Whether this machine multiplies bf16 by instructions of its own; emulated it is slower than f32.
bool gw_has_bf16(void);

#endif
