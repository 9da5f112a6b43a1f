// SPDX-License-Identifier: MIT
// Random matrices, projections by Cholesky factors of Gaussian columns, and the search for the smallest d.
#include "tools/theory/flex_sample.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { TRIAL = 32, ROWS = 16 };
enum { PLACE_PERMUTATION = 16, PLACE_COIN = 17, PLACE_GAUSSIAN = 18 };

static void shuffle(int32_t *permutation, int64_t n, gw_random *random) {
    for (int64_t i = 0; i < n; i++) permutation[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)gw_random_below(random, (uint64_t)i + 1);
        const int32_t keep = permutation[i];
        permutation[i] = permutation[j], permutation[j] = keep;
    }
}

static bool has(const gw_flex_matrix *m, int64_t i, int32_t j) {
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
    if (has(m, i, j) || m->count[i] == k || in_column[j] == k) return;
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

bool gw_flex_row_holds(const gw_flex_matrix *m, int64_t i, const double *logits) {
    const gw_flex_setting *s = &m->setting;
    const int32_t *column = m->column + i * s->k;
    const double *a = m->a + i * s->k;
    double least = INFINITY;
    for (int e = 0; e < m->count[i]; e++) {
        least = fmin(least, logits[column[e]]);
        for (int f = 0; f < m->count[i]; f++)
            if (e != f && !(fabs(logits[column[e]] - logits[column[f]] - log(a[e] / a[f])) < s->epsilon2)) return false;
    }
    const double most = least + log(s->epsilon1);
    const int64_t seen = s->causal ? i + 1 : m->n;
    for (int64_t j = 0; j < seen; j++)
        if (logits[j] >= most && !has(m, i, (int32_t)j)) return false;
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

void gw_flex_gaussian(double *out, int64_t n, int64_t columns, uint64_t seed, uint64_t draw) {
    gw_random random = gw_random_at(seed, GW_SITE_PROOF, draw, PLACE_GAUSSIAN);
    for (int64_t i = 0; i < n * columns; i++) out[i] = gw_random_normal(&random);
}

typedef struct {
    const gw_flex_matrix *m;
    int64_t columns;                  // d / 2
    double *g, *gram, *part, *logits; // [n][n], [n][n] as far as used; [ROWS][n] each
    int64_t passed, failed;           // rows checked at this grid point
} projector;

// gram = Cholesky factor of G^T G; false where that is not positive definite.
static bool factorise(projector *p) {
    const int n = (int)p->m->n, c = (int)p->columns;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, c, n, 1, p->g, c, 0, p->gram, c);
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', c, p->gram, c) == 0;
}

// logits [rows][n] = (n / columns) B_rows G (G^T G)^-1 G^T: part = B G, solved in place with both factors, times G^T.
static void project_rows(projector *p, int64_t first, int rows) {
    const int n = (int)p->m->n, c = (int)p->columns, k = p->m->setting.k;
    for (int r = 0; r < rows; r++) {
        double *part = p->part + (int64_t)r * c;
        for (int j = 0; j < c; j++) part[j] = 0;
        for (int e = 0; e < p->m->count[first + r]; e++) {
            const int64_t at = (first + r) * k + e;
            cblas_daxpy(c, p->m->b[at], p->g + (int64_t)p->m->column[at] * c, 1, part, 1);
        }
    }
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, c, 1, p->gram, c, p->part, c);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, c, 1, p->gram, c, p->part, c);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, n, c, (double)n / c, p->part, c, p->g, c, 0, p->logits,
                n);
}

// Whether all rows hold; stops at the first that does not.
static bool draw_holds(projector *p) {
    if (!factorise(p)) return false;
    int rows = 1;
    for (int64_t first = 0; first < p->m->n; first += rows, rows = ROWS) {
        if (first > 0 && first + rows > p->m->n) rows = (int)(p->m->n - first);
        project_rows(p, first, rows);
        for (int r = 0; r < rows; r++) {
            const bool holds = gw_flex_row_holds(p->m, first + r, p->logits + (int64_t)r * p->m->n);
            p->passed += holds;
            p->failed += !holds;
            if (!holds) return false;
        }
    }
    return true;
}

static bool is_hopeless(const projector *p, double draws) {
    const double rate = (double)p->passed / (double)(p->passed + p->failed);
    return draws * pow(rate, (double)p->m->n) < 1e-3;
}

static gw_status search(projector *p, int64_t step, double q, bool all_draws, uint64_t seed, int64_t *d,
                        int64_t *draws) {
    const int64_t n = p->m->n, most = llround(fmax(1, q * (double)n));
    for (*d = step; *d < 2 * n; *d += step) {
        p->columns = *d / 2;
        p->passed = p->failed = 0;
        for (int64_t draw = 0; draw < most; draw++) {
            GW_TRY(gw_check_interrupt());
            gw_flex_gaussian(p->g, n, p->columns, seed, (uint64_t)*d << 24 | (uint64_t)draw);
            ++*draws;
            if (draw_holds(p)) return GW_OK;
            if (!all_draws && draw + 1 >= TRIAL && is_hopeless(p, (double)most)) break;
        }
    }
    *d = 2 * n;
    return GW_OK;
}

gw_status gw_flex_smallest(const gw_flex_matrix *m, int64_t step, double q, bool all_draws, uint64_t seed, int64_t *d,
                           int64_t *draws) {
    const int64_t n = m->n;
    double *numbers = gw_alloc(2 * n * n + 2 * ROWS * n, sizeof *numbers);
    *draws = 0;
    if (!numbers) return GW_ERR_MEMORY;
    projector p = {.m = m,
                   .g = numbers,
                   .gram = numbers + n * n,
                   .part = numbers + 2 * n * n,
                   .logits = numbers + 2 * n * n + ROWS * n};
    const gw_status status = search(&p, step, q, all_draws, seed, d, draws);
    free(numbers);
    return status;
}
