// SPDX-License-Identifier: MIT
// A micro-tile of 6 rows by 64 columns is summed in 24 registers; each of its numbers by itself, in the order of the
// depth, so that a row's bits do not depend on the rows beside it. Of narrow panels it has 12 rows by 32 columns, with
// the same bits.
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
