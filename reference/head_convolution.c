// SPDX-License-Identifier: MIT
// A filter w with an odd number of taps along the rows of one head, shared by all of its values (Xiong et al., 2021,
// section 3, the skip connection of values): out_i = sum_t w_t in_{i + t - (taps - 1) / 2}, with rows outside 0.
// Gradients: din_j = sum_t w_t dout_{j - t + (taps - 1) / 2}, dw_t = sum_i dout_i . in_{i + t - (taps - 1) / 2}
#include "reference/ref.h"

void ref_head_convolution(int64_t rows, int64_t size, int64_t taps, const double *in, const double *weight,
                          double *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t d = 0; d < size; d++) {
            out[i * size + d] = 0;
            for (int64_t t = 0; t < taps; t++) {
                const int64_t j = i + t - (taps - 1) / 2;
                if (j >= 0 && j < rows) out[i * size + d] += weight[t] * in[j * size + d];
            }
        }
}

void ref_head_convolution_backward(int64_t rows, int64_t size, int64_t taps, const double *in, const double *weight,
                                   const double *dout, double *din, double *dweight) {
    for (int64_t i = 0; i < rows * size; i++) din[i] = 0;
    for (int64_t t = 0; t < taps; t++) dweight[t] = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t t = 0; t < taps; t++) {
            const int64_t j = i + t - (taps - 1) / 2;
            for (int64_t d = 0; d < size && j >= 0 && j < rows; d++) {
                din[j * size + d] += weight[t] * dout[i * size + d];
                dweight[t] += in[j * size + d] * dout[i * size + d];
            }
        }
}
