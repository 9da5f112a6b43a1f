// SPDX-License-Identifier: MIT
// A micro-tile of 6 rows by 64 columns is summed in 24 registers. Each number is summed independently in the order of
// the depth, so the bits of a row do not depend on its neighbours. Narrow panels have 12 rows by 32 columns, with the
// same bits.
#include "kernels/cpu/matmul/dot.h"

#if defined __x86_64__
#include <immintrin.h>

#define GW_DOT_TARGET __attribute__((target("avx512f,avx512bf16")))
#define GW_DOT_INLINE static inline __attribute__((always_inline)) GW_DOT_TARGET

#define DOT_SHAPED(name) gw_dot_##name
#define DOT_HALF 3
#define DOT_VECTORS 4
#include "kernels/cpu/matmul/dot_tile.h"
#define DOT_SHAPED(name) gw_narrow_dot_##name
#define DOT_HALF 6
#define DOT_VECTORS 2
#include "kernels/cpu/matmul/dot_tile.h"
#endif
