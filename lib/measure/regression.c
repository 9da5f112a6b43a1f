// SPDX-License-Identifier: MIT
// L-BFGS, logistic regression with it, and ridge regression.
#include "measure/regression.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/softmax.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// --- L-BFGS --------------------------------------------------------------------------------------------------------
//
// With s_i and y_i the last differences of x and of the gradient g, and r_i = 1 / (s_i . y_i), the two loops
//   q = g;  for the newest i to the oldest: a_i = r_i s_i . q,  q -= a_i y_i;  q *= s . y / y . y of the newest
//   for the oldest i to the newest: q += (a_i - r_i y_i . q) s_i
// make q, the gradient times an approximation of the inverse Hessian; the step is along -q.
enum { PAIRS = 10, MOST_HALVINGS = 40 };

typedef struct {
    const gw_lbfgs_problem *problem;
    int64_t n, pairs; // pairs so far; the last PAIRS of them are kept
    double *s, *y;    // [PAIRS][n], pair i in row i % PAIRS
    double r[PAIRS];
    double *gradient, *direction, *next, *next_gradient; // [n]
    double value;
} search;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *from, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] += factor * from[i];
}

static void choose_direction(search *b) {
    const int64_t n = b->n, first = b->pairs > PAIRS ? b->pairs - PAIRS : 0;
    double a[PAIRS], *q = b->direction, scale = 1 / fmax(1, sqrt(dot(b->gradient, b->gradient, n)));
    memcpy(q, b->gradient, (size_t)n * sizeof *q);
    for (int64_t i = b->pairs - 1; i >= first; i--) {
        const int64_t k = i % PAIRS;
        a[k] = b->r[k] * dot(b->s + k * n, q, n);
        add(q, -a[k], b->y + k * n, n);
        if (i == b->pairs - 1) scale = 1 / (b->r[k] * dot(b->y + k * n, b->y + k * n, n));
    }
    for (int64_t i = 0; i < n; i++) q[i] *= -scale;
    for (int64_t i = first; i < b->pairs; i++) {
        const int64_t k = i % PAIRS;
        add(q, -a[k] - b->r[k] * dot(b->y + k * n, q, n), b->s + k * n, n);
    }
}

// Halves the step until the value falls by a share of what the slope promises. False where none does.
static bool find_step(search *b, const double *x, double *next_value) {
    const double slope = dot(b->gradient, b->direction, b->n), share = 1e-4;
    double length = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
        memcpy(b->next, x, (size_t)b->n * sizeof *x);
        add(b->next, length, b->direction, b->n);
        *next_value = b->problem->value(b->problem->context, b->next, b->next_gradient);
        if (*next_value <= b->value + share * length * slope) return true;
    }
    return false;
}

// A pair whose curvature is not positive would make the approximation no descent.
static void keep_pair(search *b, const double *x) {
    const int64_t k = b->pairs % PAIRS, n = b->n;
    double *s = b->s + k * n, *y = b->y + k * n;
    for (int64_t i = 0; i < n; i++) {
        s[i] = b->next[i] - x[i];
        y[i] = b->next_gradient[i] - b->gradient[i];
    }
    const double curvature = dot(s, y, n);
    if (curvature <= 0) return;
    b->r[k] = 1 / curvature;
    b->pairs++;
}

gw_status gw_lbfgs(const gw_lbfgs_problem *problem, double *x) {
    const int64_t n = problem->size;
    double *memory = gw_alloc((2 * PAIRS + 4) * n, sizeof *memory);
    if (!memory) return GW_ERR_MEMORY;
    search b = {.problem = problem, .n = n, .s = memory, .y = memory + PAIRS * n};
    b.gradient = memory + 2 * PAIRS * n;
    b.direction = b.gradient + n;
    b.next = b.direction + n;
    b.next_gradient = b.next + n;
    b.value = problem->value(problem->context, x, b.gradient);
    for (int64_t step = 0; step < problem->most_steps; step++) {
        bool done = true;
        double next_value;
        for (int64_t i = 0; i < n; i++) done &= !(fabs(b.gradient[i]) > problem->tolerance);
        if (done) break;
        choose_direction(&b);
        if (!find_step(&b, x, &next_value) || next_value >= b.value) break;
        keep_pair(&b, x);
        memcpy(x, b.next, (size_t)n * sizeof *x);
        memcpy(b.gradient, b.next_gradient, (size_t)n * sizeof *x);
        b.value = next_value;
    }
    free(memory);
    return GW_OK;
}

// --- logistic regression -------------------------------------------------------------------------------------------
//
// Rows stay sparse: with u = w / sd, z = u . (features that are not 0) + (b - u . mean).

enum { MOST_STEPS = 300 };

void gw_logistic_free(gw_logistic_model *logistic) {
    free(logistic->mean);
    free(logistic->scale);
    free(logistic->weight);
    free(logistic->unit);
    *logistic = (gw_logistic_model){0};
}

static double softplus(double z) {
    return (z > 0 ? z : 0) + log1p(exp(-fabs(z)));
}

void gw_logistic_logits(const gw_logistic_model *l, const gw_sparse_rows *rows, double *logit) {
    double offset = l->weight[l->features];
    for (int64_t f = 0; f < l->features; f++) {
        l->unit[f] = l->scale[f] * l->weight[f];
        offset -= l->mean[f] * l->unit[f];
    }
    for (int64_t i = 0; i < rows->rows; i++) {
        logit[i] = offset;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            logit[i] += (double)rows->value[k] * l->unit[rows->feature[k]];
    }
}

// The sum of losses; workspace has logits and gets the derivatives by them, 0 of rows without a label.
static double take_losses(const gw_sparse_rows *rows, const gw_logistic_problem *p, double *workspace, int64_t *count) {
    const double v = p->positive_weight;
    double sum = 0;
    *count = 0;
    for (int64_t i = 0; i < rows->rows; i++) {
        const double z = workspace[i], y = (double)p->label[i * p->stride];
        workspace[i] = 0;
        if (isnan(y)) continue;
        sum += v * y * softplus(-z) + (1 - y) * softplus(z);
        workspace[i] = (1 - y) * gw_logistic(z) - v * y * gw_logistic(-z);
        ++*count;
    }
    return sum;
}

double gw_logistic_loss(const gw_logistic_model *l, const gw_sparse_rows *rows, const gw_logistic_problem *p,
                        double *workspace, double *gradient) {
    int64_t count;
    double total = 0, squares = 0;
    gw_logistic_logits(l, rows, workspace);
    const double sum = take_losses(rows, p, workspace, &count), n = count > 0 ? (double)count : 1;
    for (int64_t f = 0; f < l->features; f++) gradient[f] = 0;
    for (int64_t i = 0; i < rows->rows; i++) {
        total += workspace[i];
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            gradient[rows->feature[k]] += workspace[i] * (double)rows->value[k];
    }
    for (int64_t f = 0; f < l->features; f++) {
        gradient[f] = ((gradient[f] - total * l->mean[f]) * l->scale[f] + l->weight[f] / p->c) / n;
        squares += l->weight[f] * l->weight[f];
    }
    gradient[l->features] = total / n;
    return (sum + squares / (2 * p->c)) / n;
}

// Means and deviations of the features over all rows.
static void standardise(const gw_sparse_rows *rows, gw_logistic_model *l) {
    const double n = (double)rows->rows;
    for (int64_t k = 0; k < rows->start[rows->rows]; k++) {
        const double x = (double)rows->value[k];
        l->mean[rows->feature[k]] += x / n;
        l->scale[rows->feature[k]] += x * x / n;
    }
    for (int64_t f = 0; f < l->features; f++) {
        const double variance = l->scale[f] - l->mean[f] * l->mean[f];
        l->scale[f] = variance > 1e-9 * l->scale[f] ? 1 / sqrt(variance) : 0;
    }
}

typedef struct {
    gw_logistic_model trial; // its weights are those that the search asks for
    const gw_sparse_rows *rows;
    const gw_logistic_problem *problem;
    double *workspace; // [rows]
} fit;

static double value_of(void *context, const double *x, double *gradient) {
    fit *f = context;
    memcpy(f->trial.weight, x, (size_t)(f->trial.features + 1) * sizeof *x);
    return gw_logistic_loss(&f->trial, f->rows, f->problem, f->workspace, gradient);
}

gw_status gw_logistic_fit(const gw_sparse_rows *rows, const gw_logistic_problem *problem, gw_logistic_model *out) {
    const int64_t features = rows->features;
    *out = (gw_logistic_model){.features = features,
                               .mean = gw_alloc(features, sizeof(double)),
                               .scale = gw_alloc(features, sizeof(double)),
                               .weight = gw_alloc(features + 1, sizeof(double)),
                               .unit = gw_alloc(features, sizeof(double))};
    double *workspace = gw_alloc(rows->rows, sizeof *workspace), *x = gw_alloc(features + 1, sizeof *x);
    gw_status status = out->mean && out->scale && out->weight && out->unit && workspace && x ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        if (!problem->plain) standardise(rows, out);
        for (int64_t f = 0; problem->plain && f < features; f++) out->scale[f] = 1;
        fit f = {*out, rows, problem, workspace};
        const gw_lbfgs_problem least = {features + 1, MOST_STEPS, problem->tolerance, &f, value_of};
        status = gw_lbfgs(&least, x);
        memcpy(out->weight, x, (size_t)(features + 1) * sizeof *x);
    }
    free(workspace);
    free(x);
    if (status != GW_OK) gw_logistic_free(out);
    return status;
}

// --- ridge regression ----------------------------------------------------------------------------------------------
//
// Sums of products over what is there of each row; centred and scaled afterwards; solved by Cholesky's factors.

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

// From sums over features and numbers as they are to those of what is centred and scaled.
static void centre_and_scale(gw_ridge_system *system) {
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
    for (int64_t row = 0; row < rows->rows; row++) {
        const double y = (double)number[row * stride];
        if (isnan(y)) continue;
        out->rows++;
        out->mean += y;
        for (int64_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
            out->centre[rows->feature[k]] += (double)rows->value[k];
            out->with_numbers[rows->feature[k]] += (double)rows->value[k] * y;
        }
    }
    if (out->rows == 0) return gw_fail(GW_ERR_RANGE, "no row has a number");
    gw_parallel_for(features, 32, add_products, &s);
    centre_and_scale(out);
    return GW_OK;
}

enum { PANEL = 8 }; // lines that are made together: their sums are independent, so a processor need not wait for each

// Line i of l in column j, of the columns before it.
static double reduced(const double *l, int64_t n, int64_t i, int64_t j) {
    double sum = l[i * n + j];
    for (int64_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
    return sum;
}

// Columns [0, first) of the lines [first, first + PANEL); panel[first][PANEL] is scratch, a column a line.
static void factor_panel(double *l, int64_t n, int64_t first, double *panel) {
    for (int64_t j = 0; j < first; j++) {
        double sum[PANEL];
        for (int r = 0; r < PANEL; r++) sum[r] = l[(first + r) * n + j];
        for (int64_t k = 0; k < j; k++)
            for (int r = 0; r < PANEL; r++) sum[r] -= panel[k * PANEL + r] * l[j * n + k];
        for (int r = 0; r < PANEL; r++) panel[j * PANEL + r] = sum[r] / l[j * n + j];
    }
    for (int64_t j = 0; j < first; j++)
        for (int r = 0; r < PANEL; r++) l[(first + r) * n + j] = panel[j * PANEL + r];
}

// l l^T = the matrix, in its place. The matrix is positive definite: strength n stands on its diagonal.
static void factor(double *l, int64_t n, double *panel) {
    for (int64_t first = 0; first < n; first += PANEL) {
        const bool whole = first + PANEL <= n;
        if (whole) factor_panel(l, n, first, panel);
        for (int64_t i = first; i < n && i < first + PANEL; i++) {
            for (int64_t j = whole ? first : 0; j < i; j++) l[i * n + j] = reduced(l, n, i, j) / l[j * n + j];
            l[i * n + i] = sqrt(reduced(l, n, i, i));
        }
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
    double *matrix = gw_alloc(n * (n + PANEL), sizeof *matrix);
    if (!matrix) return GW_ERR_MEMORY;
    memcpy(matrix, system->products, (size_t)(n * n) * sizeof *matrix);
    memcpy(weight, system->with_numbers, (size_t)n * sizeof *weight);
    for (int64_t i = 0; i < n; i++) matrix[i * n + i] += strength * (double)system->rows;
    factor(matrix, n, matrix + n * n);
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
