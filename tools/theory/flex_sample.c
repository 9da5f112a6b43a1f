// SPDX-License-Identifier: MIT
// Random sparse matrices, and the conditions on the rows of their approximations.
#include "tools/theory/flex_sample.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

enum { PLACE_PERMUTATION = 16, PLACE_COIN = 17 };

static void shuffle(int32_t *permutation, int64_t n, gw_random *random) {
    for (int64_t i = 0; i < n; i++) permutation[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)gw_random_below(random, (uint64_t)i + 1);
        const int32_t keep = permutation[i];
        permutation[i] = permutation[j], permutation[j] = keep;
    }
}

bool gw_flex_has(const gw_flex_matrix *m, int64_t i, int32_t j) {
    for (int e = 0; e < m->count[i]; e++)
        if (m->column[i * m->setting.k + e] == j) return true;
    return false;
}

// Entry (i, j), unless it is there or row or column (in a causal A) are full.
static void place(gw_flex_matrix *m, int64_t i, int32_t j, int *in_column, gw_random *coin) {
    const int k = m->setting.k;
    if (m->setting.causal && j > i) {
        const int32_t keep = j;
        j = (int32_t)i, i = keep;
    }
    if (gw_flex_has(m, i, j) || m->count[i] == k || in_column[j] == k) return;
    const int64_t at = i * k + m->count[i]++;
    in_column[j]++;
    m->column[at] = j;
    m->a[at] = gw_random_uniform(coin) < 0.5f ? 1 : m->setting.gamma;
}

// Divides each row by its sum and sets B. A causal row may have got nothing: it reads itself.
static void finish(gw_flex_matrix *m) {
    const gw_flex_setting *s = &m->setting;
    for (int64_t i = 0; i < m->n; i++) {
        double *a = m->a + i * s->k, sum = 0, least = INFINITY;
        if (m->count[i] == 0) {
            m->column[i * s->k] = (int32_t)i;
            a[m->count[i]++] = 1;
        }
        for (int e = 0; e < m->count[i]; e++) sum += a[e];
        for (int e = 0; e < m->count[i]; e++) least = fmin(least, a[e] /= sum);
        for (int e = 0; e < m->count[i]; e++) m->b[i * s->k + e] = log(a[e] / (s->epsilon1 * least)) + s->epsilon2;
    }
}

gw_status gw_flex_matrix_new(int64_t n, const gw_flex_setting *setting, uint64_t seed, gw_flex_matrix *m) {
    const int k = setting->k;
    *m = (gw_flex_matrix){.n = n, .setting = *setting};
    m->column = gw_alloc(n * k, sizeof *m->column);
    m->count = gw_alloc(n, sizeof *m->count);
    m->a = gw_alloc(n * k, sizeof *m->a);
    m->b = gw_alloc(n * k, sizeof *m->b);
    int32_t *permutation = gw_alloc(n, sizeof *permutation);
    int *in_column = gw_alloc(n, sizeof *in_column);
    const bool complete = m->column && m->count && m->a && m->b && permutation && in_column;
    gw_random coin = gw_random_at(seed, GW_SITE_PROOF, 0, PLACE_COIN);
    for (int p = 0; complete && p < k; p++) {
        gw_random random = gw_random_at(seed, GW_SITE_PROOF, (uint64_t)p, PLACE_PERMUTATION);
        shuffle(permutation, n, &random);
        for (int64_t i = 0; i < n; i++) place(m, i, permutation[i], in_column, &coin);
    }
    free(permutation);
    free(in_column);
    if (!complete) return GW_ERR_MEMORY;
    finish(m);
    return GW_OK;
}

void gw_flex_matrix_free(gw_flex_matrix *m) {
    free(m->column);
    free(m->count);
    free(m->a);
    free(m->b);
    *m = (gw_flex_matrix){0};
}

int64_t gw_flex_seen(const gw_flex_matrix *m, int64_t i) {
    return m->setting.causal ? i + 1 : m->n;
}

double gw_flex_row_slack(const gw_flex_matrix *m, int64_t i, const double *own, double *limit) {
    const gw_flex_setting *s = &m->setting;
    const double *a = m->a + i * s->k;
    double least = INFINITY, slack = INFINITY;
    for (int e = 0; e < m->count[i]; e++) {
        least = fmin(least, own[e]);
        for (int f = 0; f < e; f++) slack = fmin(slack, s->epsilon2 - fabs(own[e] - own[f] - log(a[e] / a[f])));
    }
    *limit = least + log(s->epsilon1);
    return slack;
}

bool gw_flex_row_holds(const gw_flex_matrix *m, int64_t i, const double *logits) {
    const int64_t seen = gw_flex_seen(m, i);
    double own[GW_FLEX_MOST_NONZEROS], limit;
    for (int e = 0; e < m->count[i]; e++) own[e] = logits[m->column[i * m->setting.k + e]];
    if (!(gw_flex_row_slack(m, i, own, &limit) > 0)) return false;
    for (int64_t j = 0; j < seen; j++)
        if (logits[j] >= limit && !gw_flex_has(m, i, (int32_t)j)) return false;
    return true;
}

static double bound_factor(const gw_flex_setting *s) {
    const double ratio = (log(s->gamma) - log(s->epsilon1)) / s->epsilon2 + 1;
    return 16.0 * s->k * s->k * ratio * ratio;
}

double gw_flex_bound(int64_t n, const gw_flex_setting *s) {
    return 2 * ceil(bound_factor(s) * (2 * log((double)n) + log((double)n - 1) + log(2)));
}

double gw_flex_bound_slope(int64_t n, const gw_flex_setting *s) {
    return 2 * bound_factor(s) * (2 + (double)n / ((double)n - 1));
}
