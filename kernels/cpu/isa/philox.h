// SPDX-License-Identifier: MIT
// Philox 4x32-10 of base/random.h in vectors: GW_LANES / 2 blocks of four words at a time, with consecutive counters.
#ifndef GW_KERNELS_CPU_ISA_PHILOX_H
#define GW_KERNELS_CPU_ISA_PHILOX_H

#include "kernels/cpu/isa/vector.h"

enum { GW_PHILOX_ROUNDS = 10 };

// Numbers of the lanes, and keys of the rounds.
typedef struct {
    gw_u64v lane, key[GW_PHILOX_ROUNDS][2];
} gw_philox_keys;

GW_INLINE gw_philox_keys gw_philox_begin(uint64_t seed) {
    const gw_u64v zero = {0};
    gw_philox_keys keys;
    for (int b = 0; b < GW_LANES / 2; b++) keys.lane[b] = (uint64_t)b;
    gw_u64v k0 = zero + (uint32_t)seed, k1 = zero + (seed >> 32);
    for (int round = 0; round < GW_PHILOX_ROUNDS; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        keys.key[round][0] = k0;
        keys.key[round][1] = k1;
    }
    return keys;
}

// Lane 4 b + w of out = word w of the block with counter {first + b as 64 bits, third, fourth}, b < GW_LANES / 2. The
// counter's words c0 to c3 are in the low halves of 64-bit lanes, because a round is two products of 32 x 32 -> 64
// bits. The high halves are never read.
GW_INLINE void gw_philox_words(const gw_philox_keys *keys, uint64_t first, uint32_t third, uint32_t fourth,
                               gw_u64v out[2]) {
    const gw_u64v zero = {0}, multiplier0 = zero + 0xD2511F53u, multiplier1 = zero + 0xCD9E8D57u;
    const gw_u64v index = keys->lane + first;
    gw_u64v c0 = index, c1 = index >> 32, c2 = zero + third, c3 = zero + fourth;
    for (int round = 0; round < GW_PHILOX_ROUNDS; round++) {
        const gw_u64v p0 = gw_multiply_low(c0, multiplier0), p1 = gw_multiply_low(c2, multiplier1);
        c0 = (p1 >> 32) ^ c1 ^ keys->key[round][0];
        c2 = (p0 >> 32) ^ c3 ^ keys->key[round][1];
        c1 = p1;
        c3 = p0;
    }
    const gw_u64v first_pair = (c0 & 0xffffffffu) | c1 << 32, second_pair = (c2 & 0xffffffffu) | c3 << 32;
    gw_interleave(first_pair, second_pair, out);
}

#endif
