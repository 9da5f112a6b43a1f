// SPDX-License-Identifier: MIT
// What one warp of the emulation makes of fragments; 0, or 1 where it could not be run.
#ifndef GW_TESTS_CUDA_CUTE_LANES_H
#define GW_TESTS_CUDA_CUTE_LANES_H

#include <stdint.h>

// d += a b by mma.sync m16n8k16: lane after lane four registers of a, two of b, four sums.
int lanes_multiply(const uint32_t *a, const uint32_t *b, float *d);
// ldmatrix.x4 of 32 rows of eight 16-bit numbers, row i at the address of lane i: lane after lane four registers.
int lanes_load(const uint32_t *in, uint32_t *out, bool transposed);

#endif
