// SPDX-License-Identifier: MIT
// The middle of Nystroemformer's attention (Xiong et al., 2021, section 3 and equation 11): the softmax A =
// softmax(scale q k^T) of m queries and keys, its pseudo-inverse by the iteration of Razavi et al. (2014), and a
// product with it:
//   Z = A^T / c, c the largest sum of a column;  Z = Z (13 - A Z (15 - A Z (7 - A Z))) / 4;  out = Z v
// Gradients by differentials: for Y = B C they are dB = dY C^T and dC = B^T dY.
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *make(int64_t count) {
    return calloc((size_t)count, sizeof(double));
}

// c += factor a b, of squares; a or b may be read as its transpose.
static void add_product(int64_t m, double factor, bool turn_a, const double *a, bool turn_b, const double *b,
                        double *c) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < m; k++) {
            const double entry = factor * a[turn_a ? k * m + i : i * m + k];
            const double *row = b + (turn_b ? k : k * m);
            for (int64_t j = 0; j < m; j++) c[i * m + j] += entry * row[turn_b ? j * m : j];
        }
}

// diagonal - a b
static double *less_product(int64_t m, double diagonal, const double *a, const double *b) {
    double *out = make(m * m);
    for (int64_t i = 0; i < m; i++) out[i * m + i] = diagonal;
    add_product(m, -1, false, a, false, b, out);
    return out;
}

static void softmax(int64_t m, int64_t size, double scale, const double *query, const double *key, double *a) {
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++) {
            double product = 0;
            for (int64_t d = 0; d < size; d++) product += query[i * size + d] * key[j * size + d];
            sum += a[i * m + j] = exp(scale * product);
        }
        for (int64_t j = 0; j < m; j++) a[i * m + j] /= sum;
    }
}

static double column_sum(int64_t m, const double *a, int64_t *column) {
    double largest = 0;
    for (int64_t j = 0; j < m; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++) sum += a[i * m + j];
        if (sum > largest) largest = sum, *column = j;
    }
    return largest;
}

// X = A Z and the three factors of an iteration.
typedef struct {
    double *x, *r, *q, *p;
} factors;

static factors factors_of(int64_t m, const double *a, const double *z) {
    factors f = {.x = make(m * m), .r = make(m * m)};
    add_product(m, 1, false, a, false, z, f.x);
    for (int64_t i = 0; i < m * m; i++) f.r[i] = (i % (m + 1) == 0 ? 7 : 0) - f.x[i];
    f.q = less_product(m, 15, f.x, f.r);
    f.p = less_product(m, 13, f.x, f.q);
    return f;
}

static void free_factors(factors *f) {
    free(f->x);
    free(f->r);
    free(f->q);
    free(f->p);
}

// z[iterations + 1][m][m]: what each iteration begins with, and what the last gives.
static double *iterate(int64_t m, int iterations, const double *a) {
    int64_t column = 0;
    double *z = make((iterations + 1) * m * m);
    const double sum = column_sum(m, a, &column);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) z[i * m + j] = a[j * m + i] / sum;
    for (int t = 0; t < iterations; t++) {
        factors f = factors_of(m, a, z + t * m * m);
        add_product(m, 0.25, false, z + t * m * m, false, f.p, z + (t + 1) * m * m);
        free_factors(&f);
    }
    return z;
}

void ref_landmark_product(int64_t m, int64_t size, double scale, int iterations, const double *query, const double *key,
                          const double *value, double *out) {
    double *a = make(m * m);
    softmax(m, size, scale, query, key, a);
    double *z = iterate(m, iterations, a), *inverse = z + iterations * m * m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t d = 0; d < size; d++) {
            out[i * size + d] = 0;
            for (int64_t j = 0; j < m; j++) out[i * size + d] += inverse[i * m + j] * value[j * size + d];
        }
    free(a);
    free(z);
}

// From dz of an iteration's result to that of its beginning; adds to da.
static void iteration_backward(int64_t m, const double *a, const double *z, double *dz, double *da) {
    factors f = factors_of(m, a, z);
    double *before = make(m * m), *dp = make(m * m), *dq = make(m * m), *dr = make(m * m), *dx = make(m * m);
    add_product(m, 0.25, false, dz, true, f.p, before);
    add_product(m, 0.25, true, z, false, dz, dp);
    add_product(m, -1, true, f.x, false, dp, dq);
    add_product(m, -1, true, f.x, false, dq, dr);
    add_product(m, -1, false, dp, true, f.q, dx);
    add_product(m, -1, false, dq, true, f.r, dx);
    for (int64_t i = 0; i < m * m; i++) dx[i] -= dr[i];
    add_product(m, 1, false, dx, true, z, da);
    add_product(m, 1, true, a, false, dx, before);
    memcpy(dz, before, (size_t)(m * m) * sizeof *dz);
    free_factors(&f);
    free(before);
    free(dp);
    free(dq);
    free(dr);
    free(dx);
}

// Of A^T over the sum of a column.
static void first_backward(int64_t m, const double *a, const double *dz, double *da) {
    int64_t column = 0;
    const double sum = column_sum(m, a, &column);
    double along = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            da[i * m + j] += dz[j * m + i] / sum;
            along += dz[j * m + i] * a[i * m + j];
        }
    for (int64_t i = 0; i < m; i++) da[i * m + column] -= along / (sum * sum);
}

static void softmax_backward(int64_t m, int64_t size, double scale, const double *query, const double *key,
                             const double *a, const double *da, double *dquery, double *dkey) {
    for (int64_t i = 0; i < m; i++) {
        double along = 0;
        for (int64_t j = 0; j < m; j++) along += da[i * m + j] * a[i * m + j];
        for (int64_t j = 0; j < m; j++) {
            const double dscore = scale * a[i * m + j] * (da[i * m + j] - along);
            for (int64_t d = 0; d < size; d++) {
                dquery[i * size + d] += dscore * key[j * size + d];
                dkey[j * size + d] += dscore * query[i * size + d];
            }
        }
    }
}

void ref_landmark_product_backward(int64_t m, int64_t size, double scale, int iterations, const double *query,
                                   const double *key, const double *value, const double *dout, double *dquery,
                                   double *dkey, double *dvalue) {
    double *a = make(m * m), *da = make(m * m), *dz = make(m * m);
    softmax(m, size, scale, query, key, a);
    double *z = iterate(m, iterations, a), *inverse = z + iterations * m * m;
    for (int64_t i = 0; i < m * size; i++) dquery[i] = dkey[i] = dvalue[i] = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t d = 0; d < size; d++) {
                dvalue[j * size + d] += inverse[i * m + j] * dout[i * size + d];
                dz[i * m + j] += dout[i * size + d] * value[j * size + d];
            }
    for (int t = iterations - 1; t >= 0; t--) iteration_backward(m, a, z + t * m * m, dz, da);
    first_backward(m, a, dz, da);
    softmax_backward(m, size, scale, query, key, a, da, dquery, dkey);
    free(a);
    free(da);
    free(dz);
    free(z);
}
