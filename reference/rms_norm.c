// SPDX-License-Identifier: MIT
// y_i = x_i d w_i,  d = 1 / sqrt(sum_j x_j^2 / E + epsilon)      (Zhang & Sennrich, 2019, equation 4)
//
// dy_i / dx_j = w_i (d [i = j] - x_i d^3 x_j / E)
#include "reference/ref.h"

#include <math.h>

static double inverse_root(int64_t width, double epsilon, const double *in) {
    double squares = 0.0;
    for (int64_t i = 0; i < width; i++) squares += in[i] * in[i];
    return 1.0 / sqrt(squares / (double)width + epsilon);
}

void ref_rms_norm(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight, double *out) {
    for (int64_t row = 0; row < rows; row++) {
        const double d = inverse_root(width, epsilon, in + row * width);
        for (int64_t i = 0; i < width; i++) out[row * width + i] = in[row * width + i] * d * weight[i];
    }
}

void ref_rms_norm_backward(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                           const double *dout, double *din, double *dweight) {
    for (int64_t row = 0; row < rows; row++) {
        const double *x = in + row * width, *dy = dout + row * width, d = inverse_root(width, epsilon, x);
        for (int64_t i = 0; i < width; i++) {
            dweight[i] += dy[i] * x[i] * d;
            for (int64_t j = 0; j < width; j++)
                din[row * width + j] +=
                    dy[i] * weight[i] * ((i == j ? d : 0.0) - x[i] * d * d * d * x[j] / (double)width);
        }
    }
}
