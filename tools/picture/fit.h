// SPDX-License-Identifier: MIT
// Least squares for a straight line.
#ifndef GW_TOOLS_PICTURE_FIT_H
#define GW_TOOLS_PICTURE_FIT_H

#include <stdint.h>

// y = a + b x; r2 = 1 - (sum of squared residuals) / (sum of squares about the mean): 1 where all y are equal.
typedef struct {
    double a, b, r2;
} gw_line_fit;
gw_line_fit gw_fit_line(const double *x, const double *y, int64_t count);

#endif
