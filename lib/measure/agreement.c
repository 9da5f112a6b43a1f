// SPDX-License-Identifier: MIT
// A sample is how often each row counts: sums are weighted by that, and ranks are counted along an order that is sorted
// once.
#include "measure/agreement.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double value;
    int64_t index;
} ranked;

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

static int by_value(const void *a, const void *b) {
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

static void sort_values(const double *values, int64_t count, ranked *order) {
    for (int64_t i = 0; i < count; i++) order[i] = (ranked){values[i], i};
    qsort(order, (size_t)count, sizeof *order, by_value);
}

static double weighted_mean(const double *x, const double *weight, int64_t count) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += weight[i] * x[i];
        total += weight[i];
    }
    return sum / total;
}

static double pearson(const double *x, const double *y, const double *weight, int64_t count) {
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
static void rank(const ranked *order, const double *weight, int64_t count, double *out) {
    double before = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        double tied = 0;
        for (end = begin; end < count && order[end].value == order[begin].value; end++)
            tied += weight[order[end].index];
        for (int64_t i = begin; i < end; i++) out[order[i].index] = before + tied / 2;
        before += tied;
    }
}

static double spearman(workspace *r) {
    const int64_t count = r->of->count;
    rank(r->x_order, r->weight, count, r->x_rank);
    rank(r->p_order, r->weight, count, r->p_rank);
    return pearson(r->x_rank, r->p_rank, r->weight, count);
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
    out[0] = pearson(of->measured, of->predicted, r->weight, of->count);
    out[1] = spearman(r);
    out[2] = r2(of, r->weight);
    out[3] = of->group ? pearson(r->x_apart, r->p_apart, r->weight, of->count) : NAN;
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

static gw_status group_rows(workspace *r, gw_agreement *out) {
    const gw_agreement_pairs *of = r->of;
    for (int64_t i = 0; i < of->count; i++) r->size[of->group[i]]++;
    for (int64_t g = 0; g < of->groups; g++) {
        out->groups += r->size[g] > 0;
        out->lone += r->size[g] == 1;
        out->large += r->size[g] >= GW_LARGE_GROUP;
    }
    take_means_off(r, of->measured, r->x_apart);
    take_means_off(r, of->predicted, r->p_apart);
    return correlate_groups(r);
}

// --- all of it -----------------------------------------------------------------------------------------------------

static gw_status reserve(workspace *r) {
    const int64_t n = r->of->count, groups = r->of->group ? r->of->groups : 0;
    double *numbers = gw_alloc(5 * n + 2 * groups, sizeof *numbers);
    r->x_apart = numbers;
    r->x_order = gw_alloc(2 * n + groups, sizeof *r->x_order);
    r->drawn = gw_alloc(groups > 0 ? groups : n, sizeof *r->drawn);
    r->size = gw_alloc(groups, sizeof *r->size);
    if (!numbers || !r->x_order || !r->drawn || !r->size) return GW_ERR_MEMORY;
    r->p_apart = numbers + n;
    r->x_rank = numbers + 2 * n;
    r->p_rank = numbers + 3 * n;
    r->weight = numbers + 4 * n;
    r->mean = numbers + 5 * n;
    r->p_order = r->x_order + n;
    r->r_order = r->x_order + 2 * n;
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

static gw_status compute(workspace *r, gw_agreement *out) {
    const gw_agreement_pairs *of = r->of;
    double value[METRICS];
    gw_interval metrics[METRICS];
    if (of->group) GW_TRY(group_rows(r, out));
    sort_values(of->measured, of->count, r->x_order);
    sort_values(of->predicted, of->count, r->p_order);
    for (int64_t i = 0; i < (of->group ? of->groups : of->count); i++) r->drawn[i] = 1;
    metrics_of(r, value);
    GW_TRY(sample(r, value, metrics));
    out->pearson = metrics[0];
    out->spearman = metrics[1];
    out->r2 = metrics[2];
    out->within = metrics[3];
    out->median = metrics[4];
    return GW_OK;
}

gw_status gw_agreement_compute(const gw_agreement_pairs *pairs, gw_agreement *out) {
    workspace r = {.of = pairs};
    *out = (gw_agreement){.count = pairs->count};
    gw_status status = reserve(&r);
    if (status == GW_OK) status = compute(&r, out);
    free(r.x_apart);
    free(r.x_order);
    free(r.drawn);
    free(r.size);
    return status;
}
