// SPDX-License-Identifier: MIT
// Logistic regression with an L2 penalty, on sparse rows of features that are standardised on the way, or left as they
// are.
//
// With x the features less their means, over their standard deviations (those of the training rows; a constant feature
// is 0), or `plain` the features, z = w . x + b, and p = 1 / (1 + exp(-z)), w and b are where
//   1 / n sum over i of (v y_i softplus(-z_i) + (1 - y_i) softplus(z_i)) + |w|^2 / (2 c n)
// is least: v is the weight of positives, c the inverse strength of the penalty as scikit-learn's C. b has none.
#ifndef GW_MEASURE_LOGISTIC_H
#define GW_MEASURE_LOGISTIC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Row i has value[k] at feature[k] for k in [start[i], start[i + 1]), and 0 elsewhere.
typedef struct {
    int64_t rows, features;
    int64_t *start;    // [rows + 1]
    uint16_t *feature; // at most 65,536 features
    float *value;
} gw_sparse_rows;
void gw_sparse_rows_free(gw_sparse_rows *rows);

typedef struct {
    int64_t features;
    double *mean, *scale; // [features]; scale: 1 / standard deviation, or 0
    double *weight;       // [features + 1] w, then b
    double *unit;         // [features] scratch: w over the standard deviations
} gw_logistic;
void gw_logistic_free(gw_logistic *logistic);

typedef struct {
    const float *label; // of row i label[i * stride]: 0 to 1, or NaN: the row is left out
    int64_t stride;
    double positive_weight, c;
    double tolerance; // done where no value of the gradient is larger
    bool plain;       // features are not standardised
} gw_logistic_problem;

// n counts the rows whose label is not missing; without any w and b are 0.
gw_status gw_logistic_fit(const gw_sparse_rows *rows, const gw_logistic_problem *problem,
                          gw_logistic *out) GW_MUST_CHECK;
// The function above and its gradient, [features + 1], at logistic->weight; workspace[rows] is scratch.
double gw_logistic_loss(const gw_logistic *logistic, const gw_sparse_rows *rows, const gw_logistic_problem *problem,
                        double *workspace, double *gradient);
// logit[rows] = z.
void gw_logistic_logits(const gw_logistic *logistic, const gw_sparse_rows *rows, double *logit);

#endif
