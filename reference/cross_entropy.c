// SPDX-License-Identifier: MIT
// loss_r = -sum_v t_v ln softmax(z_r)_v;  gradient_rv = scale (softmax(z_r)_v - t_v), where the target t is 1 -
// smoothing at the label and smoothing / (V - 1) elsewhere. Rows with a negative label have neither. best_r is the
// lowest index of the largest logit.
#include "reference/ref.h"

#include <math.h>

void ref_cross_entropy(int64_t rows, int64_t classes, const double *logit, const int32_t *label, double smoothing,
                       double scale, double *loss, int32_t *best, double *gradient) {
    for (int64_t row = 0; row < rows; row++) {
        const double *z = logit + row * classes;
        int64_t largest = 0;
        for (int64_t v = 1; v < classes; v++)
            if (z[v] > z[largest]) largest = v;
        double sum = 0.0;
        for (int64_t v = 0; v < classes; v++) sum += exp(z[v] - z[largest]);
        best[row] = (int32_t)largest;
        loss[row] = 0.0;
        for (int64_t v = 0; v < classes; v++) {
            const double probability = exp(z[v] - z[largest]) / sum;
            const double target = v == label[row]   ? 1.0 - smoothing
                                  : smoothing > 0.0 ? smoothing / (double)(classes - 1)
                                                    : 0.0;
            gradient[row * classes + v] = label[row] < 0 ? 0.0 : scale * (probability - target);
            if (label[row] >= 0 && target > 0.0) loss[row] -= target * (z[v] - z[largest] - log(sum));
        }
    }
}
