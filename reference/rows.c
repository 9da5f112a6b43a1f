// SPDX-License-Identifier: MIT
// gather: out_i = in_index(i);   scatter: out_index(i) += in_i
#include "reference/ref.h"

void ref_gather_rows(int64_t rows, int64_t width, const int32_t *index, const double *in, double *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++) out[i * width + j] = in[index[i] * width + j];
}

void ref_scatter_add_rows(int64_t rows, int64_t width, const int32_t *index, const double *in, double *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++) out[index[i] * width + j] += in[i * width + j];
}
