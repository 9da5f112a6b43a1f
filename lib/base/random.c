// SPDX-License-Identifier: MIT
// Philox 4x32-10: ten rounds of two 32x32 -> 64 bit multiplications, the key bumped by Weyl constants.
#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void gw_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

gw_random gw_random_at(uint64_t seed, gw_random_site site, uint64_t a, uint32_t b) {
    gw_random random = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .used = 4};
    random.counter[1] = (uint32_t)a;
    random.counter[2] = (uint32_t)(a >> 32) ^ (b << 16);
    random.counter[3] = (uint32_t)site ^ (b & 0xffff0000u);
    return random;
}

uint32_t gw_random_u32(gw_random *random) {
    if (random->used == 4) {
        gw_philox(random->counter, random->key, random->block);
        random->counter[0]++;
        random->used = 0;
    }
    return random->block[random->used++];
}

uint64_t gw_random_below(gw_random *random, uint64_t n) {
    assert(n > 0);
    if (n <= UINT32_MAX) {
        const uint32_t bound = (uint32_t)n;
        for (;;) {
            const uint64_t product = (uint64_t)gw_random_u32(random) * bound;
            const uint32_t rest = (uint32_t)product;
            // What is below 2^32 mod n is rejected; that is below n, and a division seldom needed to tell.
            if (rest >= bound || rest >= -bound % bound) return product >> 32;
        }
    }
    const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    for (;;) {
        const uint64_t high = gw_random_u32(random), draw = high << 32 | gw_random_u32(random);
        if (draw < limit) return draw % n;
    }
}

int64_t gw_random_between(gw_random *random, int64_t low, int64_t high) {
    assert(low <= high);
    return low + (int64_t)gw_random_below(random, (uint64_t)(high - low) + 1);
}

float gw_random_uniform(gw_random *random) {
    return (float)(gw_random_u32(random) >> 8) * 0x1p-24f;
}

float gw_random_normal(gw_random *random) {
    const float u = (float)((gw_random_u32(random) >> 8) + 1) * 0x1p-24f, v = gw_random_uniform(random);
    return sqrtf(-2.0f * logf(u)) * cosf(6.28318530717958647692f * v);
}
