// SPDX-License-Identifier: MIT
// y_i = x'_i w_i + b_i,  x'_i = (x_i - mean) d,  d = 1 / sqrt(variance + epsilon)      (Ba et al., 2016, equation 4)
//
// Backward by the chain rule over mean and variance, without simplification: with g_i = dy_i w_i
//   dvariance = sum_i g_i (x_i - mean) (-d^3 / 2);   dmean = -d sum_i g_i (the term through the variance is 0);
//   dx_i = g_i d + dvariance 2 (x_i - mean) / E + dmean / E
#include "reference/ref.h"

#include <math.h>

static void moments(int64_t width, double epsilon, const double *in, double *mean, double *inverse_deviation) {
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < width; i++) sum += in[i];
    *mean = sum / (double)width;
    for (int64_t i = 0; i < width; i++) squares += (in[i] - *mean) * (in[i] - *mean);
    *inverse_deviation = 1.0 / sqrt(squares / (double)width + epsilon);
}

void ref_layer_norm(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                    const double *bias, double *out, double *mean, double *inverse_deviation) {
    for (int64_t row = 0; row < rows; row++) {
        const double *x = in + row * width;
        moments(width, epsilon, x, &mean[row], &inverse_deviation[row]);
        for (int64_t i = 0; i < width; i++)
            out[row * width + i] = (x[i] - mean[row]) * inverse_deviation[row] * weight[i] + bias[i];
    }
}

void ref_layer_norm_backward(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                             const double *dout, double *din, double *dweight, double *dbias) {
    for (int64_t row = 0; row < rows; row++) {
        const double *x = in + row * width, *dy = dout + row * width;
        double mean, d, dvariance = 0.0, dmean = 0.0;
        moments(width, epsilon, x, &mean, &d);
        for (int64_t i = 0; i < width; i++) {
            dvariance += dy[i] * weight[i] * (x[i] - mean) * (-0.5 * d * d * d);
            dmean -= dy[i] * weight[i] * d;
            dweight[i] += dy[i] * (x[i] - mean) * d;
            dbias[i] += dy[i];
        }
        for (int64_t i = 0; i < width; i++)
            din[row * width + i] +=
                dy[i] * weight[i] * d + dvariance * 2.0 * (x[i] - mean) / (double)width + dmean / (double)width;
    }
}
