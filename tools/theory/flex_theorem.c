// SPDX-License-Identifier: MIT
// The construction with dense linear algebra, and its comparison with the kernel.
#include "tools/theory/flex_theorem.h"

#include "base/log.h"
#include "base/memory.h"
#include "graph/pattern.h"
#include "tools/theory/flex_sample.h"
#include "tools/theory/product.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    const gw_flex_matrix *m;
    int n, d, hidden;
    double *b, *left, *v, *singular; // B [n][n], D = U Sigma [n][n], V^T [n][n], [n]
    double *y;                       // [n][d/2]
    double *x, *wq, *wk;             // [n][hidden], [hidden][d] each
    double *xq, *xk;                 // X W_Q, X W_K [n][d]
    double *logits;                  // [n][n]
} construction;

static void multiply(const double *a, const double *b, double *c, int m, int n, int k, bool transpose_a,
                     bool transpose_b, double scale) {
    cblas_dgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, m, n,
                k, scale, a, transpose_a ? m : k, b, transpose_b ? k : n, 0, c, n);
}

static gw_status decompose(construction *c) {
    const int n = c->n, k = c->m->setting.k;
    double *copy = gw_alloc((int64_t)n * n, sizeof *copy);
    if (!copy) return GW_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int e = 0; e < c->m->count[i]; e++) {
            const int64_t at = (int64_t)i * n + c->m->column[(int64_t)i * k + e];
            copy[at] = c->b[at] = c->m->b[(int64_t)i * k + e];
        }
    const int failed = LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'A', n, n, copy, n, c->singular, c->left, n, c->v, n);
    for (int64_t i = 0; i < (int64_t)n * n; i++) c->left[i] *= c->singular[i % n];
    free(copy);
    return failed ? gw_fail(GW_ERR_FORMAT, "the singular value decomposition did not converge") : GW_OK;
}

// Y = the Q factor of a Gaussian matrix, with the signs that make R's diagonal positive: then Q is Haar-distributed.
static gw_status draw_stiefel(construction *c, uint64_t seed, uint64_t draw) {
    const int n = c->n, columns = c->d / 2;
    double *tau = gw_alloc(columns, sizeof *tau), *sign = gw_alloc(columns, sizeof *sign);
    float *gaussian = gw_alloc((int64_t)n * columns, sizeof *gaussian);
    int failed = !tau || !sign || !gaussian;
    if (!failed) {
        gw_flex_gaussian(gaussian, (int64_t)n * columns, seed, draw);
        for (int64_t i = 0; i < (int64_t)n * columns; i++) c->y[i] = gaussian[i];
        failed = LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, n, columns, c->y, columns, tau);
        for (int j = 0; j < columns; j++) sign[j] = c->y[(int64_t)j * columns + j] < 0 ? -1 : 1;
        failed = failed || LAPACKE_dorgqr(LAPACK_ROW_MAJOR, n, columns, columns, c->y, columns, tau);
        for (int64_t i = 0; i < (int64_t)n * columns; i++) c->y[i] *= sign[i % columns];
    }
    free(tau);
    free(sign);
    free(gaussian);
    return failed ? gw_fail(GW_ERR_MEMORY, "no QR decomposition of %d x %d numbers", n, columns) : GW_OK;
}

// (15), and the logits X W_Q W_K^T X^T.
static gw_status build(construction *c) {
    const int n = c->n, half = c->d / 2;
    double *part = gw_alloc((int64_t)n * half, sizeof *part);
    if (!part) return GW_ERR_MEMORY;
    const double scale = sqrt((double)n / half);
    for (int side = 0; side < 2; side++) {
        multiply(side == 0 ? c->left : c->v, c->y, part, n, half, n, side == 1, false, scale);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < half; j++) c->x[(int64_t)i * c->hidden + side * half + j] = part[(int64_t)i * half + j];
    }
    free(part);
    multiply(c->x, c->wq, c->xq, n, c->d, c->hidden, false, false, 1);
    multiply(c->x, c->wk, c->xk, n, c->d, c->hidden, false, false, 1);
    multiply(c->xq, c->xk, c->logits, n, n, c->d, false, true, 1);
    return GW_OK;
}

// Y^T Y = I, and the shortcut of flex_search.h: L = (2n/d) B Z Z^T with Z = V Y.
static gw_status check_algebra(const construction *c, gw_flex_result *out) {
    const int n = c->n, half = c->d / 2;
    double *numbers = gw_alloc((int64_t)n * half * 2 + (int64_t)n * n + (int64_t)half * half, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    double *z = numbers, *bz = z + (int64_t)n * half, *square = bz + (int64_t)n * half, *gram = square + (int64_t)n * n;
    multiply(c->y, c->y, gram, half, half, n, true, false, 1);
    for (int j = 0; j < half; j++) gram[(int64_t)j * half + j] -= 1;
    for (int64_t i = 0; i < (int64_t)half * half; i++) out->orthogonality = fmax(out->orthogonality, fabs(gram[i]));
    multiply(c->v, c->y, z, n, half, n, true, false, 1);
    multiply(c->b, z, bz, n, half, n, false, false, 1);
    multiply(bz, z, square, n, n, half, false, true, (double)n / half);
    const int64_t count = (int64_t)n * n;
    double largest = 0;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(square[i] - c->logits[i]));
    out->projection = largest;
    free(numbers);
    return GW_OK;
}

// M by godwit's attention, d columns at a time: the values are rows of the unit matrix.
static gw_status compare_product(const construction *c, const gw_graph *graph, gw_flex_result *out) {
    const int64_t n = c->n, d = c->d;
    float *numbers = gw_alloc(4 * n * d, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    float *query = numbers, *key = query + n * d, *value = key + n * d, *found = value + n * d;
    for (int64_t i = 0; i < n * d; i++) query[i] = (float)c->xq[i], key[i] = (float)c->xk[i];
    gw_status status = GW_OK;
    for (int64_t first = 0; first < n && status == GW_OK; first += d) {
        for (int64_t i = 0; i < n * d; i++) value[i] = i / d == first + i % d;
        status = gw_product_attention(graph, n, n, (int)d, 1, query, key, value, found);
        for (int64_t i = 0; i < n * d; i++)
            if (first + i % d < n)
                out->product_error = fmax(out->product_error, fabs(found[i] - c->logits[i / d * n + first + i % d]));
    }
    free(numbers);
    return status;
}

static gw_status run(construction *c, int64_t most_draws, uint64_t seed, gw_flex_result *out) {
    GW_TRY(decompose(c));
    for (int j = 0; j < c->d; j++) c->wq[(int64_t)j * c->d + j] = 1;                  // (16)
    for (int j = 0; j < c->d / 2; j++) c->wk[(int64_t)(c->d / 2 + j) * c->d + j] = 1; // (17)
    for (out->draws = 0; out->draws < most_draws && !out->holds; out->draws++) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(draw_stiefel(c, seed, (uint64_t)out->draws));
        GW_TRY(build(c));
        out->holds = true;
        for (int64_t i = 0; i < c->n && out->holds; i++) out->holds = gw_flex_row_holds(c->m, i, c->logits + i * c->n);
    }
    GW_TRY(check_algebra(c, out));
    // M in place of the logits.
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t seen = c->m->setting.causal ? i + 1 : c->n;
        double *row = c->logits + i * c->n, largest = -INFINITY, sum = 0;
        for (int64_t j = 0; j < seen; j++) largest = fmax(largest, row[j]);
        for (int64_t j = 0; j < c->n; j++) row[j] = j < seen ? exp(row[j] - largest) : 0;
        for (int64_t j = 0; j < seen; j++) sum += row[j];
        for (int64_t j = 0; j < seen; j++) row[j] /= sum;
    }
    gw_graph *graph = NULL;
    if (c->m->setting.causal) {
        // Row i reads tokens 0 .. i.
        const int n = c->n;
        const gw_graph_shape shape = gw_graph_square(n);
        gw_pattern pattern;
        GW_TRY(gw_pattern_parse("full+causal", &pattern));
        GW_TRY(gw_pattern_graph(&pattern, &shape, 0, 0, 1, n, &graph));
    }
    const gw_status status = compare_product(c, graph, out);
    gw_graph_free(graph);
    return status;
}

gw_status gw_flex_theorem(const gw_flex_matrix *m, int64_t d, int64_t d_hidden, int64_t most_draws, uint64_t seed,
                          gw_flex_result *out) {
    const int64_t n = m->n;
    *out = (gw_flex_result){0};
    gw_arena arena = {0};
    construction c = {.m = m, .n = (int)n, .d = (int)d, .hidden = (int)d_hidden};
    double **const pieces[] = {&c.b, &c.left, &c.v, &c.singular, &c.y, &c.x, &c.wq, &c.wk, &c.xq, &c.xk, &c.logits};
    const int64_t sizes[] = {n * n,        n * n,        n * n, n,     n * (d / 2), n * d_hidden,
                             d_hidden * d, d_hidden * d, n * d, n * d, n * n};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            *pieces[i] = gw_arena_alloc(&arena, sizes[i], sizeof(double));
        if (pass == 0) GW_TRY(gw_arena_place(&arena));
    }
    const gw_status status = run(&c, most_draws, seed, out);
    gw_arena_free(&arena);
    return status;
}
