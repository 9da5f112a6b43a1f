// SPDX-License-Identifier: MIT
// Rows of labels, each with its weight w: loss = -w y ln s(z) - (1 - y) ln(1 - s(z)), with s the logistic function, in
// softplus form:
//   -ln s(z) = ln(1 + exp(-z)),  -ln(1 - s(z)) = ln(1 + exp(z)). A NaN label has neither loss nor gradient.
#include "reference/ref.h"

#include <math.h>

static double softplus(double z) {
    return z > 30.0 ? z + exp(-z) : log1p(exp(z)); // exp(-z) is all that is left of the series there
}

static double logistic(double z) {
    return z < 0.0 ? exp(z) / (1.0 + exp(z)) : 1.0 / (1.0 + exp(-z));
}

void ref_bce(int64_t count, const double *logit, const double *label, const double *positive_weight, int64_t labels,
             double scale, double *loss, double *gradient) {
    for (int64_t i = 0; i < count; i++) {
        const double z = logit[i], y = label[i], w = positive_weight[i % labels];
        loss[i] = isnan(y) ? 0.0 : w * y * softplus(-z) + (1.0 - y) * softplus(z);
        gradient[i] = isnan(y) ? 0.0 : scale * ((1.0 - y) * logistic(z) - w * y * logistic(-z));
    }
}
