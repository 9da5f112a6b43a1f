// SPDX-License-Identifier: MIT
// Rows stay sparse: with u = w / sd, z = u . (features that are not 0) + (b - u . mean).
#include "measure/logistic.h"

#include "base/memory.h"
#include "measure/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 300 };

void gw_sparse_rows_free(gw_sparse_rows *rows) {
    free(rows->start);
    free(rows->feature);
    free(rows->value);
    *rows = (gw_sparse_rows){0};
}

void gw_logistic_free(gw_logistic *logistic) {
    free(logistic->mean);
    free(logistic->scale);
    free(logistic->weight);
    free(logistic->unit);
    *logistic = (gw_logistic){0};
}

static double softplus(double z) {
    return (z > 0 ? z : 0) + log1p(exp(-fabs(z)));
}

static double sigmoid(double z) {
    return z < 0 ? exp(z) / (1 + exp(z)) : 1 / (1 + exp(-z));
}

static double row_logit(const gw_logistic *l, const gw_sparse_rows *rows, int64_t row, double offset) {
    double z = offset;
    for (int64_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        z += (double)rows->value[k] * l->unit[rows->feature[k]];
    return z;
}

void gw_logistic_logits(const gw_logistic *l, const gw_sparse_rows *rows, double *logit) {
    double offset = l->weight[l->features];
    for (int64_t f = 0; f < l->features; f++) {
        l->unit[f] = l->scale[f] * l->weight[f];
        offset -= l->mean[f] * l->unit[f];
    }
    for (int64_t i = 0; i < rows->rows; i++) logit[i] = row_logit(l, rows, i, offset);
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
        workspace[i] = (1 - y) * sigmoid(z) - v * y * sigmoid(-z);
        ++*count;
    }
    return sum;
}

double gw_logistic_loss(const gw_logistic *l, const gw_sparse_rows *rows, const gw_logistic_problem *p,
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
static void standardise(const gw_sparse_rows *rows, gw_logistic *l) {
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
    gw_logistic trial; // its weights are those that the search asks for
    const gw_sparse_rows *rows;
    const gw_logistic_problem *problem;
    double *workspace; // [rows]
} fit;

static double value_of(void *context, const double *x, double *gradient) {
    fit *f = context;
    memcpy(f->trial.weight, x, (size_t)(f->trial.features + 1) * sizeof *x);
    return gw_logistic_loss(&f->trial, f->rows, f->problem, f->workspace, gradient);
}

gw_status gw_logistic_fit(const gw_sparse_rows *rows, const gw_logistic_problem *problem, gw_logistic *out) {
    const int64_t features = rows->features;
    *out = (gw_logistic){.features = features,
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
        const gw_lbfgs_problem search = {features + 1, MOST_STEPS, problem->tolerance, &f, value_of};
        status = gw_lbfgs(&search, x);
        memcpy(out->weight, x, (size_t)(features + 1) * sizeof *x);
    }
    free(workspace);
    free(x);
    if (status != GW_OK) gw_logistic_free(out);
    return status;
}
