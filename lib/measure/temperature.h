// SPDX-License-Identifier: MIT
// The temperature of a classifier's logits: the number T > 0 by which they are divided, so that probabilities are as
// sure as they are right (Guo et al. 2017, "On calibration of modern neural networks", section 4.2). Order among
// examples stays as it was on one strand.
//
// Of labels that are independent P = mean over strands of s(z'), z' = (z - shift) / T and s the logistic function; of
// labels that exclude each other P is the softmax of z / T. T is where the mean of -ln P of what is right, over labels
// that are not missing, is least between 1/100 and 100. Where it falls down to 1/100 the examples are separated without
// an error, and there is no least value.
#ifndef GW_MEASURE_TEMPERATURE_H
#define GW_MEASURE_TEMPERATURE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t rows, labels;
    int strands;        // 1 of labels that exclude each other
    const float *logit; // [rows][strands][labels]
    // Independent labels:
    const double *shift; // [labels]
    const float *value;  // [rows][labels] 0 to 1, NaN: missing
    // Labels that exclude each other:
    const int32_t *label; // [rows] -1: missing; NULL: they do not
} gw_temperature_rows;

typedef struct {
    bool found;          // T has a least loss between its bounds, which is lower than at 1
    double temperature;  // 1 where none was found
    double loss, at_one; // mean of -ln P at T, and at 1
} gw_temperature;

gw_status gw_temperature_fit(const gw_temperature_rows *rows, gw_temperature *out) GW_MUST_CHECK;

#endif
