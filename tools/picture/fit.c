// SPDX-License-Identifier: MIT
// Sums about the means.
#include "tools/picture/fit.h"

gw_line_fit gw_fit_line(const double *x, const double *y, int64_t count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, total = 0, left = 0;
    for (int64_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (int64_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        total += (y[i] - mean_y) * (y[i] - mean_y);
    }
    const double b = xx > 0 ? xy / xx : 0, a = mean_y - b * mean_x;
    for (int64_t i = 0; i < count; i++) left += (y[i] - a - b * x[i]) * (y[i] - a - b * x[i]);
    return (gw_line_fit){a, b, total > 0 ? 1 - left / total : 1};
}
