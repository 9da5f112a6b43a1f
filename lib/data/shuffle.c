// SPDX-License-Identifier: MIT
// A Feistel network over numbers of 2 h bits, the smallest even width that holds `count` (Black & Rogaway, "Ciphers
// with arbitrary finite domains", CT-RSA 2002): halves (l, r) -> (r, l xor f(round, r)), with Philox as f. Values
// beyond count are encrypted again until they fall inside ("cycle walking"): at most four tries on average.
#include "data/shuffle.h"

#include "base/random.h"

#include <assert.h>

enum { ROUNDS = 8 };

static uint64_t feistel(uint64_t seed, uint64_t epoch, int half, uint64_t value) {
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t left = value >> half, right = value & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        gw_random random = gw_random_at(seed, GW_SITE_SHUFFLE, epoch, round);
        random.counter[0] = (uint32_t)right; // right has at most 31 bits
        const uint64_t mixed = left ^ (gw_random_u32(&random) & mask);
        left = right;
        right = mixed;
    }
    return left << half | right;
}

int64_t gw_shuffle(uint64_t seed, uint64_t epoch, int64_t count, int64_t position) {
    assert(position >= 0 && position < count && count < (int64_t)1 << 62);
    int half = 1;
    while ((uint64_t)count > (uint64_t)1 << (2 * half)) half++;
    uint64_t value = (uint64_t)position;
    do value = feistel(seed, epoch, half, value);
    while (value >= (uint64_t)count);
    return (int64_t)value;
}

int64_t gw_epochs_steps(const gw_epochs *e) {
    return (e->examples + e->batch - 1) / e->batch;
}

int64_t gw_epochs_count(const gw_epochs *e, int64_t step) {
    const int64_t left = e->examples - step % gw_epochs_steps(e) * e->batch;
    return left < e->batch ? left : e->batch;
}

int64_t gw_epochs_number(const gw_epochs *e, int64_t step, int64_t i) {
    const int64_t steps = gw_epochs_steps(e);
    return step / steps * e->examples + step % steps * e->batch + i;
}

int64_t gw_epochs_at(const gw_epochs *e, int64_t step, int64_t i) {
    const int64_t number = gw_epochs_number(e, step, i);
    return gw_shuffle(e->seed, (uint64_t)(number / e->examples), e->examples, number % e->examples);
}
