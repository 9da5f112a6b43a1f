// SPDX-License-Identifier: MIT
// The search over d: filters with products in f32 and bf16, which find most rows without exact arithmetic, and the
// exact check of a draw.
#include "tools/theory/flex_search.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/backend.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- sieves ---------------------------------------------------------------------------------------------------------

// The first row of a projection that does not hold is found by f32 and bf16 products, where they can tell.
// The rows of L go through three sieves:
//   - x = B_row G (G^T G)^-1 in f32, G^T G of bf16 products being that of G = H + R to the first order in R,
//     H^T H + H^T R + R^T H, where H is G as bf16 and R the rest;
//   - (n/c) x G^T, c = d/2, of bf16 products: their error is at most 2^-7 (n/c) |x| max |G_j|, by Cauchy and Schwarz,
//     beside what sums in f32 round off; columns that stay below the limit of (23) by more than this are done with;
//   - the other columns, and the row's own, as inner products in f32: a row is decided where it holds or fails by more
//     than these are uncertain.

enum { ROWS = 64, CHUNK = 64 }; // rows at a time, but for one at first: many draws fail there

// Errors of logits by f32 and by bf16 products, in parts of the largest that a row can have, (n/c) |x| max |G_j|. Of
// bf16 it is a bound: both factors are rounded by 2^-8 at most. Of f32 the largest seen with c <= n/2 is 2^-17.
static const double DOUBT = 0x1p-14, ROUNDING = 0x1.02p-7;

typedef struct {
    const gw_flex_matrix *m;
    const gw_backend *backend;
    const float *g;             // [n][columns]
    int64_t columns;            // c
    float *rest, *gram, *cross; // R [n][c], [c][c] each
    float *part, *products;     // x [ROWS][c], (c/n) L [ROWS][n]
    gw_packed *packed;          // G
    double longest;             // max |G_j|
    float *scratch;
    int64_t scratch_floats;
} screen;

static gw_status screen_new(const gw_flex_matrix *m, screen **out) {
    const int64_t n = m->n, most = n / 2;
    screen *s = *out = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    *s = (screen){.m = m, .backend = gw_kernels()};
    if (!s->backend) return GW_ERR_UNSUPPORTED;
    s->rest = gw_alloc(n * most + CHUNK + 2 * most * most + ROWS * (most + n + CHUNK), sizeof *s->rest);
    if (!s->rest) return GW_ERR_MEMORY;
    s->gram = s->rest + n * most + CHUNK;
    s->cross = s->gram + most * most;
    s->part = s->cross + most * most;
    s->products = s->part + ROWS * most;
    return GW_OK;
}

static void screen_free(screen *s) {
    if (!s) return;
    free(s->rest);
    free(s->scratch);
    free(s);
}

static gw_precision precision_of(const screen *s) {
    return s->backend->multiplies_bf16() ? GW_BF16 : GW_F32;
}

// Scratch memory for this op; NULL with a message.
static float *scratch_for(screen *s, gw_op op, const void *args) {
    const int64_t floats = s->backend->scratch(op, args) + 1;
    if (floats <= s->scratch_floats) return s->scratch;
    free(s->scratch);
    s->scratch_floats = floats;
    return s->scratch = gw_alloc(floats, sizeof *s->scratch);
}

// ---- the Gram matrix

#ifdef __x86_64__
#define WITH_BF16 __attribute__((target("avx512f,avx512vl"))) // what processors that multiply bf16 have
#else
#define WITH_BF16
#endif

// rest = g - g as bf16, rounded to the nearest and to even.
WITH_BF16 static void take_rest(const float g[CHUNK], float rest[CHUNK]) {
    uint32_t bits[CHUNK];
    memcpy(bits, g, sizeof bits);
    for (int i = 0; i < CHUNK; i++) bits[i] = (bits[i] + 0x7fff + (bits[i] >> 16 & 1)) & 0xffff0000;
    memcpy(rest, bits, sizeof bits);
    for (int i = 0; i < CHUNK; i++) rest[i] = g[i] - rest[i];
}

// out = G^T right
static gw_status square(screen *s, const float *right, float *out) {
    const int64_t c = s->columns;
    gw_gemm_args args = {.transpose_a = true,
                         .m = c,
                         .n = c,
                         .k = s->m->n,
                         .a = s->g,
                         .a_stride = c,
                         .b = right,
                         .b_stride = c,
                         .c = out,
                         .c_stride = c,
                         .precision = precision_of(s)};
    args.scratch = scratch_for(s, GW_OP_gemm, &args);
    return args.scratch ? s->backend->gemm(&args) : GW_ERR_MEMORY;
}

// ---- rows

static double inner(const screen *s, const float *a, const float *b) {
    return cblas_sdot((int)s->columns, a, 1, b, 1);
}

static const float *row_of(const screen *s, int64_t j) {
    return s->g + j * s->columns;
}

static gw_status project_rows(screen *s, int64_t first, int rows) {
    const gw_flex_matrix *m = s->m;
    const int c = (int)s->columns, k = m->setting.k;
    for (int r = 0; r < rows; r++) {
        float *part = s->part + (int64_t)r * c;
        memset(part, 0, (size_t)c * sizeof *part);
        for (int64_t at = (first + r) * k; at < (first + r) * k + m->count[first + r]; at++)
            cblas_saxpy(c, (float)m->b[at], row_of(s, m->column[at]), 1, part, 1);
    }
    cblas_strsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, c, 1, s->gram, c, s->part, c);
    cblas_strsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, c, 1, s->gram, c, s->part, c);
    gw_linear_args args = {.rows = rows, .in = s->part, .layer = {{.weight = s->packed}}, .out = {s->products}};
    args.scratch = scratch_for(s, GW_OP_linear, &args);
    return args.scratch ? s->backend->linear(&args) : GW_ERR_MEMORY;
}

static bool some_reach(const float products[CHUNK], float reach) {
    int32_t found = 0;
    for (int i = 0; i < CHUNK; i++) found |= products[i] >= reach;
    return found != 0;
}

typedef enum { HOLDS, FAILS, IN_DOUBT } verdict;

static verdict judge(const screen *s, int64_t i, const float *part, const float *products) {
    const gw_flex_matrix *m = s->m;
    const int64_t seen = gw_flex_seen(m, i);
    const double scale = (double)m->n / (double)s->columns;
    const double largest = scale * sqrt(inner(s, part, part)) * s->longest, doubt = DOUBT * largest;
    double own[GW_FLEX_MOST_NONZEROS], limit;
    for (int e = 0; e < m->count[i]; e++) own[e] = scale * inner(s, part, row_of(s, m->column[i * m->setting.k + e]));
    const double slack = gw_flex_row_slack(m, i, own, &limit);
    if (slack < 2 * doubt) return slack > -2 * doubt ? IN_DOUBT : FAILS;
    const float reach = (float)((limit - 2 * doubt - (ROUNDING + 0x1p-24 * (double)s->columns) * largest) / scale);
    for (int64_t chunk = 0; chunk < seen; chunk += CHUNK) {
        if (!some_reach(products + chunk, reach)) continue;
        for (int64_t j = chunk; j < seen && j < chunk + CHUNK; j++) {
            if (products[j] < reach || gw_flex_has(m, i, (int32_t)j)) continue;
            const double logit = scale * inner(s, part, row_of(s, j));
            if (!(logit < limit - 2 * doubt)) return logit < limit + 2 * doubt ? IN_DOUBT : FAILS;
        }
    }
    return HOLDS;
}

// The first row that does not hold; `certain` is false where it is in doubt. It may fail for certain in a later column:
// that is left to the exact check.
static gw_status check_rows(screen *s, int64_t *row, bool *certain) {
    const int64_t n = s->m->n;
    int rows = 1;
    for (int64_t first = 0; first < n; first += rows, rows = ROWS) {
        if (first > 0 && first + rows > n) rows = (int)(n - first);
        GW_TRY(project_rows(s, first, rows));
        for (int r = 0; r < rows; r++, ++*row) {
            const verdict v = judge(s, first + r, s->part + r * s->columns, s->products + r * n);
            *certain = v != IN_DOUBT;
            if (v != HOLDS) return GW_OK;
        }
    }
    return GW_OK;
}

// *row: the first that does not hold for G [n][columns], n where all do; or, where not *certain, one that is in doubt
// and before which all hold. Numbers behind G are read, though not used: CHUNK at most.
static gw_status screen_rows(screen *s, const float *g, int64_t columns, int64_t *row, bool *certain) {
    s->g = g, s->columns = columns;
    *row = 0, *certain = false;
    if (columns > s->m->n / 2) return GW_OK;
    // gram = Cholesky factor of G^T G, if that is positive definite
    const int64_t c = s->columns;
    GW_TRY(square(s, s->g, s->gram));
    if (precision_of(s) == GW_BF16) {
        for (int64_t i = 0; i < s->m->n * c; i += CHUNK) take_rest(s->g + i, s->rest + i);
        GW_TRY(square(s, s->rest, s->cross));
        for (int64_t i = 0; i < c; i++)
            for (int64_t j = i; j < c; j++) s->gram[i * c + j] += s->cross[i * c + j] + s->cross[j * c + i];
    }
    *certain = LAPACKE_spotrf(LAPACK_ROW_MAJOR, 'U', (int)c, s->gram, (int)c) == 0;
    if (!*certain) return GW_OK;
    double most = 0;
    for (int64_t j = 0; j < s->m->n; j++) most = fmax(most, inner(s, row_of(s, j), row_of(s, j)));
    s->longest = sqrt(most);
    GW_TRY(s->backend->pack(g, s->m->n, columns, precision_of(s), &s->packed));
    const gw_status status = check_rows(s, row, certain);
    s->backend->packed_free(s->packed);
    return status;
}

// --- the exact check of a draw, and the search over d --------------------------------------------------------------

enum { TRIAL = 32, EXACT_ROWS = 16 };

typedef struct {
    const gw_flex_matrix *m;
    screen *sieves;
    int64_t columns;                     // d / 2
    float *g;                            // [n][columns]
    double *wide, *gram, *part, *logits; // G, [columns][columns], [EXACT_ROWS][columns], [EXACT_ROWS][n]
    int64_t passed, failed;              // rows checked at this grid point
} projector;

// logits [rows][n] = (n / columns) B_rows G (G^T G)^-1 G^T: part = B G, solved in place with both factors, times G^T.
static void project_exactly(projector *p, int64_t first, int rows) {
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
    const int c = (int)p->columns;
    // gram = Cholesky factor of G^T G, if that is positive definite
    for (int64_t i = 0; i < n * c; i++) p->wide[i] = p->g[i];
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, c, (int)n, 1, p->wide, c, 0, p->gram, c);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', c, p->gram, c) != 0) return row;
    for (int64_t end; row < n; row = end) {
        end = row + EXACT_ROWS < n ? row + EXACT_ROWS : n;
        project_exactly(p, row, (int)(end - row));
        for (int64_t i = row; i < end; i++)
            if (!gw_flex_row_holds(p->m, i, p->logits + (i - row) * n)) return i;
    }
    return n;
}

static gw_status take_draw(projector *p, uint64_t seed, uint64_t draw, bool *holds) {
    int64_t row;
    bool certain;
    gw_flex_gaussian(p->g, p->m->n * p->columns, seed, draw);
    GW_TRY(screen_rows(p->sieves, p->g, p->columns, &row, &certain));
    if (!certain) row = first_failure(p, row);
    *holds = row == p->m->n;
    p->passed += row;
    p->failed += !*holds;
    return GW_OK;
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
            const double rate = (double)p->passed / (double)(p->passed + p->failed);
            if (!all_draws && draw + 1 >= TRIAL && (double)most * pow(rate, (double)n) < 1e-3) break;
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
    p.wide = gw_alloc(2 * n * n + 2 * EXACT_ROWS * n, sizeof *p.wide);
    p.gram = p.wide + n * n, p.part = p.gram + n * n, p.logits = p.part + EXACT_ROWS * n;
    *draws = 0;
    gw_set_threads(1); // products are small
    gw_status status = p.g && p.wide ? screen_new(m, &p.sieves) : GW_ERR_MEMORY;
    if (status == GW_OK) status = search(&p, step, q, all_draws, seed, d, draws);
    gw_set_threads(threads);
    screen_free(p.sieves);
    free(p.g);
    free(p.wide);
    return status;
}
