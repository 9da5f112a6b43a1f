// SPDX-License-Identifier: MIT
// Adafactor without a first moment (Shazeer & Stern, 2018): Algorithm 4 for matrices, 5 for vectors. The update's root
// mean square is limited (section 6), and the rate is relative to that of the weights (section 8).
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>

static double mean(int64_t count, int64_t step, const double *of) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += of[i * step];
    return sum / (double)count;
}

static double root_mean_square(int64_t count, const double *of) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += of[i] * of[i];
    return sqrt(sum / (double)count);
}

void ref_adafactor(int64_t rows, int64_t columns, const ref_adafactor_options *options, const double *gradient,
                   double *weight, double *row_moment, double *column_moment) {
    const double d = options->decay;
    double *square = malloc((size_t)(rows * columns) * sizeof *square),
           *x = malloc((size_t)(rows * columns) * sizeof *x);
    for (int64_t i = 0; i < rows * columns; i++) {
        const double g = gradient[i] * options->gradient_scale;
        square[i] = g * g + options->epsilon;
    }
    for (int64_t i = 0; row_moment && i < rows; i++)
        row_moment[i] = d * row_moment[i] + (1.0 - d) * mean(columns, 1, square + i * columns);
    for (int64_t j = 0; j < columns; j++)
        column_moment[j] = d * column_moment[j] + (1.0 - d) * mean(rows, columns, square + j);
    for (int64_t i = 0; i < rows * columns; i++) {
        const double share = row_moment ? row_moment[i / columns] / mean(rows, 1, row_moment) : 1.0;
        x[i] = gradient[i] * options->gradient_scale / sqrt(share * column_moment[i % columns]);
    }
    const double bound = fmax(1.0, root_mean_square(rows * columns, x) / options->threshold);
    const double size =
        options->least_size > 0 ? fmax(options->least_size, root_mean_square(rows * columns, weight)) : 1.0;
    for (int64_t i = 0; i < rows * columns; i++) weight[i] -= options->rate * size * x[i] / bound;
    free(square);
    free(x);
}
