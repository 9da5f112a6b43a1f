// SPDX-License-Identifier: MIT
// Features of two towers' rows (Tay et al., 2020, matching; in the order of SBM-Transformer's released code):
//   out_i = [x_2i, x_2i+1, x_2i x_2i+1, x_2i - x_2i+1]
#include "reference/ref.h"

void ref_pair_features(int64_t pairs, int64_t width, const double *in, double *out) {
    for (int64_t i = 0; i < pairs; i++)
        for (int64_t d = 0; d < width; d++) {
            const double a = in[2 * i * width + d], b = in[(2 * i + 1) * width + d];
            const double features[4] = {a, b, a * b, a - b};
            for (int f = 0; f < 4; f++) out[(4 * i + f) * width + d] = features[f];
        }
}

void ref_pair_features_backward(int64_t pairs, int64_t width, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < pairs; i++)
        for (int64_t d = 0; d < width; d++) {
            const double a = in[2 * i * width + d], b = in[(2 * i + 1) * width + d], *g = dout + 4 * i * width + d;
            din[2 * i * width + d] = g[0] + g[2 * width] * b + g[3 * width];
            din[(2 * i + 1) * width + d] = g[width] + g[2 * width] * a - g[3 * width];
        }
}
