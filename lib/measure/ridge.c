// SPDX-License-Identifier: MIT
// Sums of products over what is there of each row; centred and scaled afterwards; solved by Cholesky's factors.
#include "measure/ridge.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gw_ridge_system_free(gw_ridge_system *system) {
    free(system->centre);
    free(system->scale);
    free(system->products);
    free(system->with_numbers);
    *system = (gw_ridge_system){0};
}

typedef struct {
    const gw_sparse_rows *rows;
    const float *number;
    int64_t stride;
    gw_ridge_system *out;
} summing;

// Lines [begin, end) of X^T X, of features as they are: each sum in the order of the rows, whatever the threads.
static void add_products(void *context, int64_t begin, int64_t end, int thread) {
    const summing *s = context;
    const gw_sparse_rows *rows = s->rows;
    (void)thread;
    for (int64_t row = 0; row < rows->rows; row++) {
        if (isnan(s->number[row * s->stride])) continue;
        const int64_t first = rows->start[row];
        for (int64_t a = first; a < rows->start[row + 1]; a++) {
            const int64_t line = rows->feature[a];
            if (line < begin || line >= end) continue;
            double *products = s->out->products + line * rows->features;
            for (int64_t b = first; b <= a; b++)
                products[rows->feature[b]] += (double)rows->value[a] * (double)rows->value[b];
        }
    }
}

static void add_sums(const summing *s) {
    gw_ridge_system *out = s->out;
    for (int64_t row = 0; row < s->rows->rows; row++) {
        const double y = (double)s->number[row * s->stride];
        if (isnan(y)) continue;
        out->rows++;
        out->mean += y;
        for (int64_t k = s->rows->start[row]; k < s->rows->start[row + 1]; k++) {
            out->centre[s->rows->feature[k]] += (double)s->rows->value[k];
            out->with_numbers[s->rows->feature[k]] += (double)s->rows->value[k] * y;
        }
    }
}

// From sums over features and numbers as they are to those of what is centred and scaled.
static void standardise(gw_ridge_system *system) {
    const int64_t features = system->features;
    const double n = (double)system->rows;
    system->mean /= n;
    for (int64_t f = 0; f < features; f++) {
        const double square = system->products[f * features + f] / n;
        system->centre[f] /= n;
        const double variance = square - system->centre[f] * system->centre[f];
        system->scale[f] = variance > 1e-9 * square ? 1 / sqrt(variance) : 0;
        system->with_numbers[f] = system->scale[f] * (system->with_numbers[f] - n * system->centre[f] * system->mean);
    }
    for (int64_t a = 0; a < features; a++)
        for (int64_t b = 0; b <= a; b++) {
            double *product = &system->products[a * features + b];
            *product = system->scale[a] * system->scale[b] * (*product - n * system->centre[a] * system->centre[b]);
        }
}

gw_status gw_ridge_system_make(const gw_sparse_rows *rows, const float *number, int64_t stride, gw_ridge_system *out) {
    const int64_t features = rows->features;
    *out = (gw_ridge_system){.features = features,
                             .centre = gw_alloc(features, sizeof(double)),
                             .scale = gw_alloc(features, sizeof(double)),
                             .products = gw_alloc(features * features, sizeof(double)),
                             .with_numbers = gw_alloc(features, sizeof(double))};
    if (!out->centre || !out->scale || !out->products || !out->with_numbers) return GW_ERR_MEMORY;
    summing s = {rows, number, stride, out};
    add_sums(&s);
    if (out->rows == 0) return gw_fail(GW_ERR_RANGE, "no row has a number");
    gw_parallel_for(features, 32, add_products, &s);
    standardise(out);
    return GW_OK;
}

// l l^T = the matrix, in its place: a line after the other. It is positive definite: strength n stands on its diagonal.
static void factor(double *l, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = l[i * n + j];
            for (int64_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
}

static void substitute(const double *l, int64_t n, double *x) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= l[i * n + i];
        for (int64_t k = 0; k < i; k++) x[k] -= l[i * n + k] * x[i];
    }
}

gw_status gw_ridge_solve(const gw_ridge_system *system, double strength, double *weight) {
    const int64_t n = system->features;
    double *matrix = gw_alloc(n * n, sizeof *matrix);
    if (!matrix) return GW_ERR_MEMORY;
    memcpy(matrix, system->products, (size_t)(n * n) * sizeof *matrix);
    memcpy(weight, system->with_numbers, (size_t)n * sizeof *weight);
    for (int64_t i = 0; i < n; i++) matrix[i * n + i] += strength * (double)system->rows;
    factor(matrix, n);
    substitute(matrix, n, weight);
    free(matrix);
    weight[n] = system->mean;
    for (int64_t f = 0; f < n; f++) {
        weight[f] *= system->scale[f];
        weight[n] -= weight[f] * system->centre[f];
    }
    return GW_OK;
}

void gw_ridge_predict(const gw_sparse_rows *rows, const double *weight, float *out, int64_t stride) {
    for (int64_t row = 0; row < rows->rows; row++) {
        double sum = weight[rows->features];
        for (int64_t k = rows->start[row]; k < rows->start[row + 1]; k++)
            sum += weight[rows->feature[k]] * (double)rows->value[k];
        out[row * stride] = (float)sum;
    }
}
