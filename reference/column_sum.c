// SPDX-License-Identifier: MIT
// out_n += sum_r in_rn: the gradient of a bias.
#include "reference/ref.h"

void ref_column_sum(int64_t rows, int64_t width, const double *in, double *out) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < width; column++) out[column] += in[row * width + column];
}
