// SPDX-License-Identifier: MIT
// MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998): the 19,937-bit recurrence
//   x[k + 624] = x[k + 397] ^ twist(high bit of x[k], low 31 bits of x[k + 1])
// and, above it, what numpy's RandomState makes of its words.
#include "graph/numpy_random.h"

enum { MIDDLE = 397 };

void gw_numpy_seed(gw_numpy_random *random, uint32_t seed) {
    random->word[0] = seed;
    for (uint32_t i = 1; i < GW_NUMPY_WORDS; i++) {
        const uint32_t last = random->word[i - 1];
        random->word[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    random->used = GW_NUMPY_WORDS;
}

static void refill(gw_numpy_random *random) {
    uint32_t *x = random->word;
    for (int k = 0; k < GW_NUMPY_WORDS; k++) {
        const uint32_t joined = (x[k] & 0x80000000u) | (x[(k + 1) % GW_NUMPY_WORDS] & 0x7fffffffu);
        x[k] = x[(k + MIDDLE) % GW_NUMPY_WORDS] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
    }
    random->used = 0;
}

uint32_t gw_numpy_u32(gw_numpy_random *random) {
    if (random->used == GW_NUMPY_WORDS) refill(random);
    uint32_t y = random->word[random->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

// Draws under the next 2^k - 1 until one is not above max.
uint32_t gw_numpy_interval(gw_numpy_random *random, uint32_t max) {
    if (max == 0) return 0;
    const uint32_t mask = UINT32_MAX >> __builtin_clz(max);
    for (;;) {
        const uint32_t draw = gw_numpy_u32(random) & mask;
        if (draw <= max) return draw;
    }
}

void gw_numpy_shuffle(gw_numpy_random *random, int32_t *values, int count) {
    for (int i = count - 1; i > 0; i--) {
        const uint32_t j = gw_numpy_interval(random, (uint32_t)i);
        const int32_t kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}
