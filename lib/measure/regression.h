// SPDX-License-Identifier: MIT
// Regression on sparse rows of features: logistic regression by L-BFGS, and ridge regression in closed form.
#ifndef GW_MEASURE_REGRESSION_H
#define GW_MEASURE_REGRESSION_H

#include "base/status.h"
#include "measure/sparse_rows.h"

#include <stdbool.h>
#include <stdint.h>

// Minimises a smooth convex function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5) with a backtracking line
// search. It runs on one thread without random draws: the same input gives the same bits.
typedef struct {
    int64_t size;
    int64_t most_steps;
    double tolerance; // ends when no component of the gradient is larger
    void *context;
    double (*value)(void *context, const double *x, double *gradient); // f(x); fills gradient[size]
} gw_lbfgs_problem;

// x[size]: the start, and the result. Returns the last step after most_steps. Also returns if no step decreases the
// value, which is the limit of double precision.
gw_status gw_lbfgs(const gw_lbfgs_problem *problem, double *x) GW_MUST_CHECK;

// Logistic regression with an L2 penalty on sparse rows of features, standardised or unchanged.
//
// x are the features minus their means, divided by their standard deviations (of the training rows; a constant feature
// is 0), or with `plain` the features. With z = w . x + b and p = 1 / (1 + exp(-z)), w and b minimise
//   1 / n sum over i of (v y_i softplus(-z_i) + (1 - y_i) softplus(z_i)) + |w|^2 / (2 c n)
// v is the weight of positives, c the inverse strength of the penalty, as C of scikit-learn. b is not penalised.
typedef struct {
    int64_t features;
    double *mean, *scale; // [features]; scale: 1 / standard deviation, or 0
    double *weight;       // [features + 1] w, then b
    double *unit;         // [features] scratch: w divided by the standard deviations
} gw_logistic_model;
void gw_logistic_free(gw_logistic_model *logistic);

typedef struct {
    const float *label; // of row i label[i * stride]: 0 to 1, or NaN: the row is ignored
    int64_t stride;
    double positive_weight, c;
    double tolerance; // ends when no component of the gradient is larger
    bool plain;       // features are not standardised
} gw_logistic_problem;

// n is the number of rows with a label. Without such rows w and b are 0.
gw_status gw_logistic_fit(const gw_sparse_rows *rows, const gw_logistic_problem *problem,
                          gw_logistic_model *out) GW_MUST_CHECK;
// The function above and its gradient, [features + 1], at logistic->weight. workspace[rows] is scratch memory.
double gw_logistic_loss(const gw_logistic_model *logistic, const gw_sparse_rows *rows,
                        const gw_logistic_problem *problem, double *workspace, double *gradient);
// logit[rows] = z.
void gw_logistic_logits(const gw_logistic_model *logistic, const gw_sparse_rows *rows, double *logit);

// Ridge regression on sparse rows of features, in closed form.
//
// x are the features minus their means, divided by their standard deviations (a constant feature is 0), and y is a
// number minus its mean, over the n rows with a number. w minimises sum over i of (y_i - w . x_i)^2 + strength n |w|^2,
// and solves (X^T X + strength n I) w = X^T y.

// The normal equations of one column of numbers, for any strength.
typedef struct {
    int64_t features, rows; // n
    double mean;            // of the numbers
    double *centre, *scale; // [features] means; 1 / standard deviation, or 0
    double *products;       // [features][features] X^T X, its lower triangle
    double *with_numbers;   // [features] X^T y
} gw_ridge_system;

// number[i * stride] of row i, NaN: missing. Free `out`, also after a failure.
gw_status gw_ridge_system_make(const gw_sparse_rows *rows, const float *number, int64_t stride,
                               gw_ridge_system *out) GW_MUST_CHECK;
void gw_ridge_system_free(gw_ridge_system *system);
// weight[features + 1]: weights of the unscaled features, then the constant. strength > 0.
gw_status gw_ridge_solve(const gw_ridge_system *system, double strength, double *weight) GW_MUST_CHECK;
// Fills out[i * stride] for each row i.
void gw_ridge_predict(const gw_sparse_rows *rows, const double *weight, float *out, int64_t stride);

#endif
