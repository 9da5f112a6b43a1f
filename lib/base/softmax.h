// SPDX-License-Identifier: MIT
// Probabilities of logits, in double precision: the logistic function, and the softmax p_i = exp(z_i - top) / sum. top
// is the largest z_i, and sum = sum_i exp(z_i - top).
#ifndef GW_BASE_SOFTMAX_H
#define GW_BASE_SOFTMAX_H

#include <math.h>
#include <stdint.h>

typedef struct {
    double top, sum;
} gw_softmax;

// The softmax of every `step`th value of z[count].
static inline gw_softmax gw_softmax_of(const float *z, int64_t count, int64_t step) {
    gw_softmax softmax = {-INFINITY, 0};
    for (int64_t i = 0; i < count; i += step) // not fmax(), whose loop over four values GCC 12 for Arm cannot compile
        if ((double)z[i] > softmax.top) softmax.top = (double)z[i];
    for (int64_t i = 0; i < count; i += step) softmax.sum += exp((double)z[i] - softmax.top);
    return softmax;
}

static inline double gw_softmax_share(gw_softmax softmax, float z) {
    return exp((double)z - softmax.top) / softmax.sum;
}

// 1 / (1 + exp(-z))
static inline double gw_logistic(double z) {
    return 1 / (1 + exp(-z));
}

// ln sum_i exp z_i
static inline double gw_softmax_log_sum(gw_softmax softmax) {
    return softmax.top + log(softmax.sum);
}

#endif
