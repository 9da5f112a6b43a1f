// SPDX-License-Identifier: MIT
// Heights of the tiles for dnnl_sgemm. Every call packs its columns of b again. Tall tiles are therefore 1.05 to 1.2
// times as fast if there are enough rows, and the last rows need no padding to a whole tile.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_HEIGHTS_H
#define GW_KERNELS_CPU_MATMUL_GEMM_HEIGHTS_H

#include "kernels/kernel.h"

enum { GW_TALL_ROWS = 384, GW_ROW_STEP = 32, GW_MOST_ROWS = 128 };

// *agree: whether tiles of GW_TALL_ROWS and of every multiple of GW_ROW_STEP up to `rows` (at most GW_MOST_ROWS),
// `columns` wide, give a row of the product the same bits. Each shape is tried once. Products with a transposed a are
// not tried, because their depth changes from batch to batch.
gw_status gw_gemm_heights_agree(const gw_gemm_args *args, int64_t rows, int64_t columns, bool *agree) GW_MUST_CHECK;

#endif
