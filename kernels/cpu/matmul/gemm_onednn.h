// SPDX-License-Identifier: MIT
// Matrix products by oneDNN. A row of c has the same bits for any number of threads and, except with transpose_a, for
// any M.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_GEMM_ONEDNN_H

#include "kernels/kernel.h"

gw_status gw_gemm_onednn(const gw_gemm_args *args) GW_MUST_CHECK;
// For any M and a K of at most this; with transpose_a only for this M.
int64_t gw_gemm_onednn_scratch(const gw_gemm_args *args);

#endif
