// SPDX-License-Identifier: MIT
// Rows in windows of `factor`; the last window may be shorter. Their largest value ('x'), mean ('m') or sum ('s'), and
// repetition of each window's row. The gradient of the largest value goes to the first row with it (LeCun et al.,
// 1998).
#include "reference/ref.h"

static int64_t end_of(int64_t rows, int64_t factor, int64_t first) {
    return first + factor < rows ? first + factor : rows;
}

static int64_t place_of_largest(int64_t first, int64_t end, int64_t width, const double *column) {
    int64_t place = first;
    for (int64_t row = first; row < end; row++)
        if (column[row * width] > column[place * width]) place = row;
    return place;
}

void ref_pool(int64_t rows, int64_t width, int64_t factor, char how, const double *in, double *out) {
    for (int64_t first = 0; first < rows; first += factor)
        for (int64_t i = 0; i < width; i++) {
            const int64_t end = end_of(rows, factor, first);
            double sum = 0.0;
            for (int64_t row = first; row < end; row++) sum += in[row * width + i];
            if (how == 'm') sum /= (double)(end - first);
            if (how == 'x') sum = in[place_of_largest(first, end, width, in + i) * width + i];
            out[first / factor * width + i] = sum;
        }
}

void ref_pool_backward(int64_t rows, int64_t width, int64_t factor, char how, const double *in, const double *dout,
                       double *din) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < width; i++) {
            const int64_t first = row / factor * factor, end = end_of(rows, factor, first);
            const double dy = dout[row / factor * width + i];
            if (how == 's') din[row * width + i] += dy;
            if (how == 'm') din[row * width + i] += dy / (double)(end - first);
            if (how == 'x' && row == place_of_largest(first, end, width, in + i)) din[row * width + i] += dy;
        }
}

void ref_unpool(int64_t rows, int64_t width, int64_t factor, const double *in, double *out) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < width; i++) out[row * width + i] = in[row / factor * width + i];
}
