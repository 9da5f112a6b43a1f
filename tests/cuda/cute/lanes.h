// SPDX-License-Identifier: MIT
// Products and loads by a warp or a warpgroup of the emulator. Each function returns 0, or 1 if it could not run.
#ifndef GW_TESTS_CUDA_CUTE_LANES_H
#define GW_TESTS_CUDA_CUTE_LANES_H

#include <stdint.h>

// d += a b by mma.sync m16n8k16. Each lane in turn has four registers of a, two of b, and four sums.
int lanes_multiply(const uint32_t *a, const uint32_t *b, float *d);
// ldmatrix.x4 of 32 rows of eight 16-bit numbers. Lane i gives the address of row i. Each lane in turn gets four
// registers.
int lanes_load(const uint32_t *in, uint32_t *out, bool transposed);

enum { LANES_IMAGE = 16384, LANES_GROUP = 128 }; // numbers of shared memory; threads of a warpgroup
// d = a b^T by wgmma m64n64k16, of matrices in an image of shared memory. Descriptors count addresses from the begin of
// the image. Each thread in turn gets 32 sums.
int lanes_wgmma(const uint16_t *image, uint64_t a, uint64_t b, float *d);
// d += a b by wgmma m64nNk16, n 32, 64 or 128. Each thread in turn has four registers of a and n / 2 sums.
int lanes_wgmma_add(int n, const uint16_t *image, const uint32_t *a, uint64_t b, float *d);
// Copies a box of 64 rows of a matrix by the tensor memory accelerator, and returns shared memory after it.
int lanes_load_box(const uint16_t *in, int columns, int swizzle, uint16_t *image);

#endif
