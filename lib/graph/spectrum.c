// SPDX-License-Identifier: MIT
// Lanczos iteration with full reorthogonalisation. N's eigenvector of eigenvalue 1 is known, sqrt(degree); every vector
// of the basis is kept orthogonal to it, so that the largest eigenvalue left is the second. From v_0 random,
//   w = N v_k;  alpha_k = w . v_k;  w made orthogonal to all v;  beta_k = |w|;  v_{k+1} = w / beta_k
// and the eigenvalues of the tridiagonal matrix (alpha, beta) approach N's from inside. The largest is read off every
// CHECK steps, until that changes it by less than `tolerance` or the basis spans the whole space.
#include "graph/measure.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CHECK = 8 };
static const double tolerance = 1e-11;

typedef struct {
    const gw_bit_rows *links;
    int64_t steps;                // vectors in the basis, after the known one
    double *inverse_root;         // [n] degree^-1/2
    double *basis;                // [1 + steps][n], basis 0 is the known eigenvector
    int64_t basis_capacity;       // numbers
    double *alpha, *beta, *image; // [n] each
} lanczos;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// image = N v
static void multiply(const lanczos *l, const double *v) {
    const gw_bit_rows *a = l->links;
    for (int64_t r = 0; r < a->blocks; r++) {
        double sum = 0;
        for (int64_t w = 0; w < a->words; w++) {
            for (uint64_t left = a->bits[r * a->words + w]; left; left &= left - 1) {
                const int64_t c = w * 64 + __builtin_ctzll(left);
                sum += l->inverse_root[c] * v[c];
            }
        }
        l->image[r] = l->inverse_root[r] * sum;
    }
}

// Takes what lies along the basis out of image; twice, since once leaves rounding errors as large as a small rest.
static void orthogonalise(const lanczos *l) {
    const int64_t n = l->links->blocks;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k <= l->steps; k++) {
            const double *v = l->basis + k * n, along = dot(l->image, v, n);
            for (int64_t i = 0; i < n; i++) l->image[i] -= along * v[i];
        }
    }
}

// Appends image / length to the basis.
static gw_status extend_basis(lanczos *l, double length) {
    const int64_t n = l->links->blocks;
    GW_TRY(gw_reserve(&l->basis, &l->basis_capacity, (l->steps + 2) * n, sizeof *l->basis));
    l->steps++;
    for (int64_t i = 0; i < n; i++) l->basis[l->steps * n + i] = l->image[i] / length;
    return GW_OK;
}

static gw_status start(lanczos *l) {
    const int64_t n = l->links->blocks;
    GW_TRY(gw_reserve(&l->basis, &l->basis_capacity, n, sizeof *l->basis));
    gw_random random = gw_random_at(1, GW_SITE_PATTERN, UINT32_MAX, 0);
    double degrees = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t degree = 0;
        for (int64_t w = 0; w < l->links->words; w++)
            degree += __builtin_popcountll(l->links->bits[i * l->links->words + w]);
        l->inverse_root[i] = 1 / sqrt((double)degree);
        l->basis[i] = sqrt((double)degree);
        degrees += (double)degree;
        l->image[i] = gw_random_normal(&random);
    }
    for (int64_t i = 0; i < n; i++) l->basis[i] /= sqrt(degrees);
    orthogonalise(l);
    return extend_basis(l, sqrt(dot(l->image, l->image, n)));
}

// Eigenvalues of the tridiagonal matrix above x: positive pivots of T - x I (Sylvester's law of inertia).
static int64_t count_above(const lanczos *l, double x) {
    int64_t above = 0;
    double pivot = 1;
    for (int64_t k = 0; k < l->steps; k++) {
        const double coupling = k > 0 ? l->beta[k - 1] * l->beta[k - 1] : 0;
        pivot = l->alpha[k] - x - coupling / pivot;
        if (pivot == 0) pivot = -1e-300; // x is an eigenvalue of the leading part
        above += pivot > 0;
    }
    return above;
}

static double largest_ritz_value(const lanczos *l) {
    double low = -1.5, high = 1.5; // all of N's eigenvalues lie in [-1, 1]
    while (high - low > 1e-14) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (count_above(l, middle) > 0) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

static gw_status iterate(lanczos *l, double *out) {
    const int64_t n = l->links->blocks;
    GW_TRY(start(l));
    double last = -2;
    for (;;) {
        GW_TRY(gw_check_interrupt());
        const double *v = l->basis + l->steps * n;
        multiply(l, v);
        l->alpha[l->steps - 1] = dot(l->image, v, n);
        orthogonalise(l);
        const double length = sqrt(dot(l->image, l->image, n));
        const bool spanned = l->steps == n - 1 || length < 1e-10;
        if (spanned || l->steps % CHECK == 0) {
            *out = largest_ritz_value(l);
            if (spanned || fabs(*out - last) < tolerance) return GW_OK;
            last = *out;
        }
        l->beta[l->steps - 1] = length;
        GW_TRY(extend_basis(l, length));
    }
}

gw_status gw_second_eigenvalue(const gw_bit_rows *links, double *out) {
    const int64_t n = links->blocks;
    double *numbers = gw_alloc(4 * n, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    lanczos l = {.links = links,
                 .inverse_root = numbers,
                 .alpha = numbers + n,
                 .beta = numbers + 2 * n,
                 .image = numbers + 3 * n};
    const gw_status status = iterate(&l, out);
    free(l.basis);
    free(numbers);
    return status;
}
