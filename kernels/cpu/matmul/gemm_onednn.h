// SPDX-License-Identifier: MIT
// Matrix products by oneDNN, the same bits in a row of c however many threads work, and, but with transpose_a,
// whatever M is.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_GEMM_ONEDNN_H

#include "kernels/kernel.h"

gw_status gw_gemm_onednn(const gw_gemm_args *args) GW_MUST_CHECK;
// For any M, and a K of at most this; with transpose_a for this M alone.
int64_t gw_gemm_onednn_scratch(const gw_gemm_args *args);

#endif
