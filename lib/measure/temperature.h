// SPDX-License-Identifier: MIT
// The temperature T > 0 of a classifier: logits are divided by it, so that probabilities match the frequency of correct
// predictions (Guo et al. 2017, "On calibration of modern neural networks", section 4.2). On one strand the order of
// examples does not change.
//
// For independent labels, P is the mean over strands of s(z'), with z' = (z - shift) / T and s the logistic function.
// For exclusive labels, P is the softmax of z / T. T minimises the mean of -ln P of the correct value, over labels that
// are not missing, between 1/100 and 100. If the loss decreases down to 1/100, the examples are separated without
// error, and there is no minimum.
#ifndef GW_MEASURE_TEMPERATURE_H
#define GW_MEASURE_TEMPERATURE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t rows, labels;
    int strands;        // 1 for exclusive labels
    const float *logit; // [rows][strands][labels]
    // Independent labels:
    const double *shift; // [labels]
    const float *value;  // [rows][labels] 0 to 1, NaN: missing
    // Exclusive labels:
    const int32_t *label; // [rows] -1: missing; NULL: labels are independent
} gw_temperature_rows;

typedef struct {
    bool found;          // the loss has a minimum between the bounds, lower than at 1
    double temperature;  // 1 if none was found
    double loss, at_one; // mean of -ln P at T, and at 1
} gw_temperature;

gw_status gw_temperature_fit(const gw_temperature_rows *rows, gw_temperature *out) GW_MUST_CHECK;

#endif
