// SPDX-License-Identifier: MIT
// Heights of the tiles that dnnl_sgemm computes, of which every call packs its columns of b anew: taller ones are 1.05
// to 1.2 times as fast where there are enough rows for them.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_HEIGHTS_H
#define GW_KERNELS_CPU_MATMUL_GEMM_HEIGHTS_H

#include "kernels/kernel.h"

enum { GW_TALL_ROWS = 384 };

// *tall: whether tiles of GW_TALL_ROWS and of `rows` rows, `columns` wide, give a row of the product the same bits.
// They are tried once a shape; a product whose a is transposed, or that is too deep to be tried, has none.
gw_status gw_gemm_tall(const gw_gemm_args *args, int64_t rows, int64_t columns, bool *tall) GW_MUST_CHECK;

#endif
