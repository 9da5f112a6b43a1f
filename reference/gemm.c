// SPDX-License-Identifier: MIT
// c_mn = sum_k op(a)_mk op(b)_kn + bias_n [+ c_mn]
#include "reference/ref.h"

void ref_gemm(bool transpose_a, bool transpose_b, bool accumulate, int64_t m, int64_t n, int64_t k, const double *a,
              const double *b, const double *bias, double *c) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = bias ? bias[column] : 0.0;
            for (int64_t i = 0; i < k; i++)
                sum += (transpose_a ? a[i * m + row] : a[row * k + i]) *
                       (transpose_b ? b[column * k + i] : b[i * n + column]);
            c[row * n + column] = accumulate ? c[row * n + column] + sum : sum;
        }
}
