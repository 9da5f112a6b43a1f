// SPDX-License-Identifier: MIT
// Alias tables and Poisson numbers.
#include "graph/sbm.h"

#include <math.h>

// Items whose share is below the mean lend the rest of their cell to one above it. Both kinds wait on one stack, the
// small ones from its beginning, the large ones from its end.
void gw_alias_make(gw_alias *table, const float *weight, int64_t stride, double *share, int32_t *stack) {
    const int64_t count = table->count;
    int64_t small = 0, large = count;
    table->total = 0;
    for (int64_t i = 0; i < count; i++) table->total += (double)weight[i * stride];
    if (!(table->total > 0)) return;
    for (int64_t i = 0; i < count; i++) {
        share[i] = (double)weight[i * stride] * (double)count / table->total;
        if (share[i] < 1) stack[small++] = (int32_t)i;
        else stack[--large] = (int32_t)i;
    }
    while (small > 0 && large < count) {
        const int32_t least = stack[--small], lender = stack[large];
        table->keep[least] = (uint32_t)(share[least] * 0x1p32);
        table->other[least] = lender;
        share[lender] -= 1 - share[least];
        if (share[lender] >= 1) continue;
        large++;
        stack[small++] = lender;
    }
    // What is left differs from 1 by rounding alone.
    while (small > 0) small--, table->other[stack[small]] = stack[small];
    for (; large < count; large++) table->other[stack[large]] = stack[large];
}

int64_t gw_alias_draw(const gw_alias *table, gw_random *random) {
    const int64_t cell = (int64_t)gw_random_below(random, (uint64_t)table->count);
    return table->other[cell] == cell || gw_random_u32(random) < table->keep[cell] ? cell : table->other[cell];
}

double gw_random_open(gw_random *random) {
    const uint64_t high = gw_random_u32(random) >> 5, low = gw_random_u32(random) >> 6; // 27 and 26 bits
    return ((double)(high << 26 | low) + 0.5) * 0x1p-53;
}

static int64_t small_poisson(gw_random *random, double mean) {
    const double stop = exp(-mean);
    int64_t count = 0;
    for (double product = gw_random_open(random); product > stop; product *= gw_random_open(random)) count++;
    return count;
}

static int64_t large_poisson(gw_random *random, double mean) {
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4),
                 sure = 0.9277 - 3.6224 / (b - 2), log_mean = log(mean);
    for (;;) {
        const double u = gw_random_open(random) - 0.5, v = gw_random_open(random), edge = 0.5 - fabs(u);
        const double k = floor((2 * a / edge + b) * u + mean + 0.43);
        int sign;
        if (edge >= 0.07 && v <= sure) return (int64_t)k;
        if (k < 0 || (edge < 0.013 && v > edge)) continue;
        if (log(v * inverse / (a / (edge * edge) + b)) <= k * log_mean - mean - lgamma_r(k + 1, &sign))
            return (int64_t)k;
    }
}

int64_t gw_random_poisson(gw_random *random, double mean) {
    return mean < 10 ? small_poisson(random, mean) : large_poisson(random, mean);
}
