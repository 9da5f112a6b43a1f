// SPDX-License-Identifier: MIT
// Linear layers over packed weights by oneDNN: tiles of rows that threads take in turn, each finished (bias,
// activation) while it lies in the cache.
#ifndef GW_KERNELS_LINEAR_ONEDNN_H
#define GW_KERNELS_LINEAR_ONEDNN_H

#include "kernels/kernel.h"

// What an instruction set adds to the product.
typedef struct {
    // c[r][i] = f(c[r][i] + bias[i]) for `rows` x `columns`; bias may be NULL
    void (*finish)(gw_epilogue epilogue, float *c, int64_t stride, int64_t rows, int64_t columns, const float *bias);
    // to[i] = from[i] rounded to bf16, to the nearest and ties to even
    void (*narrow)(uint16_t *to, const float *from, int64_t count);
} gw_linear_parts;

gw_status gw_linear_onednn(const gw_linear_args *args, const gw_linear_parts *parts) GW_MUST_CHECK;

#endif
