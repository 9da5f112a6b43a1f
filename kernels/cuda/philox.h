// SPDX-License-Identifier: MIT
// Philox 4x32-10 of base/random.h: four random words of a counter.
#ifndef GW_KERNELS_CUDA_PHILOX_H
#define GW_KERNELS_CUDA_PHILOX_H

#include "kernels/cuda/gpu.h"

// The words of the counter {first as 64 bits, third, fourth}.
GPU_FN uint4 gpu_philox(uint64_t seed, uint64_t first, uint32_t third, uint32_t fourth) {
    uint32_t c0 = uint32_t(first), c1 = uint32_t(first >> 32), c2 = third, c3 = fourth;
    uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint32_t high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        const uint32_t high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
        c0 = high1 ^ c1 ^ k0;
        c2 = high0 ^ c3 ^ k1;
        c1 = low1;
        c3 = low0;
    }
    return {c0, c1, c2, c3};
}

#endif
