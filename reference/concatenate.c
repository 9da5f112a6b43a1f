// SPDX-License-Identifier: MIT
// y_r = (a_r, b_r): rows of two matrices side by side;  da_r += dy_r[0 .. m), db_r += dy_r[m .. m + n)
#include "reference/ref.h"

void ref_concatenate(int64_t rows, int64_t m, int64_t n, const double *a, const double *b, double *y) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < m + n; i++) y[r * (m + n) + i] = i < m ? a[r * m + i] : b[r * n + i - m];
}

void ref_concatenate_backward(int64_t rows, int64_t m, int64_t n, const double *dy, double *da, double *db) {
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t i = 0; i < m; i++) da[r * m + i] += dy[r * (m + n) + i];
        for (int64_t i = 0; i < n; i++) db[r * n + i] += dy[r * (m + n) + m + i];
    }
}
