// SPDX-License-Identifier: MIT
// Ridge regression on sparse rows of features (logistic.h), in closed form.
//
// With x the features less their means, over their standard deviations (a constant feature is 0), and y a number less
// its mean, all of the n rows whose number is not missing: w is where sum over i of (y_i - w . x_i)^2 + strength n
// |w|^2 is least, which solves (X^T X + strength n I) w = X^T y.
#ifndef GW_MEASURE_RIDGE_H
#define GW_MEASURE_RIDGE_H

#include "measure/logistic.h"

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
