// SPDX-License-Identifier: MIT
// Sums over rows with a label: their mean losses, their number, and the number of rows with every class being the best
// one. A row without a label has a negative first class, or, if labels are numbers (label NULL), NaN.
#include "reference/ref.h"

#include <math.h>

double ref_loss_sum(int64_t rows, int64_t parts, const double *loss, const int32_t *label, const int32_t *best,
                    const double *number, int64_t *count, int64_t *right) {
    double sum = 0.0;
    *count = *right = 0;
    for (int64_t row = 0; row < rows; row++) {
        if (label ? label[row * parts] < 0 : isnan(number[row])) continue;
        int64_t same = 0;
        for (int64_t part = 0; part < parts; part++) {
            sum += loss[row * parts + part] / (double)parts;
            same += label && label[row * parts + part] == best[row * parts + part];
        }
        *count += 1;
        *right += same == parts;
    }
    return sum;
}
