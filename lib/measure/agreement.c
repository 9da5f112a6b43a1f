// SPDX-License-Identifier: MIT
// Correlations in two passes, bootstrap samples, and agreement for samples of rows or groups.
#include "measure/agreement.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static double mean_of(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i];
    return sum / (double)count;
}

double gw_pearson(const double *x, const double *y, int64_t count) {
    const double x_mean = mean_of(x, count), y_mean = mean_of(y, count);
    double xy = 0, xx = 0, yy = 0;
    for (int64_t i = 0; i < count; i++) {
        const double a = x[i] - x_mean, b = y[i] - y_mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / (sqrt(xx) * sqrt(yy)) : NAN;
}

typedef struct {
    double value;
    int64_t index;
} ranked;

static int by_value(const void *a, const void *b) {
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

static void sort_values(const double *values, int64_t count, ranked *order) {
    for (int64_t i = 0; i < count; i++) order[i] = (ranked){values[i], i};
    qsort(order, (size_t)count, sizeof *order, by_value);
}

static void rank(const double *x, int64_t count, ranked *order, double *out) {
    sort_values(x, count, order);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && order[end].value == order[begin].value;) end++;
        for (int64_t i = begin; i < end; i++) out[order[i].index] = (double)(begin + end - 1) / 2;
    }
}

gw_status gw_spearman(const double *x, const double *y, int64_t count, double *out) {
    ranked *order = gw_alloc(count, sizeof *order);
    double *ranks = gw_alloc(2 * count, sizeof *ranks);
    const gw_status status = order && ranks ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        rank(x, count, order, ranks);
        rank(y, count, order, ranks + count);
        *out = gw_pearson(ranks, ranks + count, count);
    }
    free(order);
    free(ranks);
    return status;
}

// --- bootstrap: samples are streams of draws of their own (base/random.h), by number -------------------------------

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

gw_status gw_bootstrap_mean(const double *values, int64_t count, int64_t samples, uint64_t seed, gw_interval *out) {
    if (count < 1 || samples < 1) return gw_fail(GW_ERR_RANGE, "no values to draw from");
    double *means = gw_alloc(samples, sizeof *means);
    if (!means) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < samples; i++) {
        gw_random random = gw_random_at(seed, GW_SITE_BOOTSTRAP, (uint64_t)i, 0);
        double sum = 0;
        for (int64_t k = 0; k < count; k++) sum += values[gw_random_below(&random, (uint64_t)count)];
        means[i] = sum / (double)count;
    }
    *out = gw_bootstrap_interval(mean_of(values, count), means, samples);
    free(means);
    return GW_OK;
}

// --- agreement -----------------------------------------------------------------------------------------------------
//
// A sample is how often each row counts: sums are weighted by that, and ranks are counted along an order that is sorted
// once.

enum { METRICS = 5 }; // Pearson, Spearman, R^2, within groups, median over groups

typedef struct {
    const gw_agreement_pairs *of;
    double *x_apart, *p_apart; // [count] less the means of their groups
    ranked *x_order, *p_order; // [count]
    double *x_rank, *p_rank;   // [count] of a sample
    int32_t *drawn;            // [rows, or groups] how often each counts
    double *weight;            // [count] the same of its rows
    int64_t *size;             // [groups]
    double *mean;              // [2][groups] scratch
    ranked *r_order;           // [large] correlations of large groups that have one
    int64_t large;
} workspace;

static double weighted_mean(const double *x, const double *weight, int64_t count) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += weight[i] * x[i];
        total += weight[i];
    }
    return sum / total;
}

static double weighted_pearson(const double *x, const double *y, const double *weight, int64_t count) {
    const double x_mean = weighted_mean(x, weight, count), y_mean = weighted_mean(y, weight, count);
    double xy = 0, xx = 0, yy = 0;
    for (int64_t i = 0; i < count; i++) {
        const double a = x[i] - x_mean, b = y[i] - y_mean;
        xy += weight[i] * a * b;
        xx += weight[i] * a * a;
        yy += weight[i] * b * b;
    }
    return xx > 0 && yy > 0 ? xy / (sqrt(xx) * sqrt(yy)) : NAN;
}

static double r2(const gw_agreement_pairs *of, const double *weight) {
    const double mean = weighted_mean(of->measured, weight, of->count);
    double left = 0, all = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const double error = of->measured[i] - of->predicted[i], apart = of->measured[i] - mean;
        left += weight[i] * error * error;
        all += weight[i] * apart * apart;
    }
    return all > 0 ? 1 - left / all : NAN;
}

// Ranks in a list where each row stands as often as its weight says, ties at their average rank.
static void weighted_rank(const ranked *order, const double *weight, int64_t count, double *out) {
    double before = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        double tied = 0;
        for (end = begin; end < count && order[end].value == order[begin].value; end++)
            tied += weight[order[end].index];
        for (int64_t i = begin; i < end; i++) out[order[i].index] = before + tied / 2;
        before += tied;
    }
}

// The median of the large groups' correlations, each as often as the group was drawn.
static double median(const workspace *r, const int32_t *drawn) {
    int64_t total = 0, before = 0;
    double low = NAN;
    for (int64_t i = 0; i < r->large; i++) total += drawn[r->r_order[i].index];
    for (int64_t i = 0; i < r->large && total > 0; i++) {
        before += drawn[r->r_order[i].index];
        if (isnan(low) && 2 * before >= total) low = r->r_order[i].value;
        if (2 * before > total) return (low + r->r_order[i].value) / 2;
    }
    return NAN;
}

static void metrics_of(workspace *r, double out[METRICS]) {
    const gw_agreement_pairs *of = r->of;
    for (int64_t i = 0; i < of->count; i++) r->weight[i] = of->group ? r->drawn[of->group[i]] : r->drawn[i];
    out[0] = weighted_pearson(of->measured, of->predicted, r->weight, of->count);
    weighted_rank(r->x_order, r->weight, of->count, r->x_rank);
    weighted_rank(r->p_order, r->weight, of->count, r->p_rank);
    out[1] = weighted_pearson(r->x_rank, r->p_rank, r->weight, of->count);
    out[2] = r2(of, r->weight);
    out[3] = of->group ? weighted_pearson(r->x_apart, r->p_apart, r->weight, of->count) : NAN;
    out[4] = of->group ? median(r, r->drawn) : NAN;
}

// --- groups --------------------------------------------------------------------------------------------------------

// Numbers less the means of their groups. A mean is counted from a number of the group, so that equal ones are 0.
static void take_means_off(const workspace *r, const double *x, double *out) {
    const gw_agreement_pairs *of = r->of;
    double *base = r->mean, *above = r->mean + of->groups;
    for (int64_t i = 0; i < of->count; i++) base[of->group[i]] = x[i];
    for (int64_t g = 0; g < of->groups; g++) above[g] = 0;
    for (int64_t i = 0; i < of->count; i++) {
        const int32_t g = of->group[i];
        above[g] += (x[i] - base[g]) / (double)r->size[g];
    }
    for (int64_t i = 0; i < of->count; i++) out[i] = (x[i] - base[of->group[i]]) - above[of->group[i]];
}

// Pearson's correlation of each large group, from what is apart from its means.
static gw_status correlate_groups(workspace *r) {
    const gw_agreement_pairs *of = r->of;
    double *sums = gw_alloc(3 * of->groups, sizeof *sums);
    if (!sums) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < of->count; i++) {
        double *s = sums + 3 * of->group[i];
        s[0] += r->x_apart[i] * r->p_apart[i];
        s[1] += r->x_apart[i] * r->x_apart[i];
        s[2] += r->p_apart[i] * r->p_apart[i];
    }
    for (int64_t g = 0; g < of->groups; g++) {
        const double *s = sums + 3 * g;
        if (r->size[g] < GW_LARGE_GROUP || !(s[1] > 0 && s[2] > 0)) continue;
        r->r_order[r->large++] = (ranked){s[0] / (sqrt(s[1]) * sqrt(s[2])), g};
    }
    qsort(r->r_order, (size_t)r->large, sizeof *r->r_order, by_value);
    free(sums);
    return GW_OK;
}

static gw_status sample(workspace *r, const double value[METRICS], gw_interval out[METRICS]) {
    const gw_agreement_pairs *of = r->of;
    const int64_t drawn = of->group ? of->groups : of->count, samples = of->samples;
    double *found = gw_alloc(METRICS * samples, sizeof *found), metrics[METRICS];
    if (!found) return GW_ERR_MEMORY;
    for (int64_t s = 0; s < samples; s++) {
        gw_bootstrap_draw(of->seed, s, drawn, r->drawn);
        metrics_of(r, metrics);
        for (int f = 0; f < METRICS; f++) found[f * samples + s] = metrics[f];
    }
    for (int f = 0; f < METRICS; f++) out[f] = gw_bootstrap_interval(value[f], found + f * samples, samples);
    free(found);
    return GW_OK;
}

gw_status gw_agreement_compute(const gw_agreement_pairs *of, gw_agreement *out) {
    const int64_t n = of->count, groups = of->group ? of->groups : 0;
    double value[METRICS], *numbers = gw_alloc(5 * n + 2 * groups, sizeof *numbers);
    gw_interval metrics[METRICS];
    workspace r = {.of = of,
                   .x_apart = numbers,
                   .x_order = gw_alloc(2 * n + groups, sizeof *r.x_order),
                   .drawn = gw_alloc(groups > 0 ? groups : n, sizeof *r.drawn),
                   .size = gw_alloc(groups, sizeof *r.size)};
    *out = (gw_agreement){.count = n};
    gw_preparing("drawing %lld pairs again and again, for the intervals of their correlations", (long long)n);
    gw_status status = numbers && r.x_order && r.drawn && r.size ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        r.p_apart = numbers + n;
        r.x_rank = numbers + 2 * n;
        r.p_rank = numbers + 3 * n;
        r.weight = numbers + 4 * n;
        r.mean = numbers + 5 * n;
        r.p_order = r.x_order + n;
        r.r_order = r.x_order + 2 * n;
        sort_values(of->measured, n, r.x_order);
        sort_values(of->predicted, n, r.p_order);
    }
    if (status == GW_OK && of->group) {
        for (int64_t i = 0; i < n; i++) r.size[of->group[i]]++;
        for (int64_t g = 0; g < groups; g++) {
            out->groups += r.size[g] > 0;
            out->lone += r.size[g] == 1;
            out->large += r.size[g] >= GW_LARGE_GROUP;
        }
        take_means_off(&r, of->measured, r.x_apart);
        take_means_off(&r, of->predicted, r.p_apart);
        status = correlate_groups(&r);
    }
    if (status == GW_OK) {
        for (int64_t i = 0; i < (of->group ? groups : n); i++) r.drawn[i] = 1;
        metrics_of(&r, value);
        status = sample(&r, value, metrics);
    }
    if (status == GW_OK) {
        out->pearson = metrics[0];
        out->spearman = metrics[1];
        out->r2 = metrics[2];
        out->within = metrics[3];
        out->median = metrics[4];
    }
    free(numbers);
    free(r.x_order);
    free(r.drawn);
    free(r.size);
    return status;
}
