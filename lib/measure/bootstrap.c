// SPDX-License-Identifier: MIT
// Samples are streams of draws of their own (base/random.h), by number.
#include "measure/bootstrap.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Between the two values that stand beside the place.
static double quantile(const double *sorted, int64_t count, double part) {
    const double place = part * (double)(count - 1);
    const int64_t below = (int64_t)place, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

void gw_bootstrap_draw(uint64_t seed, int64_t sample, int64_t count, int32_t *times) {
    gw_random random = gw_random_at(seed, GW_SITE_BOOTSTRAP, (uint64_t)sample, 0);
    for (int64_t i = 0; i < count; i++) times[i] = 0;
    for (int64_t i = 0; i < count; i++) times[gw_random_below(&random, (uint64_t)count)]++;
}

gw_interval gw_bootstrap_interval(double value, double *samples, int64_t count) {
    int64_t known = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(samples[i])) samples[known++] = samples[i];
    if (known == 0 || isnan(value)) return (gw_interval){value, NAN, NAN};
    qsort(samples, (size_t)known, sizeof *samples, by_size);
    return (gw_interval){value, quantile(samples, known, 0.025), quantile(samples, known, 0.975)};
}

static double mean_of(const double *values, int64_t count, gw_random *random) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += values[random ? gw_random_below(random, (uint64_t)count) : (uint64_t)i];
    return sum / (double)count;
}

gw_status gw_bootstrap_mean(const double *values, int64_t count, int64_t samples, uint64_t seed, gw_interval *out) {
    if (count < 1 || samples < 1) return gw_fail(GW_ERR_RANGE, "no values to draw from");
    double *means = gw_alloc(samples, sizeof *means);
    if (!means) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < samples; i++) {
        gw_random random = gw_random_at(seed, GW_SITE_BOOTSTRAP, (uint64_t)i, 0);
        means[i] = mean_of(values, count, &random);
    }
    *out = gw_bootstrap_interval(mean_of(values, count, NULL), means, samples);
    free(means);
    return GW_OK;
}
