// SPDX-License-Identifier: MIT
// The search over d, and the exact check of a draw.
#include "tools/theory/flex_search.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "tools/theory/flex_gaussian.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { TRIAL = 32, ROWS = 16 };

typedef struct {
    const gw_flex_matrix *m;
    gw_flex_screen *screen;
    int64_t columns;                     // d / 2
    float *g;                            // [n][columns]
    double *wide, *gram, *part, *logits; // G, [columns][columns], [ROWS][columns], [ROWS][n]
    int64_t passed, failed;              // rows checked at this grid point
} projector;

// gram = Cholesky factor of G^T G; false where that is not positive definite.
static bool factorise(projector *p) {
    const int n = (int)p->m->n, c = (int)p->columns;
    for (int64_t i = 0; i < (int64_t)n * c; i++) p->wide[i] = p->g[i];
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, c, n, 1, p->wide, c, 0, p->gram, c);
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
            cblas_daxpy(c, p->m->b[at], p->wide + (int64_t)p->m->column[at] * c, 1, part, 1);
        }
    }
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, c, 1, p->gram, c, p->part, c);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, c, 1, p->gram, c, p->part, c);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, n, c, (double)n / c, p->part, c, p->wide, c, 0,
                p->logits, n);
}

// The first row from `row` on that does not hold, or n.
static int64_t first_failure(projector *p, int64_t row) {
    const int64_t n = p->m->n;
    if (!factorise(p)) return row;
    for (int64_t end; row < n; row = end) {
        end = row + ROWS < n ? row + ROWS : n;
        project_rows(p, row, (int)(end - row));
        for (int64_t i = row; i < end; i++)
            if (!gw_flex_row_holds(p->m, i, p->logits + (i - row) * n)) return i;
    }
    return n;
}

static gw_status take_draw(projector *p, uint64_t seed, uint64_t draw, bool *holds) {
    int64_t row;
    bool certain;
    gw_flex_gaussian(p->g, p->m->n * p->columns, seed, draw);
    GW_TRY(gw_flex_screen_rows(p->screen, p->g, p->columns, &row, &certain));
    if (!certain) row = first_failure(p, row);
    *holds = row == p->m->n;
    p->passed += row;
    p->failed += !*holds;
    return GW_OK;
}

static bool is_hopeless(const projector *p, double draws) {
    const double rate = (double)p->passed / (double)(p->passed + p->failed);
    return draws * pow(rate, (double)p->m->n) < 1e-3;
}

static gw_status search(projector *p, int64_t step, double q, bool all_draws, uint64_t seed, int64_t *d,
                        int64_t *draws) {
    const int64_t n = p->m->n, most = llround(fmax(1, q * (double)n));
    bool holds = false;
    for (*d = step; *d < 2 * n; *d += step) {
        p->columns = *d / 2;
        p->passed = p->failed = 0;
        for (int64_t draw = 0; draw < most; draw++) {
            GW_TRY(gw_check_interrupt());
            GW_TRY(take_draw(p, seed, (uint64_t)*d << 24 | (uint64_t)draw, &holds));
            ++*draws;
            if (holds) return GW_OK;
            if (!all_draws && draw + 1 >= TRIAL && is_hopeless(p, (double)most)) break;
        }
    }
    *d = 2 * n;
    return GW_OK;
}

gw_status gw_flex_smallest(const gw_flex_matrix *m, int64_t step, double q, bool all_draws, uint64_t seed, int64_t *d,
                           int64_t *draws) {
    const int64_t n = m->n;
    const int threads = gw_threads();
    projector p = {.m = m, .g = gw_alloc(n * n, sizeof *p.g)};
    p.wide = gw_alloc(2 * n * n + 2 * ROWS * n, sizeof *p.wide);
    p.gram = p.wide + n * n, p.part = p.gram + n * n, p.logits = p.part + ROWS * n;
    *draws = 0;
    gw_set_threads(1); // products are small
    gw_status status = p.g && p.wide ? gw_flex_screen_new(m, &p.screen) : GW_ERR_MEMORY;
    if (status == GW_OK) status = search(&p, step, q, all_draws, seed, d, draws);
    gw_set_threads(threads);
    gw_flex_screen_free(p.screen);
    free(p.g);
    free(p.wide);
    return status;
}
