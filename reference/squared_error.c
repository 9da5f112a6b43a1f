// SPDX-License-Identifier: MIT
// loss = (z - y)^2, gradient = 2 scale (z - y). A NaN label has neither loss nor gradient.
#include "reference/ref.h"

#include <math.h>

void ref_squared_error(int64_t count, const double *logit, const double *label, double scale, double *loss,
                       double *gradient) {
    for (int64_t i = 0; i < count; i++) {
        loss[i] = isnan(label[i]) ? 0.0 : pow(logit[i] - label[i], 2.0);
        gradient[i] = isnan(label[i]) ? 0.0 : scale * 2.0 * (logit[i] - label[i]);
    }
}
