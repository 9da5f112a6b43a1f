// SPDX-License-Identifier: MIT
// loss_r = -sum_v t_v ln softmax(z_r)_v;  gradient_rv = scale (softmax(z_r)_v - t_v), where the target t is 1 -
// smoothing at the label and smoothing / (V - 1) elsewhere. Rows with a negative label have neither. best_r is the
// lowest index of the largest logit. ref_focal_cross_entropy() has loss_r = -w q^g ln p with p = softmax(z_r) at the
// label y, q = 1 - p and w its weight; gradient_rv = scale (d loss / d p) p ((v = y) - softmax(z_r)_v).
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

void ref_focal_cross_entropy(const ref_focal *of, const double *logit, const int32_t *label, double scale, double *loss,
                             double *gradient) {
    for (int64_t row = 0; row < of->rows; row++) {
        const double *z = logit + row * of->classes;
        const int32_t y = label[row];
        double sum = 0.0, others = 0.0;
        for (int64_t v = 0; v < of->classes; v++) sum += exp(z[v]);
        for (int64_t v = 0; v < of->classes; v++)
            if (v != y) others += exp(z[v]);
        const double p = y < 0 ? 1.0 : exp(z[y]) / sum, q = others / sum,
                     w = y >= 0 && of->weight ? of->weight[y] : 1.0;
        const double by_p = of->focus * w * pow(q, of->focus - 1) * log(p) - w * pow(q, of->focus) / p;
        loss[row] = y < 0 ? 0.0 : -w * pow(q, of->focus) * log(p);
        for (int64_t v = 0; v < of->classes; v++)
            gradient[row * of->classes + v] = y < 0 ? 0.0 : scale * by_p * p * ((v == y) - exp(z[v]) / sum);
    }
}
