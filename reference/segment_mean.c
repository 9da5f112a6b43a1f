// SPDX-License-Identifier: MIT
// Means of a sequence's segments (Xiong et al., 2021, section 3, landmarks): for n rows and m segments, segment j has
// the rows i with floor(j n / m) <= i < floor((j + 1) n / m). Every row gets the mean's gradient divided by the number
// of rows.
#include "reference/ref.h"

void ref_segment_mean(int64_t rows, int64_t segments, int64_t width, const double *in, double *out) {
    for (int64_t j = 0; j < segments; j++) {
        const int64_t from = j * rows / segments, to = (j + 1) * rows / segments;
        for (int64_t d = 0; d < width; d++) {
            out[j * width + d] = 0;
            for (int64_t i = from; i < to; i++) out[j * width + d] += in[i * width + d] / (double)(to - from);
        }
    }
}

void ref_segment_mean_backward(int64_t rows, int64_t segments, int64_t width, const double *dout, double *din) {
    for (int64_t j = 0; j < segments; j++) {
        const int64_t from = j * rows / segments, to = (j + 1) * rows / segments;
        for (int64_t i = from; i < to; i++)
            for (int64_t d = 0; d < width; d++) din[i * width + d] = dout[j * width + d] / (double)(to - from);
    }
}
