// SPDX-License-Identifier: MIT
// What a warp, or a warpgroup, of the emulation makes of fragments and of matrices in shared memory; 0, or 1 where it
// could not be run.
#ifndef GW_TESTS_CUDA_CUTE_LANES_H
#define GW_TESTS_CUDA_CUTE_LANES_H

#include <stdint.h>

// d += a b by mma.sync m16n8k16: lane after lane four registers of a, two of b, four sums.
int lanes_multiply(const uint32_t *a, const uint32_t *b, float *d);
// ldmatrix.x4 of 32 rows of eight 16-bit numbers, row i at the address of lane i: lane after lane four registers.
int lanes_load(const uint32_t *in, uint32_t *out, bool transposed);

enum { LANES_IMAGE = 16384, LANES_GROUP = 128 }; // numbers of shared memory; threads of a warpgroup
// d = a b^T by wgmma m64n64k16, of matrices in an image of shared memory, as descriptors name them there whose
// addresses are counted from the image's begin: thread after thread 32 sums.
int lanes_wgmma(const uint16_t *image, uint64_t a, uint64_t b, float *d);
// d += a b by wgmma m64nNk16, n 32, 64 or 128: four registers of a, n / 2 sums.
int lanes_wgmma_add(int n, const uint16_t *image, const uint32_t *a, uint64_t b, float *d);
// A box of 64 rows by the tensor memory accelerator, of a matrix of so many numbers: shared memory as it is then.
int lanes_load_box(const uint16_t *in, int columns, int swizzle, uint16_t *image);

#endif
