// SPDX-License-Identifier: MIT
// loss_r = -ln softmax(z_r)_label;  gradient_rv = scale (softmax(z_r)_v - [v = label]). Rows with a negative label have
// neither. best_r is the lowest index of the largest logit.
#include "reference/ref.h"

#include <math.h>

void ref_cross_entropy(int64_t rows, int64_t classes, const double *logit, const int32_t *label, double scale,
                       double *loss, int32_t *best, double *gradient) {
    for (int64_t row = 0; row < rows; row++) {
        const double *z = logit + row * classes;
        int64_t largest = 0;
        for (int64_t v = 1; v < classes; v++)
            if (z[v] > z[largest]) largest = v;
        double sum = 0.0;
        for (int64_t v = 0; v < classes; v++) sum += exp(z[v] - z[largest]);
        best[row] = (int32_t)largest;
        loss[row] = label[row] < 0 ? 0.0 : -log(exp(z[label[row]] - z[largest]) / sum);
        for (int64_t v = 0; v < classes; v++)
            gradient[row * classes + v] =
                label[row] < 0 ? 0.0 : scale * (exp(z[v] - z[largest]) / sum - (v == label[row]));
    }
}
