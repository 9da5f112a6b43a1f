// SPDX-License-Identifier: MIT
// Regression on sparse rows of features: logistic regression, found by L-BFGS, and ridge regression in closed form.
#ifndef GW_MEASURE_REGRESSION_H
#define GW_MEASURE_REGRESSION_H

#include "base/status.h"
#include "measure/sparse_rows.h"

#include <stdbool.h>
#include <stdint.h>

// The least value of a smooth convex function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5), with a backtracking
// line search. On one thread and without draws: the same input gives the same bits.
typedef struct {
    int64_t size;
    int64_t most_steps;
    double tolerance; // done where no value of the gradient is larger
    void *context;
    double (*value)(void *context, const double *x, double *gradient); // f(x); fills gradient[size]
} gw_lbfgs_problem;

// x[size]: where to begin, and the result: of the last step where the steps did not suffice. Returns after no step
// that makes the value less, too, which is as far as double precision goes.
gw_status gw_lbfgs(const gw_lbfgs_problem *problem, double *x) GW_MUST_CHECK;

// Logistic regression with an L2 penalty, on sparse rows of features that are standardised on the way, or left as they
// are.
//
// With x the features less their means, over their standard deviations (those of the training rows; a constant feature
// is 0), or `plain` the features, z = w . x + b, and p = 1 / (1 + exp(-z)), w and b are where
//   1 / n sum over i of (v y_i softplus(-z_i) + (1 - y_i) softplus(z_i)) + |w|^2 / (2 c n)
// is least: v is the weight of positives, c the inverse strength of the penalty as scikit-learn's C. b has none.
typedef struct {
    int64_t features;
    double *mean, *scale; // [features]; scale: 1 / standard deviation, or 0
    double *weight;       // [features + 1] w, then b
    double *unit;         // [features] scratch: w over the standard deviations
} gw_logistic_model;
void gw_logistic_free(gw_logistic_model *logistic);

typedef struct {
    const float *label; // of row i label[i * stride]: 0 to 1, or NaN: the row is left out
    int64_t stride;
    double positive_weight, c;
    double tolerance; // done where no value of the gradient is larger
    bool plain;       // features are not standardised
} gw_logistic_problem;

// n counts the rows whose label is not missing; without any w and b are 0.
gw_status gw_logistic_fit(const gw_sparse_rows *rows, const gw_logistic_problem *problem,
                          gw_logistic_model *out) GW_MUST_CHECK;
// The function above and its gradient, [features + 1], at logistic->weight; workspace[rows] is scratch.
double gw_logistic_loss(const gw_logistic_model *logistic, const gw_sparse_rows *rows,
                        const gw_logistic_problem *problem, double *workspace, double *gradient);
// logit[rows] = z.
void gw_logistic_logits(const gw_logistic_model *logistic, const gw_sparse_rows *rows, double *logit);

// Ridge regression on sparse rows of features , in closed form.
//
// With x the features less their means, over their standard deviations (a constant feature is 0), and y a number less
// its mean, all of the n rows whose number is not missing: w is where sum over i of (y_i - w . x_i)^2 + strength n
// |w|^2 is least, which solves (X^T X + strength n I) w = X^T y.

// The normal equations of one column of numbers, for any strength.
typedef struct {
    int64_t features, rows; // n
    double mean;            // of the numbers
    double *centre, *scale; // [features] means; 1 / standard deviation, or 0
    double *products;       // [features][features] X^T X, its lower triangle
    double *with_numbers;   // [features] X^T y
} gw_ridge_system;

// number[i * stride] of row i, NaN: missing. Free it, also after failure.
gw_status gw_ridge_system_make(const gw_sparse_rows *rows, const float *number, int64_t stride,
                               gw_ridge_system *out) GW_MUST_CHECK;
void gw_ridge_system_free(gw_ridge_system *system);
// weight[features + 1]: of the features as they are, then what is added. strength > 0.
gw_status gw_ridge_solve(const gw_ridge_system *system, double strength, double *weight) GW_MUST_CHECK;
// out[i * stride] of each row i.
void gw_ridge_predict(const gw_sparse_rows *rows, const double *weight, float *out, int64_t stride);

#endif
