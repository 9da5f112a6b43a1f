// SPDX-License-Identifier: MIT
// y = f(x w + b) per column with f(z) = z for z > 0, slope z below       (He et al., 2015; Maas et al., 2013)
//   dz = dy f'(z);   dx += dz w,  dw += sum over rows dz x,  db += sum over rows dz
#include "reference/ref.h"

void ref_affine(int64_t rows, int64_t width, double slope, const double *in, const double *weight, const double *bias,
                double *out) {
    for (int64_t i = 0; i < rows * width; i++) {
        const double z = in[i] * weight[i % width] + bias[i % width];
        out[i] = z > 0.0 ? z : slope * z;
    }
}

void ref_affine_backward(int64_t rows, int64_t width, double slope, const double *in, const double *weight,
                         const double *bias, const double *dout, double *din, double *dweight, double *dbias) {
    for (int64_t i = 0; i < rows * width; i++) {
        const int64_t c = i % width;
        const double dz = dout[i] * (in[i] * weight[c] + bias[c] > 0.0 ? 1.0 : slope);
        din[i] += dz * weight[c];
        dweight[c] += dz * in[i];
        dbias[c] += dz;
    }
}
